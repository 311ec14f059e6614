/* The embed: a deck turned by buttons, keys or the page around it. Messages to that page:
     {type: "capsule:size", width, height, ratio}   the size it was made for
     {type: "capsule:scene", index, total}          the scene in view, from 0; at first, and after every turn
   and from it, and from nobody else:
     {type: "capsule:go", index}, {type: "capsule:pause"}, {type: "capsule:play"} */
import { pause, play, scenes, setVisible } from "./films.js";
import { offerPlay } from "./play.js";
import { followScenes } from "./scenes.js";

const RATIO = 16 / 9;
const LEAST_HEIGHT = innerWidth > 480 ? 350 : 420; // as in the embed code
const total = scenes.length;
const bars = [...document.querySelectorAll(".progress a")];
const back = document.getElementById("back");
const on = document.getElementById("on");
const deck = document.querySelector(".deck");
let told = null; // by Play: of each scene that is arrived at
const place = document.getElementById("place");

function tell(message) {
  if (parent !== window) parent.postMessage(message, "*");
}

function mark(index) {
  bars.forEach((bar, at) => {
    bar.classList.toggle("done", at < index);
    if (at === index) bar.setAttribute("aria-current", "step");
    else bar.removeAttribute("aria-current");
  });
  const { offsetLeft, parentElement: row } = bars[index]; // a row of many has an inside that moves along
  row.scrollTo(offsetLeft - row.clientWidth / 2, 0);
}

const turn = followScenes(deck, (index) => {
  mark(index);
  told?.();
  back.setAttribute("aria-disabled", index === 0);
  on.setAttribute("aria-disabled", index === total - 1);
  place.textContent = place.dataset.words.replace("{number}", index + 1).replace("{total}", total);
  tell({ type: "capsule:scene", index, total });
});
const sight = new IntersectionObserver((entries) => setVisible(entries[0].intersectionRatio >= 0.5), {
  threshold: [0, 0.5],
});
sight.observe(deck);

told = offerPlay(turn, bars);
bars.forEach((bar, index) => {
  bar.addEventListener("click", (event) => {
    event.preventDefault(); // no step in the history of the page around
    turn.go(index);
  });
});
back.hidden = on.hidden = false;
back.addEventListener("click", () => turn.by(-1));
on.addEventListener("click", () => turn.by(1));

/* Text that is longer than its frame can be scrolled by keyboard too. */
function makeReachable() {
  for (const words of document.querySelectorAll(".words")) {
    if (words.scrollHeight > words.clientHeight + 1) words.tabIndex = 0;
    else words.removeAttribute("tabindex");
  }
}
addEventListener("resize", () => {
  makeReachable();
  turn.stay();
});
document.fonts.ready.then(makeReachable);

addEventListener("message", (event) => {
  if (event.source !== parent || parent === window || typeof event.data !== "object" || !event.data) return;
  const { type, index } = event.data;
  if (type === "capsule:go" && Number.isInteger(index)) turn.go(index);
  if (type === "capsule:pause") pause();
  if (type === "capsule:play") play();
});
tell({ type: "capsule:size", width: 1280, height: 720, ratio: RATIO });
tell({ type: "capsule:scene", index: turn.at(), total });
/* WordPress sizes the frame of a trusted provider by this message. */
const secret = new URLSearchParams(location.hash.replace(/^#\??/, "")).get("secret");
if (secret) tell({ message: "height", value: Math.max(Math.round(innerWidth / RATIO), LEAST_HEIGHT), secret });
