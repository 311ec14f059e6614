/* The embed: a deck turned by buttons, keys or the page around it. Messages to that page:
     {type: "capsule:size", width, height, ratio}   the size it was made for
     {type: "capsule:scene", index, total}          the scene in view, from 0; at first, and after every turn
   and from it, and from nobody else:
     {type: "capsule:go", index}, {type: "capsule:pause"}, {type: "capsule:play"} */
import { pause, play, scenes, setVisible } from "./films.js";
import { followScenes } from "./scenes.js";

const RATIO = 16 / 9;
const LEAST_HEIGHT = innerWidth > 480 ? 350 : 420; // as in the embed code
const total = scenes.length;
const bars = [...document.querySelectorAll(".progress i")];
const back = document.getElementById("back");
const on = document.getElementById("on");
const deck = document.querySelector(".deck");

function tell(message) {
  if (parent !== window) parent.postMessage(message, "*");
}

const turn = followScenes(deck, (index) => {
  bars.forEach((bar, place) => {
    bar.classList.toggle("done", place <= index);
  });
  back.setAttribute("aria-disabled", index === 0);
  on.setAttribute("aria-disabled", index === total - 1);
  document.getElementById("place").textContent = `Scene ${index + 1} of ${total}`;
  tell({ type: "capsule:scene", index, total });
});
const sight = new IntersectionObserver((entries) => setVisible(entries[0].intersectionRatio >= 0.5), {
  threshold: [0, 0.5],
});
sight.observe(deck);

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
