/* Tells what is read: a view of a second, and scenes that stood in the middle for half a second. */
const { to, bake, edition, surface } = document.querySelector("script[data-to]").dataset;
const scenes = [...document.querySelectorAll(".scene")];
const root = surface === "embed" ? document.querySelector("main") : null;
let isInSight = !root;
let isOpened = false;
let reached = [];
let middle = 0; // the scene, from 1
let opening = 0;
let reaching = 0;

function tell(more) {
  const s = /[?&]from=mail(&|$)/.test(location.search) ? "mail" : surface;
  const h = document.referrer.split("/")[2] ?? "";
  navigator.sendBeacon(to, new URLSearchParams({ b: bake, e: edition, s, h, k: reached, ...more }));
  reached = [];
}
function open() {
  isOpened = true;
  tell({ o: 1 });
}
function reach() {
  if (!middle || document.hidden || !isInSight) return;
  sight.unobserve(scenes[middle - 1]);
  reached.push(middle);
  middle = 0;
}
function follow() {
  clearTimeout(reaching);
  reaching = setTimeout(reach, 500);
}
function look() {
  clearTimeout(opening);
  follow();
  if (isOpened && reached.length) tell();
  else if (isInSight && !document.hidden && !isOpened) opening = setTimeout(open, 1000);
}

const sight = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const number = scenes.indexOf(target) + 1;
      if (isIntersecting) middle = number;
      else if (middle === number) middle = 0;
    }
    follow();
  },
  { root, rootMargin: "-50%" },
);
for (const scene of scenes) sight.observe(scene);
if (root) {
  new IntersectionObserver(
    ([entry]) => {
      isInSight = entry.intersectionRatio >= 0.5;
      look();
    },
    { threshold: 0.5 },
  ).observe(root);
}
document.addEventListener("visibilitychange", look);
look();
