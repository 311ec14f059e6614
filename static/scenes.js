/* Which scene is in view, in the reader and in the embed: the one where the page stands, or the one that a key or a
   button leads to, until the page stands there. So they add up, however quick. */
import { isCalm, scenes, show } from "./films.js";

const onward = document.dir === "rtl" ? -1 : 1; // where the next scene is, for the arrow to the right
const NOTCH = 50; // pixels: less is a step of a trackpad, at whose end the browser itself snaps
const REST = 100; // milliseconds without a move until a wheel rests
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
  let rest = 0;
  let isDown = true; // the way of the wheel
  let seen = { top: true, bottom: true }; // which ends of its scene were in the window when the page last stood still
  let pointer = ""; // of the last press: a click of Safari before 18.2 does not tell

  function arrive(index) {
    if (index === current) return;
    current = index;
    show(index);
    arrived(index);
  }
  function look() {
    if (rest) settleSoon();
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
    if (isCalm()) target.querySelector(".stage").animate({ opacity: [0, 1] }, 250); // it fades in; none slides
    scroller.style.scrollSnapType = "none"; // when a picture comes late, the browser would snap back to where it was
    move(target, isCalm() ? "instant" : "smooth");
    clearTimeout(patience);
    patience = setTimeout(stand, PATIENCE);
  }
  function stand() {
    if (target && !isThere(target)) move(target, "instant"); // one key cut the way of another short
    letGo();
    if (!rest) note();
  }
  function letGo() {
    clearTimeout(patience);
    target = null;
    if (!rest) scroller.style.scrollSnapType = "";
  }
  function byHand(event) {
    // From now on the page goes where the reader moves it.
    if (!target || event.target.closest?.("button")) return;
    letGo();
    look();
  }

  /** From a notch of a wheel, a ninth of a window, the browser would snap back. So the page goes on the way it went. */
  function onWheel(event) {
    byHand(event);
    if (event.target.closest?.(".sheet") || event.ctrlKey || Math.abs(event.deltaY) < NOTCH) return;
    scroller.style.scrollSnapType = "none";
    isDown = event.deltaY > 0;
    settleSoon();
  }
  function settleSoon() {
    clearTimeout(rest);
    rest = setTimeout(settle, REST);
  }
  function settle() {
    rest = 0;
    const places = scenes.map((scene) => scene.getBoundingClientRect());
    const next = isDown
      ? places.findIndex(({ top }) => top > 2)
      : places.findLastIndex(({ top, bottom }) => top < -2 && bottom < innerHeight - 2);
    const { top = Infinity, bottom = 0, height = 0 } = places[next] ?? {};
    // From a scene whose end comes into view by it nobody is led away before that is read.
    const least = seen[isDown ? "bottom" : "top"] ? -2 : innerHeight / 2;
    if (height <= innerHeight + 2 && (isDown ? innerHeight - top : bottom) >= least) go(next);
    note();
  }
  function note() {
    seen = { top: ends("top"), bottom: ends("bottom") };
  }

  /** Whether nothing of the current scene lies beyond this edge of the window, so that the next step leaves it. */
  function ends(edge) {
    const scene = scenes[current];
    const words = scene.closest(".deck") && scene.querySelector(".words"); // an embed's scroll by themselves
    if (words && words.scrollHeight > words.clientHeight + 2) return false;
    if (target && scene.offsetHeight <= innerHeight + 2) return true;
    const { top, bottom } = scene.getBoundingClientRect();
    return edge === "bottom" ? bottom <= innerHeight + 2 : top >= -2;
  }

  const keys = {
    ArrowDown: () => (ends("bottom") ? current + 1 : null),
    ArrowUp: () => (ends("top") ? current - 1 : null),
    ArrowRight: () => current + onward,
    ArrowLeft: () => current - onward,
    Home: () => 0,
    End: () => scenes.length - 1,
  };
  function onKey(event) {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    const modified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (typing || modified || !keys[event.key]) return byHand(event);
    if (document.querySelector(".sheet:popover-open")) return;
    const index = keys[event.key]();
    if (index === null) return byHand(event); // the browser scrolls on in a scene that is higher than the window
    event.preventDefault();
    go(index);
  }
  /** A finger's tap on the right third leads on, on the left third back; in a high scene a part of it first. */
  function onTap(event) {
    if (pointer !== "touch" || event.defaultPrevented || !getSelection().isCollapsed) return;
    const scene = event.target.closest(".scene");
    const pressed = event.target.closest("a, button, input, label, summary, [popover]");
    if (!scene || scene.dataset.scene || pressed || document.querySelector(".sheet:popover-open")) return;
    const side = event.clientX > (innerWidth * 2) / 3 ? onward : event.clientX < innerWidth / 3 ? -onward : 0;
    if (!side) return;
    if (ends(side > 0 ? "bottom" : "top") || scene.closest(".deck")) go(current + side);
    else scroller.scrollBy({ top: side * innerHeight * 0.8, behavior: isCalm() ? "instant" : "smooth" });
  }
  function onScrollEnd({ target: what }) {
    if (what === scroller || what === document) stand();
  }
  addEventListener("scroll", look, { capture: true, passive: true });
  addEventListener("scrollend", onScrollEnd, { capture: true });
  addEventListener("wheel", onWheel, { passive: true });
  for (const hand of ["touchstart", "pointerdown"]) addEventListener(hand, byHand, { passive: true });
  addEventListener("pointerdown", (event) => {
    pointer = event.pointerType;
  });
  addEventListener("keydown", onKey);
  addEventListener("click", onTap);

  show(current);
  look();
  return {
    go,
    at: () => current,
    by: (steps) => go(current + steps),
    stay: () => move(scenes[current], "instant"),
  };
}
