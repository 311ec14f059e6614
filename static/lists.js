// A card's film plays while the pointer or the focus is on it; never where motion is unwelcome or data is dear.
"use strict";
const still = matchMedia("(prefers-reduced-motion: reduce)");

function play(video) {
  if (still.matches || navigator.connection?.saveData) return;
  video.play().then(() => video.classList.add("playing"), () => {}); // a pause that came first is no error
}

function stop(video) {
  video.classList.remove("playing");
  video.pause();
}

for (const video of document.querySelectorAll(".cover video")) {
  const card = video.closest(".card, .lead");
  card.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && play(video));
  card.addEventListener("pointerleave", () => card.matches(":focus-within") || stop(video));
  card.addEventListener("focusin", () => play(video));
  card.addEventListener("focusout", () => stop(video));
}
