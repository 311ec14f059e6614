/* What readers meet: which scene is in view and which moves, keys, fingers, sharing, and the frame in another page. */

import { hide, hurry, opened, press, rail, scene, tools } from "./framed.js";
import { holds, pause, same, test, until } from "./runner.js";

const toast = `<p class="toast" popover="manual" data-copied="Copied" data-refused="Refused" data-failed="Failed"></p>`;
const ways = (scenes, more = "") =>
  `${rail(scenes.length)}${tools}<main>${scenes.map((each, at) => scene(at + 1, each)).join("")}</main>${toast}${more}`;
const FILMS = [{ moves: "film" }, { moves: "film" }, { moves: "camera" }, {}];

const reader = (scenes = [{}, {}, {}, {}], { more, calm = true, ...options } = {}) =>
  opened("/static/reader.js", ways(scenes, more), {
    ...options,
    before(here) {
      here.heard.less.matches = calm;
      options.before?.(here);
    },
  });
const current = ({ all }) => all(".rail a").flatMap((link, at) => (link.hasAttribute("aria-current") ? [at + 1] : []));
const playing = ({ all }) =>
  all("video, .camera").flatMap((each) => (isPlaying(each) ? [each.closest(".scene").id.slice(-1)] : []));
const isPlaying = (each) => (each.localName === "video" ? !each.paused : each.classList.contains("playing"));

// --- films.js

test("only the scene in view moves, and the film that follows is fetched once it plays", async () => {
  const tab = await reader(FILMS, { calm: false });
  await until(() => playing(tab).join() === "1");
  const [first, second] = tab.all("video");
  same([second.preload === "auto", first.closest(".shot").className.trim()], [false, "shot"]);
  first.dispatchEvent(new tab.here.Event("playing"));
  same(second.preload, "auto");
  holds(!tab.find(".filmed"), "the film is not drawn yet");
  tab.here.heard.frames[0]();
  holds(first.closest(".filmed"));
  press(tab.here, "ArrowRight");
  await until(() => playing(tab).join() === "2");
  press(tab.here, "ArrowRight");
  await until(() => playing(tab).join() === "3");
  press(tab.here, "End");
  await until(() => playing(tab).join() === "");
});

test("a browser that does not tell of drawn frames shows a film as it begins to play", async () => {
  const tab = await reader(FILMS, {
    calm: false,
    before: (here) => {
      delete here.HTMLVideoElement.prototype.requestVideoFrameCallback;
    },
  });
  tab.find("video").dispatchEvent(new tab.here.Event("playing"));
  holds(tab.find("#scene-1 .filmed"));
});

test("a film that the browser does not let play leaves its still", async () => {
  const tab = await reader(FILMS, { calm: false, before: (here) => Object.assign(here.heard, { refuses: true }) });
  tab.find("#scene-1 .shot").classList.add("filmed");
  await until(() => !tab.find(".filmed"));
});

const saves = (here, saveData) => Object.defineProperty(here.navigator, "connection", { value: { saveData } });

test("nothing moves before Play is pressed for who asked for less motion or whose data is dear", async () => {
  for (const [calm, dear] of [
    [true, false],
    [false, true],
  ]) {
    const tab = await reader(FILMS, { calm, before: (here) => saves(here, dear) });
    await tab.drawn();
    await tab.drawn();
    same(playing(tab), []);
    const button = tab.find("#motion");
    same([button.hidden, button.textContent.trim()], [false, "play"]);
    same(button.querySelector("use").getAttribute("href"), "#icon-play");
    button.click();
    same([playing(tab), button.textContent.trim()], [["1"], "pause"]);
    same(button.querySelector("use").getAttribute("href"), "#icon-pause");
    same(tab.here.sessionStorage.getItem("motion"), "play");
    tab.here.sessionStorage.clear();
  }
});

test("what was chosen holds for the next page of this tab, whatever the system asks for", async () => {
  let tab = await reader(FILMS, { calm: false });
  await until(() => playing(tab).length);
  tab.find("#motion").click();
  same(playing(tab), []);
  tab = await reader(FILMS, { calm: false });
  same(tab.find("#motion").textContent.trim(), "play");
  await tab.drawn();
  await tab.drawn();
  same(playing(tab), []);
  tab.here.sessionStorage.clear();
});

test("a frame without storage moves, and a choice holds on its page", async () => {
  const tab = await reader(FILMS, {
    calm: false,
    before: (here) =>
      Object.defineProperty(here, "sessionStorage", {
        get() {
          throw new Error("sandboxed");
        },
      }),
  });
  await until(() => playing(tab).length);
  tab.find("#motion").click();
  same(playing(tab), []);
});

