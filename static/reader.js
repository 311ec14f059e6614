/* The reader: the rail, and sharing. Everything can be read without it. */
"use strict";
(() => {
  const rail = document.querySelector(".rail"), links = [...rail.children];
  followScenes(document.documentElement, (index) => {
    links.forEach((link, place) => {
      if (place === index) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    const { offsetLeft, offsetTop } = links[index]; // a rail of many scenes has an inside that moves along
    rail.scrollTo(offsetLeft - rail.clientWidth / 2, offsetTop - rail.clientHeight / 2);
  });

  const toast = document.querySelector(".toast");
  let fading = 0;
  function tell(words) {
    if (toast.showPopover) { // above the sheet that is open
      toast.hidePopover();
      toast.showPopover();
    }
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
