/* The reader: where the reader is, keys, and sharing. Everything can be read without it. */
"use strict";
(() => {
  const { scenes } = Films;
  const links = [...document.querySelectorAll(".rail a")];
  let current = 0;

  const watch = new IntersectionObserver((entries) => {
    entries.forEach((entry) => entry.isIntersecting && arrive(scenes.indexOf(entry.target)));
  }, { rootMargin: "-50% 0px" });
  scenes.forEach((scene) => watch.observe(scene));

  function arrive(index) {
    current = index;
    links.forEach((link, place) => {
      if (place === index) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    Films.at(index);
  }
  function go(index) {
    const place = Math.max(0, Math.min(scenes.length - 1, index));
    scenes[place].scrollIntoView({ behavior: Films.calm() ? "auto" : "smooth" });
    arrive(place);
  }

  const keys = { ArrowRight: () => current + 1, ArrowLeft: () => current - 1, Home: () => 0, End: () => scenes.length - 1 };
  addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !keys[event.key]) return;
    if (document.querySelector(".sheet:popover-open")) return;
    event.preventDefault();
    go(keys[event.key]());
  });

  const toast = document.querySelector(".toast");
  let fading = 0;
  function tell(words) {
    toast.textContent = words;
    clearTimeout(fading);
    fading = setTimeout(() => { toast.textContent = ""; }, 2500);
  }
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      tell("Copied");
    } catch {
      tell("Your browser did not allow copying");
    }
  }
  document.querySelectorAll("[data-copy], [data-copy-from]").forEach((button) => {
    const from = document.getElementById(button.dataset.copyFrom);
    button.hidden = false;
    button.addEventListener("click", () => copy(from ? from.value : button.dataset.copy));
  });
  const code = document.getElementById("embed-code");
  if (code) code.addEventListener("focus", () => code.select());
  const system = document.getElementById("system-share");
  if (system && navigator.share) {
    const link = document.querySelector("link[rel=canonical]").href;
    system.hidden = false;
    system.addEventListener("click", () => {
      navigator.share({ title: document.querySelector("h1").textContent, url: link }).catch((error) => {
        if (error.name !== "AbortError") tell("Sharing did not work");
      });
    });
  }
})();