test("what moves rests while nobody sees the page, and stops once the system asks for less motion", async () => {
  const tab = await reader(FILMS, { calm: false });
  await until(() => playing(tab).length);
  hide(tab.here, true);
  same(playing(tab), []);
  hide(tab.here, false);
  same(playing(tab), ["1"]);
  tab.here.heard.less.matches = true;
  tab.here.heard.less.dispatchEvent(new Event("change"));
  same([playing(tab), tab.find("#motion").textContent.trim()], [[], "play"]);
});

test("where nothing moves, no button says so", async () => {
  const tab = await reader([{}, {}]);
  holds(tab.find("#motion").hidden);
});

test("the camera waits for its picture", async () => {
  const tab = await reader([{ moves: "camera" }, {}], {
    calm: false,
    before: (here) => {
      here.document.querySelector(".camera img").src = "data:,";
      Object.defineProperty(here.HTMLImageElement.prototype, "complete", { get: () => here.isThere ?? false });
    },
  });
  await tab.drawn();
  await tab.drawn();
  same(playing(tab), []);
  tab.here.isThere = true;
  tab.find(".camera img").dispatchEvent(new tab.here.Event("load"));
  same(playing(tab), ["1"]);
  press(tab.here, "ArrowRight");
  same(playing(tab), []);
});

// --- scenes.js

test("arrows, Home and End are the page's, and one mark of the rail is the current one", async () => {
  const tab = await reader();
  const found = [];
  for (const key of ["ArrowRight", "ArrowDown", "End", "ArrowLeft", "ArrowUp", "Home", "ArrowLeft", "PageDown", " "]) {
    holds(press(tab.here, key), key);
    found.push(current(tab).join());
  }
  same(found, ["2", "3", "4", "3", "2", "1", "1", "2", "3"]);
  const space = new tab.here.KeyboardEvent("keydown", { key: " ", bubbles: true, cancelable: true });
  holds(tab.find("#play").dispatchEvent(space), "which presses the button");
  same(current(tab), [3]);
  for (const key of ["Tab", "a", "Shift"]) holds(!press(tab.here, key), key);
});

test("keys add up while a turn is on its way, and the page tells which scene a hand has led to", async () => {
  const tab = await reader(undefined, { calm: false });
  press(tab.here, "ArrowDown");
  press(tab.here, "ArrowDown");
  same(current(tab), [3]);
  press(tab.here, "ArrowUp");
  press(tab.here, "ArrowUp");
  same(current(tab), [1]);
  const other = await reader();
  other.here.scrollTo({ top: other.find("#scene-2").offsetTop, behavior: "instant" });
  await until(() => current(other).join() === "2");
});

test("a key that scrolls by itself ends the turn that is on its way", async () => {
  const tab = await reader([{ high: true }, { high: true }]);
  press(tab.here, "ArrowRight");
  const top = tab.find("#scene-2").offsetTop;
  await until(() => tab.here.scrollY === top);
  for (const key of ["PageDown", "ArrowDown"]) {
    tab.here.scrollTo({ top: top + 50, behavior: "instant" }); // as the browser would
    holds(!press(tab.here, key), key);
    await new Promise((then) => setTimeout(then, 300));
    same(tab.here.scrollY, top + 50);
  }
});

test("from right to left the arrow to the left leads on", async () => {
  const tab = await reader(undefined, { before: (here) => Object.assign(here.document, { dir: "rtl" }) });
  press(tab.here, "ArrowLeft");
  same(current(tab), [2]);
  press(tab.here, "ArrowRight");
  same(current(tab), [1]);
});

test("keys of a field are its own, and so are all keys while a sheet is open", async () => {
  const fields = `<input><textarea></textarea><select></select><p contenteditable tabindex="0"></p>
    <div class="sheet" popover></div>`;
  const tab = await reader(undefined, { more: fields });
  for (const field of tab.all("input, textarea, select, [contenteditable]")) {
    holds(!press(tab.here, "ArrowRight", {}, field), field.localName);
  }
  tab.find(".sheet").showPopover();
  holds(!press(tab.here, "ArrowRight"));
  same(current(tab), [1]);
  tab.find(".sheet").hidePopover();
  holds(press(tab.here, "ArrowRight"));
});

