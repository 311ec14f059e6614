/* The embed: a deck turned by buttons, keys or the page around it. Messages to that page:
     {type: "capsule:size", width, height, ratio}   the size it was made for
     {type: "capsule:scene", index, total}          the scene in view, from 0
   and from it, and from nobody else:
     {type: "capsule:go", index}, {type: "capsule:pause"}, {type: "capsule:play"} */
"use strict";
(() => {
  const { scenes } = Films;
  const deck = document.querySelector(".deck");
  const bars = [...document.querySelectorAll(".progress i")];
  const back = document.getElementById("back"), on = document.getElementById("on");
  const last = scenes.length - 1;
  let current = 0;

  const tell = (message) => parent !== window && parent.postMessage(message, "*");

  function arrive(index) {
    const moved = index !== current;
    current = index;
    bars.forEach((bar, place) => bar.classList.toggle("done", place <= index));
    back.setAttribute("aria-disabled", index === 0);
    on.setAttribute("aria-disabled", index === last);
    Films.at(index);
    if (!moved) return;
    document.getElementById("place").textContent = `Scene ${index + 1} of ${scenes.length}`;
    tell({ type: "capsule:scene", index, total: scenes.length });
  }
  function go(index) {
    const place = Math.max(0, Math.min(last, index));
    const left = scenes[place].offsetLeft - scenes[0].offsetLeft;
    deck.scrollTo({ left, behavior: Films.calm() ? "auto" : "smooth" });
    arrive(place);
  }

  const watch = new IntersectionObserver((entries) => {
    entries.forEach((entry) => entry.isIntersecting && arrive(scenes.indexOf(entry.target)));
  }, { root: deck, rootMargin: "0px -50%" });
  scenes.forEach((scene) => watch.observe(scene));
  new IntersectionObserver((entries) => Films.visible(entries[0].intersectionRatio >= 0.5), { threshold: [0, 0.5] }).observe(deck);

  back.hidden = on.hidden = false;
  back.addEventListener("click", () => go(current - 1));
  on.addEventListener("click", () => go(current + 1));
  const keys = { ArrowRight: () => current + 1, ArrowLeft: () => current - 1, Home: () => 0, End: () => last };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !keys[event.key]) return;
    event.preventDefault();
    go(keys[event.key]());
  });

  /* Text that is longer than its frame can be scrolled by keyboard too. */
  function reachable() {
    document.querySelectorAll(".words").forEach((words) => {
      if (words.scrollHeight > words.clientHeight + 1) words.tabIndex = 0;
      else words.removeAttribute("tabindex");
    });
  }
  function fit() {
    reachable();
    deck.scrollTo({ left: scenes[current].offsetLeft - scenes[0].offsetLeft });
  }
  addEventListener("resize", fit);
  document.fonts.ready.then(reachable);

  addEventListener("message", (event) => {
    if (event.source !== parent || parent === window || typeof event.data !== "object" || !event.data) return;
    const { type, index } = event.data;
    if (type === "capsule:go" && Number.isInteger(index)) go(index);
    if (type === "capsule:pause") Films.pause();
    if (type === "capsule:play") Films.play();
  });
  tell({ type: "capsule:size", width: 1280, height: 720, ratio: 16 / 9 });
  /* WordPress sizes the frame of a trusted provider by this message. */
  const secret = new URLSearchParams(location.hash.replace(/^#\??/, "")).get("secret");
  if (secret) tell({ message: "height", value: Math.round((innerWidth * 9) / 16), secret });
})();
