/* What moves on lists: a card's film plays while the pointer or the focus is on it; never where motion is unwelcome or
   data is dear. */
const less = matchMedia("(prefers-reduced-motion: reduce)");

async function play(video) {
  if (less.matches || navigator.connection?.saveData) return;
  try {
    await video.play();
    if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(() => show(video));
    else show(video);
  } catch {
    /* A pause that came first is not an error. */
  }
}

function show(video) {
  video.classList.toggle("playing", !video.paused);
}

function stop(video) {
  video.pause();
  show(video);
  video.currentTime = 0; // the next time begins as the still does
}

for (const video of document.querySelectorAll(".cover video")) {
  const card = video.closest(".card, .lead");
  card.addEventListener("pointerenter", (event) => {
    if (event.pointerType === "mouse") play(video);
  });
  card.addEventListener("pointerleave", () => {
    if (!card.matches(":focus-within")) stop(video);
  });
  card.addEventListener("focusin", () => play(video));
  card.addEventListener("focusout", () => stop(video));
}

// Typefaces of cards come after everything that the first screen needs, and only for cards that are near it.
const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) target.classList.add("near");
  },
  { rootMargin: "50%" },
);
addEventListener("load", () => {
  for (const card of document.querySelectorAll(".card")) near.observe(card);
});