test("in a scene that is higher than the window the browser scrolls, until its foot is there", async () => {
  const tab = await reader([{ high: true }, { high: true }]);
  holds(!press(tab.here, "ArrowDown"));
  tab.here.scrollTo(0, tab.find(".scene").offsetHeight - tab.here.innerHeight);
  holds(press(tab.here, "ArrowDown"));
  await until(() => current(tab).join() === "2" && tab.here.scrollY === tab.find("#scene-2").offsetTop);
  await pause(300);
  tab.here.scrollBy(0, 100);
  await tab.drawn();
  holds(!press(tab.here, "ArrowUp"));
  tab.here.scrollBy(0, -100);
  await tab.drawn();
  holds(press(tab.here, "ArrowUp"));
});

function tap(tab, x, target = tab.find(`#scene-${current(tab)[0]} .text`), pointerType = "touch") {
  const { PointerEvent, MouseEvent } = tab.here;
  target.dispatchEvent(new PointerEvent("pointerdown", { pointerType, bubbles: true }));
  target.dispatchEvent(new MouseEvent("click", { clientX: x, clientY: 200, bubbles: true, cancelable: true }));
  return current(tab)[0];
}

test("a finger's tap on a side leads on or back, and nowhere else", async () => {
  const tab = await reader();
  same([tap(tab, 500), tap(tab, 500), tap(tab, 300), tap(tab, 100)], [2, 3, 3, 2]);
  same(tap(tab, 500, undefined, "mouse"), 2);
});

test("a tap is none of these: on what can be pressed, at a selection, beside a sheet, and in the editor's stage", async () => {
  const pressed = `<a href="#">a</a><button>b</button><input><label>l</label><details><summary>s</summary></details>
    <div popover="manual" id="box">p</div>`;
  const tab = await reader(undefined, { more: `<div class="sheet" popover="manual">s</div>` });
  tab.find("#scene-1 .text").innerHTML = `Words ${pressed}`;
  tab.find("#box").showPopover();
  for (const each of tab.all("#scene-1 :is(a, button, input, label, summary, [popover])")) {
    same(tap(tab, 500, each), 1);
  }
  tab.here.getSelection().selectAllChildren(tab.find("#scene-1 .text"));
  same(tap(tab, 500), 1);
  tab.here.getSelection().removeAllRanges();
  tab.find(".sheet").showPopover();
  same(tap(tab, 500), 1);
  tab.find(".sheet").hidePopover();
  tab.find("#scene-1").dataset.scene = "s";
  same(tap(tab, 500), 1);
  delete tab.find("#scene-1").dataset.scene;
  tab.find("#scene-1 .text").addEventListener("click", (event) => event.preventDefault(), { once: true });
  same(tap(tab, 500), 1);
  same(tap(tab, 500), 2);
});

test("a tap in a scene that is higher than the window shows more of it first", async () => {
  const tab = await reader([{ high: true }, {}]);
  same(tap(tab, 500), 1);
  await until(() => tab.here.scrollY === 320);
  tap(tab, 100);
  await until(() => tab.here.scrollY === 0);
});

test("a hand that meets a turn on its way ends it, and a press of a button does not", async () => {
  for (const hand of ["touchstart", "pointerdown"]) {
    const tab = await reader(undefined, { calm: false });
    const root = tab.page.documentElement;
    press(tab.here, "End");
    same(root.style.scrollSnapType, "none");
    const by = (target) => target.dispatchEvent(new tab.here.Event(hand, { bubbles: true }));
    by(tab.find("#play"));
    same(root.style.scrollSnapType, "none");
    by(tab.find("#scene-1"));
    same([hand, root.style.scrollSnapType], [hand, ""]);
  }
});

test("what else has scrolled to its end says nothing of where the page is", async () => {
  const tab = await reader(undefined, { calm: false });
  press(tab.here, "End");
  tab.find(".rail").dispatchEvent(new tab.here.Event("scrollend"));
  same(tab.page.documentElement.style.scrollSnapType, "none");
  tab.page.dispatchEvent(new tab.here.Event("scrollend"));
  same([tab.page.documentElement.style.scrollSnapType, current(tab)], ["", [4]]);
});

test("a turn that the browser never says to have ended stands in the end", async () => {
  const tab = await reader(undefined, {
    calm: false,
    before(here) {
      hurry(here, 50);
      here.addEventListener("scrollend", (event) => event.stopImmediatePropagation(), { capture: true });
    },
  });
  press(tab.here, "End");
  await until(() => tab.here.scrollY === tab.find("#scene-4").offsetTop);
  await until(() => tab.page.documentElement.style.scrollSnapType === "");
});

// --- reader.js

const EDITIONS = `<div id="editions"><a href="/x?edition=short">s</a></div>`;

test("another edition opens where the reader is", async () => {
  const tab = await reader(undefined, { more: EDITIONS });
  press(tab.here, "ArrowRight");
  same(tab.find("#editions a").hash, "#scene-2");
});

