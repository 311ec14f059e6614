/* Ordering by mouse and by finger: where a scene is let go, and what makes a drag a drag. */

import { drag } from "/static/studio/drag.js";
import { holds, pause, same, test, until } from "./runner.js";

const around = document.body.appendChild(document.createElement("div"));
around.style.cssText = "position: fixed; top: 0; left: 0; width: 100px; height: 200px; overflow: auto";
around.innerHTML = `<ol style="margin: 0; padding: 0; display: flex; flex-direction: column">${"<li></li>".repeat(8)}</ol>`;
const [list] = around.children;
for (const item of list.children) item.style.cssText = "flex: none; height: 50px; width: 100px";
const items = [...list.children];
const before = () => items.findIndex((item) => item.classList.contains("drop-before"));
const isDragged = () => items.some((item) => item.classList.contains("dragging"));

const pointer = (type, clientY, more = {}) =>
  new PointerEvent(type, { clientX: 50, clientY, isPrimary: true, pointerType: "mouse", cancelable: true, ...more });
const frame = () => new Promise(requestAnimationFrame);
const twoFrames = () => frame().then(frame);
const at = (type, clientY, more) => dispatchEvent(pointer(type, clientY, more));

/** Takes hold of the first scene; what is dropped is kept. */
function hold(more) {
  const places = [];
  drag(pointer("pointerdown", 25, more), items[0], (place) => places.push(place));
  return places;
}

test("a mouse drags at once; where it would fall is marked, and only there it falls", () => {
  const places = hold();
  at("pointermove", 30);
  same([isDragged(), before()], [false, -1]);
  at("pointermove", 60);
  same([isDragged(), before()], [true, 1]);
  at("pointermove", 80);
  same(before(), 2);
  at("pointermove", 130);
  same([before(), list.classList.contains("drop-at-end")], [3, false]);
  at("pointerup", 130);
  same([places, isDragged(), before()], [[2], false, -1]);
  at("pointermove", 60);
  at("pointerup", 60);
  same([places, isDragged()], [[2], false]);
});

test("behind the last scene is a place too", () => {
  const places = hold();
  at("pointermove", 999);
  same(list.classList.contains("drop-at-end"), true);
  at("pointerup", 999);
  same([places, list.classList.contains("drop-at-end")], [[7], false]);
});

test("a click is no drag, nor is what another button or a second finger does", () => {
  const click = hold();
  at("pointerup", 25);
  const right = hold({ button: 2 });
  at("pointermove", 90);
  at("pointerup", 90);
  const second = hold({ isPrimary: false });
  at("pointermove", 90);
  at("pointerup", 90);
  same([click, right, second], [[], [], []]);
});

test("Escape puts everything back, and so does a pointer that is taken away", () => {
  for (const end of [new KeyboardEvent("keydown", { key: "Escape" }), pointer("pointercancel", 90)]) {
    const places = hold();
    at("pointermove", 90);
    dispatchEvent(new KeyboardEvent("keydown", { key: "a" }));
    holds(isDragged());
    dispatchEvent(end);
    same([isDragged(), before()], [false, -1]);
    at("pointerup", 90);
    same(places, []);
  }
});

const touch = { pointerType: "touch" };
const scrolls = () => dispatchEvent(new Event("touchmove", { cancelable: true }));

test("a finger drags after a rest, and scrolls no more then; one that moves at once scrolls", async () => {
  const shakes = [];
  Object.defineProperty(navigator, "vibrate", { value: (ms) => shakes.push(ms), configurable: true });
  const scrolling = hold(touch);
  at("pointermove", 90, touch);
  await pause(350);
  at("pointermove", 130, touch);
  at("pointerup", 130, touch);
  same([scrolling, isDragged()], [[], false]);
  const resting = hold(touch);
  await pause(350);
  at("pointerup", 25, touch); // let go where it was taken up
  same([resting, shakes.splice(0)], [[], [10]]);
  const dragging = hold(touch);
  same([scrolls(), items[0].dispatchEvent(new Event("contextmenu", { cancelable: true }))], [true, false]);
  await pause(350);
  holds(isDragged());
  same(scrolls(), false);
  at("pointermove", 80, touch);
  at("pointerup", 80, touch);
  same([dragging, scrolls()], [[1], true]);
  same(items[0].dispatchEvent(new Event("contextmenu", { cancelable: true })), true);
  shakes.length = 0;
  hold();
  at("pointermove", 90);
  at("pointerup", 90);
  delete navigator.vibrate;
  same(shakes, []); // a mouse needs none
});

test("near an end of the strip it scrolls by itself, and the place goes along", async () => {
  const places = hold();
  at("pointermove", 190);
  const first = before();
  await until(() => around.scrollTop > 20 && before() !== first);
  at("pointermove", 100);
  const still = around.scrollTop;
  await twoFrames();
  same(around.scrollTop, still);
  at("pointermove", 10);
  await until(() => around.scrollTop === 0);
  at("pointerup", 10);
  same(places, [0]);
  at("pointermove", 190);
  await twoFrames();
  same(around.scrollTop, 0);
});

test("a row is ordered from left to right", () => {
  list.style.flexDirection = "row";
  list.style.height = "50px";
  const places = hold();
  at("pointermove", 25, { clientX: 90 });
  same(before(), 1);
  at("pointermove", 25, { clientX: 180 });
  same(before(), 2);
  at("pointerup", 25, { clientX: 180 });
  same(places, [1]);
});
