/* The embed: a deck turned by buttons, keys or the page around it. Messages to that page:
     {type: "capsule:size", width, height, ratio}   the size it was made for
     {type: "capsule:scene", index, total}          the scene in view, from 0; at first, and after every turn
   and from it, and from nobody else:
     {type: "capsule:go", index}, {type: "capsule:pause"}, {type: "capsule:play"} */
"use strict";
(() => {
  const { length } = Films.scenes;
  const bars = [...document.querySelectorAll(".progress i")];
  const back = document.getElementById("back"), on = document.getElementById("on");
  const deck = document.querySelector(".deck");

  const tell = (message) => parent !== window && parent.postMessage(message, "*");

  const turn = followScenes(deck, (index) => {
    bars.forEach((bar, place) => bar.classList.toggle("done", place <= index));
    back.setAttribute("aria-disabled", index === 0);
    on.setAttribute("aria-disabled", index === length - 1);
    document.getElementById("place").textContent = `Scene ${index + 1} of ${length}`;
    tell({ type: "capsule:scene", index, total: length });
  });
  new IntersectionObserver((entries) => Films.visible(entries[0].intersectionRatio >= 0.5), { threshold: [0, 0.5] }).observe(deck);

  back.hidden = on.hidden = false;
  back.addEventListener("click", () => turn.by(-1));
  on.addEventListener("click", () => turn.by(1));

  /* Text that is longer than its frame can be scrolled by keyboard too. */
  function reachable() {
    document.querySelectorAll(".words").forEach((words) => {
      if (words.scrollHeight > words.clientHeight + 1) words.tabIndex = 0;
      else words.removeAttribute("tabindex");
    });
  }
  function fit() {
    reachable();
    turn.stay();
  }
  addEventListener("resize", fit);
  document.fonts.ready.then(reachable);

  addEventListener("message", (event) => {
    if (event.source !== parent || parent === window || typeof event.data !== "object" || !event.data) return;
    const { type, index } = event.data;
    if (type === "capsule:go" && Number.isInteger(index)) turn.go(index);
    if (type === "capsule:pause") Films.pause();
    if (type === "capsule:play") Films.play();
  });
  tell({ type: "capsule:size", width: 1280, height: 720, ratio: 16 / 9 });
  tell({ type: "capsule:scene", index: turn.at(), total: length });
  /* WordPress sizes the frame of a trusted provider by this message. */
  const secret = new URLSearchParams(location.hash.replace(/^#\??/, "")).get("secret");
  if (secret) tell({ message: "height", value: Math.round((innerWidth * 9) / 16), secret });
})();
