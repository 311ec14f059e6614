/* What moves, in the reader and in the embed: films, and the camera over a still, which is an animation of the style
   sheet. They begin when the picture is shown; only the scene in view moves, and while it does the next film is
   fetched. For those who asked for less motion or less data nothing moves until they press Play. What the network kept
   away is fetched once it is back. */
const KEY = "motion";
const less = matchMedia("(prefers-reduced-motion: reduce)");
export const scenes = [...document.querySelectorAll(".scene")];
const movements = scenes.map((scene) => film(scene) || camera(scene));
const button = document.getElementById("motion");
let current = 0;
let chosen = remembered();
let seen = true;
let painted = false;

function remembered() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null; // a sandboxed frame has no storage
  }
}

function remember(choice) {
  try {
    sessionStorage.setItem(KEY, choice);
  } catch {
    /* It holds for this page only. */
  }
}

/** The still goes when a frame of the film stands in its place, at once: nothing is ever seen through anything. A film
    that plays may not be drawn yet: over the still it would be a flash of nothing. */
function film(scene) {
  const video = scene.querySelector("video");
  if (!video) return null;
  const shot = video.closest(".shot");
  const shown = () => shot.classList.add("filmed");
  video.addEventListener("playing", () => {
    if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(shown);
    else shown();
    movements[movements.indexOf(self) + 1]?.fetch();
  });
  const self = {
    play: () => video.play().catch(() => shot.classList.remove("filmed")),
    pause: () => video.pause(),
    fetch: () => {
      video.preload = "auto";
    },
  };
  return self;
}

/** It waits for its picture, so that the first frame that moves is the still. */
function camera(scene) {
  const shot = scene.querySelector(".camera");
  if (!shot) return null;
  const picture = shot.querySelector("img");
  let wanted = false;
  const turn = () => shot.classList.toggle("playing", wanted && picture.complete);
  picture.addEventListener("load", turn);
  return {
    play: () => {
      wanted = true;
      turn();
    },
    pause: () => {
      wanted = false;
      turn();
    },
    fetch: () => {},
  };
}

function isMoving() {
  return chosen ? chosen === "play" : !(less.matches || navigator.connection?.saveData);
}

function update() {
  const play = painted && isMoving() && isWatched();
  movements.forEach((movement, index) => {
    if (play && index === current) movement?.play();
    else movement?.pause();
  });
}

function label() {
  const what = isMoving() ? "pause" : "play";
  button.querySelector("use").setAttribute("href", `#icon-${what}`);
  button.querySelector("span").textContent = button.dataset[what];
}

function choose(choice) {
  chosen = choice;
  remember(choice);
  label();
  update();
}

export const isCalm = () => less.matches;
export const isWatched = () => seen && !document.hidden;
export const pause = () => choose("pause");
export const play = () => choose("play");

/** The scene in view is now the one at `index`. */
export function show(index) {
  current = index;
  update();
}

/** Whether enough of the page itself can be seen. */
export function setVisible(visible) {
  seen = visible;
  update();
}

/** Browsers ask once: without this, who reads on in a tunnel has scenes without pictures until they load the page. */
function fetchWhatIsMissing() {
  for (const image of document.images) {
    if (image.complete && !image.naturalWidth) image.src = image.getAttribute("src");
  }
  for (const video of document.querySelectorAll("video")) {
    if (video.networkState === HTMLMediaElement.NETWORK_NO_SOURCE) video.load();
  }
  update();
}

/** In the place of a picture that did not come are its scene's colour and words, not a broken one. */
for (const image of document.querySelectorAll(".stage img")) {
  const mark = () => image.classList.toggle("away", image.complete && !image.naturalWidth);
  for (const outcome of ["load", "error"]) image.addEventListener(outcome, mark);
  mark();
}

function afterPaint() {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      painted = true;
      update();
    }),
  );
}
if (document.readyState === "complete") afterPaint();
else addEventListener("load", afterPaint);
document.addEventListener("visibilitychange", update);
addEventListener("online", fetchWhatIsMissing);
less.addEventListener("change", () => {
  label();
  update();
});
if (movements.some(Boolean)) {
  button.hidden = false;
  button.addEventListener("click", () => choose(isMoving() ? "pause" : "play"));
  label();
}
