/* Films, in the reader and in the embed: they begin when the first picture is shown, only the scene in view plays, and
   while it does the next one is fetched. For those who asked for less motion or less data nothing moves until they
   press Play. */
"use strict";
const Films = (() => {
  const KEY = "motion";
  const less = matchMedia("(prefers-reduced-motion: reduce)");
  const frugal = () => less.matches || Boolean(navigator.connection && navigator.connection.saveData);
  const scenes = [...document.querySelectorAll(".scene")];
  const films = scenes.map((scene) => scene.querySelector("video"));
  let current = 0, chosen = remembered(), seen = true, painted = false;

  function remembered() {
    try { return sessionStorage.getItem(KEY); } catch { return null; } // a sandboxed frame has no storage
  }
  function moving() { return chosen ? chosen === "play" : !frugal(); }

  function show() {
    const play = painted && moving() && seen && !document.hidden;
    films.forEach((film, index) => {
      if (!film) return;
      if (play && index === current) film.play().catch(() => film.classList.remove("playing"));
      else film.pause();
    });
  }
  function plays(film, index) {
    film.classList.add("playing");
    const next = films[index + 1];
    if (next) next.preload = "auto";
  }

  const button = document.getElementById("motion");
  function label() {
    const word = moving() ? "Pause" : "Play";
    button.querySelector("use").setAttribute("href", `#icon-${word.toLowerCase()}`);
    button.querySelector("span").textContent = `${word} motion`;
  }
  function choose(choice) {
    chosen = choice;
    try { sessionStorage.setItem(KEY, choice); } catch { /* kept for this page only */ }
    label();
    show();
  }

  films.forEach((film, index) => film && film.addEventListener("playing", () => plays(film, index)));
  const afterPaint = (then) => requestAnimationFrame(() => requestAnimationFrame(then));
  addEventListener("load", () => afterPaint(() => { painted = true; show(); }));
  document.addEventListener("visibilitychange", show);
  less.addEventListener("change", () => { label(); show(); });
  if (films.some(Boolean)) {
    button.hidden = false;
    button.addEventListener("click", () => choose(moving() ? "pause" : "play"));
    label();
  }
  return {
    scenes,
    calm: () => less.matches,
    at: (index) => { current = index; show(); },
    visible: (now) => { seen = now; show(); },
    pause: () => choose("pause"),
    play: () => choose("play"),
  };
})();
