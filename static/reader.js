/* The reader: where the reader is, keys, and sharing. Everything can be read without it. */
"use strict";
(() => {
  const { scenes } = Films;
  const links = [...document.querySelectorAll(".rail a")];
  const root = document.documentElement;
  let current = 0, target = null, patience = 0; // target: the scene that a key leads to, until the page stands there

  const watch = new IntersectionObserver(() => { if (!target) arrive(inTheMiddle()); }, { rootMargin: "-50% 0px" });
  scenes.forEach((scene) => watch.observe(scene));

  function inTheMiddle() {
    const place = scenes.findIndex((scene) => scene.getBoundingClientRect().bottom > innerHeight / 2);
    return place < 0 ? scenes.length - 1 : place;
  }
  function arrive(index) {
    current = index;
    links.forEach((link, place) => {
      if (place === index) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    Films.at(index);
  }
  const isThere = () => Math.abs(target.getBoundingClientRect().top) < 2;
  function go(index) {
    const place = Math.max(0, Math.min(scenes.length - 1, index));
    arrive(place);
    const moves = Boolean(target);
    target = scenes[place];
    if (!moves && isThere()) return letGo();
    root.style.scrollSnapType = "none"; // when a picture comes late, the browser would snap back to where it was
    target.scrollIntoView({ behavior: Films.calm() ? "instant" : "smooth" });
    clearTimeout(patience);
    patience = setTimeout(stand, 1500); // for browsers that do not tell when they stand
  }
  function stand() {
    if (target && !isThere()) target.scrollIntoView({ behavior: "instant" }); // one key cut the way of another short
    letGo();
  }
  function letGo() {
    clearTimeout(patience);
    target = null;
    root.style.scrollSnapType = "";
  }
  function byHand() { // from now on the page goes where the reader moves it
    if (!target) return;
    letGo();
    arrive(inTheMiddle());
  }
  addEventListener("scrollend", stand);
  for (const hand of ["wheel", "touchstart", "pointerdown"]) addEventListener(hand, byHand, { passive: true });

  const keys = { ArrowRight: () => current + 1, ArrowLeft: () => current - 1, Home: () => 0, End: () => scenes.length - 1 };
  addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !keys[event.key]) return byHand();
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
