/* Films, in the reader and in the embed: they begin when the first picture is shown, only the scene in view plays, and
   while it does the next one is fetched. For those who asked for less motion or less data nothing moves until they
   press Play. */
const KEY = "motion";
const less = matchMedia("(prefers-reduced-motion: reduce)");
export const scenes = [...document.querySelectorAll(".scene")];
const films = scenes.map((scene) => scene.querySelector("video"));
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

function isMoving() {
  return chosen ? chosen === "play" : !(less.matches || navigator.connection?.saveData);
}

function update() {
  const play = painted && isMoving() && seen && !document.hidden;
  films.forEach((film, index) => {
    if (!film) return;
    if (play && index === current) film.play().catch(() => film.classList.remove("playing"));
    else film.pause();
  });
}

/** A film that plays may not be drawn yet: over the still it would be a flash of nothing. */
function showFilm(film) {
  const shown = () => film.classList.add("playing");
  if (film.requestVideoFrameCallback) film.requestVideoFrameCallback(shown);
  else shown();
}

function onPlaying(film, index) {
  showFilm(film);
  const next = films[index + 1];
  if (next) next.preload = "auto";
}

function label() {
  const word = isMoving() ? "Pause" : "Play";
  button.querySelector("use").setAttribute("href", `#icon-${word.toLowerCase()}`);
  button.querySelector("span").textContent = `${word} motion`;
}

function choose(choice) {
  chosen = choice;
  remember(choice);
  label();
  update();
}

export const isCalm = () => less.matches;
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

films.forEach((film, index) => {
  film?.addEventListener("playing", () => onPlaying(film, index));
});
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
less.addEventListener("change", () => {
  label();
  update();
});
if (films.some(Boolean)) {
  button.hidden = false;
  button.addEventListener("click", () => choose(isMoving() ? "pause" : "play"));
  label();
}
