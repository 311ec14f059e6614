/* Which scene is in view, in the reader and in the embed: the one where the page stands, or the one that a key or a
   button leads to, until the page stands there. So they add up, however quick. */
import { isCalm, scenes, show } from "./films.js";

const onward = document.dir === "rtl" ? -1 : 1; // where the next scene is, for the arrow to the right
const NOTCH = 50; // pixels that a wheel has to turn for the next scene
const REST = 100; // milliseconds without a move until a wheel rests
const PATIENCE = 1500; // milliseconds, for browsers that do not tell when a scroll has ended

/** Whether it begins at the window's edge, or `below` it by so much: of a high scene its end may be looked for. */
function isThere(scene, below = 0) {
  const { left, top } = scene.getBoundingClientRect();
  return Math.abs(left) < 2 && Math.abs(top - below) < 2;
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
  let below = 0; // where its top will be in the window
  let patience = 0;
  let rest = 0;
  let turned = 0; // pixels, since a wheel rested last; 1 and -1 are a key's, which leads away from nothing unread
  let flown = null; // the turn that it met on its way, which a light touch does not end
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
      top: scene.offsetTop - first.offsetTop - below,
      behavior,
    });
  }
  function go(index, atItsEnd = false) {
    const moves = Boolean(target);
    arrive(Math.max(0, Math.min(scenes.length - 1, index)));
    target = scenes[current];
    below = atItsEnd ? Math.min(0, innerHeight - target.offsetHeight) : 0;
    if (!moves && isThere(target, below)) return letGo();
    if (isCalm()) target.querySelector(".stage").animate({ opacity: [0, 1] }, 250); // it fades in; none slides
    scroller.style.scrollSnapType = "none"; // when a picture comes late, the browser would snap back to where it was
    move(target, isCalm() ? "instant" : "smooth");
    clearTimeout(patience);
    patience = setTimeout(stand, PATIENCE);
  }
  function stand() {
    if (target && !isThere(target, below)) move(target, "instant"); // one key cut the way of another short
    letGo();
    if (!rest) note();
  }
  function letGo() {
    clearTimeout(patience);
    [target, below] = [null, 0];
    if (!rest) scroller.style.scrollSnapType = "";
  }
  function byHand(event) {
    pointer = event.pointerType ?? pointer;
    if (!target || event.target.closest?.("button")) return;
    letGo(); // from now on the page goes where the reader moves it
    look();
  }
  function onWheel(event) {
    const met = target && [current, below < 0];
    byHand(event);
    const isOurs = !event.ctrlKey && !event.target.closest?.(".sheet"); // zooms, and sheets, may move the page as well
    if (scroller === document.documentElement) turn(isOurs ? event.deltaY : 0, met);
  }
  /** A wheel turns, or a key scrolls within a high scene: once it rests, no two scenes are left half in the window. */
  function turn(pixels, met = null) {
    if (!rest) [turned, flown] = [0, met];
    turned += pixels;
    scroller.style.scrollSnapType = "none";
    settleSoon();
  }
  function settleSoon() {
    clearTimeout(rest);
    rest = setTimeout(settle, REST);
  }
  function settle() {
    rest = 0;
    if (flown && Math.abs(turned) < NOTCH) go(...flown);
    else if (turned < 0) settleUp();
    else settleDown();
    note();
  }
  /** On to the scene that begins in the window; or back to the end of the one before it, which was not read yet. */
  function settleDown() {
    const next = scenes.findIndex((scene) => scene.getBoundingClientRect().top > 2);
    const { top } = scenes[next]?.getBoundingClientRect() ?? { top: Infinity };
    if (top > innerHeight + 2) return;
    if ((turned >= NOTCH && seen.bottom) || (turned !== 1 && top < innerHeight / 2)) go(next);
    else scroller.scrollBy({ top: top - innerHeight });
  }
  /** Back to the end of the scene that ends in the window; or on to the beginning of the one behind it. */
  function settleUp() {
    const behind = scenes.findIndex((scene) => scene.getBoundingClientRect().top >= -2);
    const top = scenes[behind]?.getBoundingClientRect().top ?? Infinity;
    if (behind < 1 || top > innerHeight - 2) return;
    if ((turned <= -NOTCH && seen.top) || (turned !== -1 && top > innerHeight / 2)) go(behind - 1, true);
    else go(behind);
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

  const down = () => (ends("bottom") ? current + 1 : null);
  const up = () => (ends("top") ? current - 1 : null);
  const keys = {
    ArrowDown: down,
    ArrowUp: up,
    PageDown: down,
    PageUp: up,
    " ": down,
    "Shift ": up,
    ArrowRight: () => current + onward,
    ArrowLeft: () => current - onward,
    Home: () => 0,
    End: () => scenes.length - 1,
  };
  function onKey(event) {
    const { key, shiftKey, target: at } = event;
    const pressed = shiftKey && key === " " ? "Shift " : key;
    if (key === "Shift" || event.defaultPrevented) return;
    const typing =
      at.closest("input, textarea, select, [contenteditable]") || (key === " " && at.closest("button, summary"));
    const modified = event.ctrlKey || event.metaKey || event.altKey || (shiftKey && key !== " ");
    if (typing || modified || !keys[pressed]) return byHand(event);
    if (document.querySelector(".sheet:popover-open")) return;
    const index = keys[pressed]();
    if (index === null) {
      byHand(event); // the browser scrolls on in a scene that is higher than the window
      return turn(keys[pressed] === down ? 1 : -1);
    }
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
    else scroller.scrollBy({ top: side * innerHeight * 0.8 }); // as html says in reader.css
  }
  function onScrollEnd({ target: what }) {
    if (what === scroller || what === document) stand();
  }
  addEventListener("scroll", look, { capture: true, passive: true });
  addEventListener("scrollend", onScrollEnd, { capture: true });
  addEventListener("wheel", onWheel, { passive: true });
  for (const hand of ["touchstart", "pointerdown"]) addEventListener(hand, byHand, { passive: true });
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
