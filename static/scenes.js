/* Which scene is in view, in the reader and in the embed: the one where the page stands, or the one that a key or a
   button leads to, until the page stands there. So they add up, however quick. */
import { isCalm, scenes, show } from "./films.js";

const PATIENCE = 1500; // milliseconds, for browsers that do not tell when a scroll has ended

function isThere(scene) {
  const { left, top } = scene.getBoundingClientRect();
  return Math.abs(left) < 2 && Math.abs(top) < 2;
}

function sceneInTheMiddle() {
  const x = innerWidth / 2;
  const y = innerHeight / 2;
  return scenes.findIndex((scene) => {
    const { left, right, top, bottom } = scene.getBoundingClientRect();
    return left <= x && x < right && top <= y && y < bottom;
  });
}

/** Calls `arrived(index)` for each scene that `scroller` comes to; returns what turns to another one. */
export function followScenes(scroller, arrived) {
  let current = 0;
  let target = null;
  let patience = 0;

  function arrive(index) {
    if (index === current) return;
    current = index;
    show(index);
    arrived(index);
  }
  function look() {
    if (target) return;
    const place = sceneInTheMiddle();
    if (place >= 0) arrive(place);
  }
  function move(scene, behavior) {
    const [first] = scenes;
    scroller.scrollTo({
      left: scene.offsetLeft - first.offsetLeft,
      top: scene.offsetTop - first.offsetTop,
      behavior,
    });
  }
  function go(index) {
    const moves = Boolean(target);
    arrive(Math.max(0, Math.min(scenes.length - 1, index)));
    target = scenes[current];
    if (!moves && isThere(target)) return letGo();
    scroller.style.scrollSnapType = "none"; // when a picture comes late, the browser would snap back to where it was
    move(target, isCalm() ? "instant" : "smooth");
    clearTimeout(patience);
    patience = setTimeout(stand, PATIENCE);
  }
  function stand() {
    if (target && !isThere(target)) move(target, "instant"); // one key cut the way of another short
    letGo();
  }
  function letGo() {
    clearTimeout(patience);
    target = null;
    scroller.style.scrollSnapType = "";
  }
  function byHand(event) {
    // From now on the page goes where the reader moves it.
    if (!target || event.target.closest?.("button")) return;
    letGo();
    look();
  }

  const keys = {
    ArrowRight: () => current + 1,
    ArrowLeft: () => current - 1,
    Home: () => 0,
    End: () => scenes.length - 1,
  };
  function onKey(event) {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    const modified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (typing || modified || !keys[event.key]) return byHand(event);
    if (document.querySelector(".sheet:popover-open")) return;
    event.preventDefault();
    go(keys[event.key]());
  }
  function onScrollEnd({ target: what }) {
    if (what === scroller || what === document) stand();
  }
  addEventListener("scroll", look, { capture: true, passive: true });
  addEventListener("scrollend", onScrollEnd, { capture: true });
  for (const hand of ["wheel", "touchstart", "pointerdown"]) addEventListener(hand, byHand, { passive: true });
  addEventListener("keydown", onKey);

  show(current);
  look();
  return {
    go,
    at: () => current,
    by: (steps) => go(current + steps),
    stay: () => move(scenes[current], "instant"),
  };
}
