/* Which scene is in view, in the reader and in the embed: the one where the page stands, or the one that a key or a
   button leads to, until the page stands there. So they add up, however quick. */
"use strict";
function followScenes(scroller, arrived) {
  const { scenes } = Films;
  let current = 0, target = null, patience = 0;

  function arrive(index) {
    if (index === current) return;
    current = index;
    Films.at(index);
    arrived(index);
  }
  function look() {
    if (target) return;
    const x = innerWidth / 2, y = innerHeight / 2;
    const place = scenes.findIndex((scene) => {
      const { left, right, top, bottom } = scene.getBoundingClientRect();
      return left <= x && x < right && top <= y && y < bottom;
    });
    if (place >= 0) arrive(place);
  }

  const isThere = (scene) => {
    const { left, top } = scene.getBoundingClientRect();
    return Math.abs(left) < 2 && Math.abs(top) < 2;
  };
  function move(scene, behavior) {
    const [first] = scenes;
    scroller.scrollTo({ left: scene.offsetLeft - first.offsetLeft, top: scene.offsetTop - first.offsetTop, behavior });
  }
  function go(index) {
    const moves = Boolean(target);
    arrive(Math.max(0, Math.min(scenes.length - 1, index)));
    target = scenes[current];
    if (!moves && isThere(target)) return letGo();
    scroller.style.scrollSnapType = "none"; // when a picture comes late, the browser would snap back to where it was
    move(target, Films.calm() ? "instant" : "smooth");
    clearTimeout(patience);
    patience = setTimeout(stand, 1500); // for browsers that do not tell when they stand
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
  function byHand(event) { // from now on the page goes where the reader moves it
    if (!target || event.target.closest("button")) return;
    letGo();
    look();
  }
  addEventListener("scroll", look, { capture: true, passive: true });
  addEventListener("scrollend", ({ target: what }) => { if (what === scroller || what === document) stand(); }, { capture: true });
  for (const hand of ["wheel", "touchstart", "pointerdown"]) addEventListener(hand, byHand, { passive: true });

  const keys = { ArrowRight: () => current + 1, ArrowLeft: () => current - 1, Home: () => 0, End: () => scenes.length - 1 };
  addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !keys[event.key]) return byHand(event);
    if (document.querySelector(".sheet:popover-open")) return;
    event.preventDefault();
    go(keys[event.key]());
  });

  Films.at(current);
  look();
  return { go, at: () => current, by: (steps) => go(current + steps), stay: () => move(scenes[current], "instant") };
}