const SHARE = `<h1>Small voyages</h1><link rel="canonical" href="https://example.org/x">
  <button data-copy="https://example.org/x" hidden>c</button><button data-copy-from="embed-code" hidden>e</button>
  <textarea id="embed-code" readonly>&lt;iframe></textarea><button id="system-share" hidden>s</button>`;

test("links and code are copied, and it is said whether they were", async () => {
  const written = [];
  let isRefused = false;
  const writeText = async (text) => {
    if (isRefused) throw new Error("refused");
    written.push(text);
  };
  const tab = await reader(undefined, {
    more: SHARE,
    before(here) {
      hurry(here, 50);
      Object.defineProperty(here.navigator, "clipboard", { value: { writeText } });
    },
  });
  const told = tab.find(".toast");
  const [link, code] = tab.all("[data-copy], [data-copy-from]");
  same([link.hidden, code.hidden, tab.find("#system-share").hidden], [false, false, !("share" in navigator)]);
  link.click();
  await until(() => told.textContent === "Copied");
  holds(told.matches(":popover-open"));
  code.click();
  await until(() => written.length === 2);
  same(written, ["https://example.org/x", "<iframe>"]);
  await until(() => told.textContent === "");
  isRefused = true;
  link.click();
  await until(() => told.textContent === "Refused");
  const field = tab.find("#embed-code");
  field.dispatchEvent(new tab.here.Event("focus"));
  same([field.selectionStart, field.selectionEnd], [0, 8]);
});

test("the system's own sheet gets title and link; who closes it is told nothing", async () => {
  const shared = [];
  let error = "";
  const share = async (what) => {
    shared.push(what);
    if (error) throw new DOMException("", error);
  };
  const tab = await reader(undefined, {
    more: SHARE,
    before: (here) => Object.defineProperty(here.navigator, "share", { value: share }),
  });
  const button = tab.find("#system-share");
  holds(!button.hidden);
  for (const [next, said] of [
    ["AbortError", ""],
    ["NotAllowedError", "Failed"],
  ]) {
    error = next;
    button.click();
    await pause(5);
    same(tab.find(".toast").textContent, said);
  }
  same(shared[0], { title: "Small voyages", url: "https://example.org/x" });
});

// --- play.js

const plays = ({ page }) => page.documentElement.classList.contains("plays");
const begun = async (scenes) => {
  const tab = await reader(scenes);
  tab.find("#play").click();
  return tab;
};

test("whatever the reader does ends Play", async () => {
  for (const hand of ["pointerdown", "touchstart", "wheel", "focusin", "keydown"]) {
    const tab = await begun();
    same([plays(tab), tab.find("#play").textContent.trim()], [true, "stop"]);
    tab.find("#scene-1").dispatchEvent(new tab.here.Event(hand, { bubbles: true }));
    same([hand, plays(tab), tab.find("#play").textContent.trim()], [hand, false, "play"]);
  }
});

test("what presses the button of Play waits for its click, and anything else done there ends it", async () => {
  const tab = await begun();
  const button = tab.find("#play");
  for (const hand of ["pointerdown", "touchstart", "focusin"]) {
    button.dispatchEvent(new tab.here.Event(hand, { bubbles: true }));
  }
  press(tab.here, "Enter", {}, button);
  holds(press(tab.here, " ", {}, tab.page.body), "the page does not scroll");
  holds(!plays(tab));
  button.click();
  holds(!press(tab.here, " ", {}, button));
  holds(plays(tab));
  press(tab.here, "a", {}, button);
  holds(!plays(tab));
  button.click();
  button.dispatchEvent(new tab.here.Event("wheel", { bubbles: true }));
  holds(!plays(tab));
  button.click();
  button.click();
  holds(!plays(tab));
});

test("Play goes on scene by scene, waits while nobody sees it, and ends behind the last", async () => {
  const tab = await reader([{}, {}, {}], { before: (here) => hurry(here, 20) });
  let faults = 0;
  tab.here.addEventListener("error", () => {
    faults += 1;
  });
  for (const each of tab.all(".scene")) each.dataset.seconds = 0.6;
  tab.find("#play").click();
  hide(tab.here, true);
  await pause(800);
  same(current(tab), [1]);
  hide(tab.here, false);
  await until(() => current(tab).join() === "2");
  const since = performance.now();
  await until(() => current(tab).join() === "3");
  holds(performance.now() - since > 200, "each scene has its own time");
  holds(plays(tab));
  await until(() => !plays(tab));
  await pause(40);
  same([current(tab), faults], [[3], 0]);
});
