/* Play: the page goes on by itself, each scene as long as its words take to read (data-seconds). What the reader does,
   a key, a finger, the wheel, stops it; a tab that nobody sees waits. */
import { isCalm, isWatched, scenes } from "./films.js";

const BEAT = 200; // milliseconds
const PART = 0.8; // of a window: a scene that is higher than it goes on by this

/** How many windows high a scene is, and what scrolls in it: in an embed its words do. */
function measure(scene) {
  const inner = scene.closest(".deck") && scene.querySelector(".words");
  const [whole, window] = inner ? [inner.scrollHeight, inner.clientHeight] : [scene.offsetHeight, innerHeight];
  const rest = inner ? whole : scene.getBoundingClientRect().bottom - innerHeight;
  const parts = 1 + Math.ceil(Math.max(0, whole - window - 4) / window / PART);
  return { box: inner || document.documentElement, parts, step: Math.min(window * PART, rest) };
}

/** Turns `turn`, of scenes.js, as long as the button of Play is on; `marks` of the scenes show their time. Returns what
    is to be told of each scene that is arrived at. */
export function offerPlay(turn, marks) {
  const button = document.getElementById("play");
  let time = null;
  let beat = 0;
  let part = 1;

  function begin() {
    time?.cancel();
    part = 1;
    const frames = isCalm() ? { opacity: [0, 1], scale: "1" } : { scale: ["var(--begun)", "1"] };
    const duration = scenes[turn.at()].dataset.seconds * 1000;
    time = marks[turn.at()].animate(frames, { duration, fill: "forwards", pseudoElement: "::after" });
  }
  function look() {
    const { progress } = time.effect.getComputedTiming();
    if (!isWatched()) time.pause();
    else if (progress < 1) time.play();
    else if (turn.at() === scenes.length - 1) turnTo(false);
    else turn.by(1);
    const { box, parts, step } = measure(scenes[turn.at()]);
    if (!time || progress === 1 || progress * parts < part) return;
    part += 1;
    box.scrollBy({ top: step, behavior: isCalm() ? "instant" : "smooth" });
  }
  function turnTo(on) {
    clearInterval(beat);
    time?.cancel();
    time = null;
    if (on) begin();
    if (on) beat = setInterval(look, BEAT);
    document.documentElement.classList.toggle("plays", on);
    button.querySelector("use").setAttribute("href", on ? "#icon-stop" : "#icon-story");
    button.querySelector("span").textContent = on ? button.dataset.stop : button.dataset.play;
  }
  function stop(event) {
    if (!time) return;
    const presses = !event.key || event.key === " " || event.key === "Enter";
    if (presses && event.type !== "wheel" && event.target.closest?.("#play")) return; // its click is on its way
    if (event.key === " ") event.preventDefault(); // a pause, as in films: the page stays where it is
    turnTo(false);
  }
  for (const hand of ["pointerdown", "touchstart", "wheel", "focusin"]) {
    addEventListener(hand, stop, { passive: true });
  }
  addEventListener("keydown", stop, { capture: true }); // before a key leads to another scene
  document.addEventListener("visibilitychange", () => time && look());
  button.addEventListener("click", () => turnTo(!time));
  button.hidden = false;
  return () => time && begin();
}
