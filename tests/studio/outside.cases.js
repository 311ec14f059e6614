/* The embed in another page, what is told of a read, the films of lists, and small scripts of plain pages. */

import { hide, hurry, opened, press, scene, tools } from "./framed.js";
import { holds, pause, same, test, until } from "./runner.js";

// --- embed.js

const mark = (_, at) => `<a href="#scene-${at + 1}"${at ? "" : ' aria-current="step"'}>m</a>`;
const deck = (scenes) => `<nav class="progress">${scenes.map(mark).join("")}</nav>
  ${tools}<main class="deck" tabindex="0">${scenes.map((each, at) => scene(at + 1, each)).join("")}</main>
  <button id="back" aria-disabled="true" hidden>b</button><button id="on" hidden>o</button>
  <p id="place" data-words="Scene {number} of {total}"></p>`;

let told = [];
addEventListener("message", ({ data, source }) => {
  if (source === document.querySelector("iframe.framed")?.contentWindow) told.push(data);
});

async function embed(scenes = [{}, {}, {}], { calm = true, ...options } = {}) {
  told = [];
  const before = (here) => {
    here.heard.less.matches = calm;
    options.before?.(here);
  };
  return opened("/static/embed.js", deck(scenes), { ...options, before });
}
const at = ({ all }) => all(".progress a").findIndex((bar) => bar.hasAttribute("aria-current")) + 1;

test("a frame tells the page around it for which size it was made, and each scene that is shown", async () => {
  const tab = await embed();
  await until(() => told.length === 2);
  same(told, [
    { type: "capsule:size", width: 1280, height: 720, ratio: 16 / 9 },
    { type: "capsule:scene", index: 0, total: 3 },
  ]);
  press(tab.here, "ArrowRight");
  await until(() => told.length === 3);
  same(told[2], { type: "capsule:scene", index: 1, total: 3 });
});

test("a trusted page is told how high its frame should be, and never too low", async () => {
  for (const [address, width, value] of [
    ["#?secret=abc", 960, 540],
    ["#secret=abc", 300, 420],
    ["", 300, undefined],
  ]) {
    await embed([{}, {}], { address, width });
    await pause(10);
    const [height] = told.filter(({ message }) => message === "height");
    same(height?.value, value);
    if (height) same(height.secret, "abc");
  }
});

test("buttons and bars turn the deck, and say where it is", async () => {
  const tab = await embed();
  const [back, on] = [tab.find("#back"), tab.find("#on")];
  const ends = () => [back, on].map((each) => each.getAttribute("aria-disabled"));
  same([back.hidden, on.hidden], [false, false]);
  on.click();
  same([at(tab), ends()], [2, ["false", "false"]]);
  same(tab.find("#place").textContent, "Scene 2 of 3");
  same(tab.all(".done").length, 1);
  on.click();
  same([at(tab), ends()], [3, ["false", "true"]]);
  on.click();
  same(at(tab), 3);
  const address = tab.here.location.href;
  tab.all(".progress a")[0].click();
  same([at(tab), ends(), tab.all(".done").length], [1, ["true", "false"], 0]);
  same(tab.here.location.href, address);
  tab.all(".progress a")[1].click();
  back.click();
  same(at(tab), 1);
});

test("the page around a frame steers it, and nobody else does", async () => {
  const tab = await embed([{ moves: "film" }, {}, {}], { calm: false });
  await until(() => !tab.find("video").paused);
  let faults = 0;
  tab.here.addEventListener("error", () => {
    faults += 1;
  });
  const say = (data, source = window) => tab.here.dispatchEvent(new tab.here.MessageEvent("message", { data, source }));
  for (const data of [null, "capsule:go", 3, { type: "capsule:go", index: "1" }, { type: "capsule:go", index: 0.5 }]) {
    say(data);
    same([at(tab), faults], [1, 0]);
  }
  say({ type: "capsule:go", index: 2 }, tab.here);
  say({ type: "capsule:go", index: 2 }, null);
  say({ type: "capsule:pause" }, tab.here);
  same([at(tab), tab.find("video").paused], [1, false]);
  say({ type: "capsule:pause" });
  same(tab.find("video").paused, true);
  say({ type: "capsule:play" });
  same(tab.find("video").paused, false);
  say({ type: "capsule:go", index: 2 });
  same(at(tab), 3);
  tab.here.sessionStorage.clear();
});

test("words that are longer than the frame can be reached by keys, and others are no stop", async () => {
  const long = "<p>Words and words</p>".repeat(30);
  const tab = await embed([{ words: long }, {}]);
  const stops = () => tab.all(".words").map((each) => each.tabIndex);
  await until(() => stops().join() === "0,-1");
  holds(!press(tab.here, "ArrowDown"), "they are scrolled");
  holds(press(tab.here, "ArrowRight"));
  tab.find(".text").textContent = "Few";
  tab.here.dispatchEvent(new tab.here.Event("resize"));
  same(stops(), [-1, -1]);
});

test("a frame that gets another size stays at its scene", async () => {
  const tab = await embed([{}, {}, {}, {}]);
  press(tab.here, "ArrowRight");
  await until(() => tab.find(".deck").scrollLeft === 600);
  await tab.drawn();
  tab.frame.style.width = "400px";
  await until(() => tab.find("#scene-2").offsetLeft === 400 && tab.find(".deck").scrollLeft === 400);
});

test("films of a frame rest while less than half of it is seen", async () => {
  const tab = await embed([{ moves: "film" }, {}], { calm: false });
  await until(() => !tab.find("video").paused);
  tab.frame.style.top = "-260px";
  await until(() => tab.find("video").paused);
  tab.frame.style.top = "-100px";
  await until(() => !tab.find("video").paused);
});

test("a tap in a frame turns it, however long its words are", async () => {
  const tab = await embed([{ words: "<p>Words</p>".repeat(30) }, {}]);
  const target = tab.find("#scene-1 .stage");
  target.dispatchEvent(new tab.here.PointerEvent("pointerdown", { pointerType: "touch", bubbles: true }));
  target.dispatchEvent(new tab.here.MouseEvent("click", { clientX: 500, clientY: 100, bubbles: true }));
  same(at(tab), 2);
});

// --- reads.js

/** A page of three scenes of which is told; what it tells is in `sent`, as plain objects. */
async function read({ surface = "page", address = "", before = () => {} } = {}) {
  const sent = [];
  const body = `<script type="module" data-to="/r/7" data-bake="3" data-edition="short" data-surface="${surface}"></script>
    <main class="window">${[1, 2, 3].map((number) => scene(number)).join("")}</main>`;
  const tab = await opened("/static/reads.js", body, {
    address,
    before(here) {
      hurry(here, 10);
      Object.defineProperty(here.document, "referrer", { value: "https://blog.example/post?secret=1" });
      here.navigator.sendBeacon = (to, data) => sent.push([to, Object.fromEntries(data)]);
      before(here);
    },
  });
  return { ...tab, sent };
}
test("what is seen for a second is told, with where it is from, and the scenes that were reached when it is left", async () => {
  const tab = await read({ surface: "embed" });
  await until(() => tab.sent.length);
  const [[to, { k: first, ...opening }]] = tab.sent;
  same([to, opening], ["/r/7", { b: "3", e: "short", s: "embed", h: "blog.example", o: "1" }]);
  await pause(150);
  same(tab.sent.length, 1);
  for (const number of [2, 1]) {
    // once is enough
    tab.find(`#scene-${number}`).scrollIntoView();
    await tab.drawn();
    await pause(150);
  }
  const { setTimeout: wait } = tab.here;
  tab.here.setTimeout = () => 0; // half a second does not pass, however long the drawing takes
  tab.find("#scene-3").scrollIntoView();
  await tab.drawn();
  hide(tab.here, true);
  tab.here.setTimeout = wait;
  await until(() => tab.sent.length === 2);
  const { o, k } = tab.sent[1][1];
  same([o, `${first},${k}`.replace(/^,/, "")], [undefined, "1,2"]);
  await pause(100);
  hide(tab.here, false);
  same(tab.sent.length, 2); // nobody saw it
  await pause(200);
  same(tab.sent.length, 2); // it is opened once
  hide(tab.here, true);
  await until(() => tab.sent.length === 3);
  same(tab.sent[2][1].k, "3");
});

test("a scene that is gone again within half a second was not reached, nor one in a frame that is out of sight", async () => {
  const tab = await read({ surface: "embed", before: (here) => hurry(here, 0.2) }); // reached in 250 ms, opened in 500
  await until(() => tab.sent.length);
  tab.find("#scene-2").scrollIntoView();
  await pause(150);
  tab.find("#scene-3").scrollIntoView();
  await pause(150);
  hide(tab.here, true);
  holds(!tab.sent.some(([, { k }]) => k.includes("3")));
  hide(tab.here, false);
  tab.find("#scene-1").scrollIntoView();
  tab.frame.style.top = "-260px";
  await pause(100);
  const { length } = tab.sent;
  tab.find("#scene-3").scrollIntoView();
  await pause(350);
  tab.frame.style.top = "0";
  await pause(100);
  same(tab.sent.length, length);
});

test("a page that nobody sees is not opened before somebody does", async () => {
  const tab = await read({ before: (here) => hide(here, true) });
  await pause(200);
  same(tab.sent, []);
  hide(tab.here, false);
  await pause(50);
  hide(tab.here, true);
  await pause(150);
  same(tab.sent, []);
  hide(tab.here, false);
  await until(() => tab.sent.length);
});

test("who comes from an email is told so, and from nothing that looks like it", async () => {
  for (const [address, surface] of [
    ["?from=mail", "mail"],
    ["?edition=short&from=mail&x=1", "mail"],
    ["?from=mailing", "page"],
    ["?afrom=mail", "page"],
  ]) {
    const tab = await read({ address });
    await until(() => tab.sent.length);
    same(tab.sent[0][1].s, surface);
  }
});

test("a frame of which less than half is seen is not opened", async () => {
  const tab = await read({ surface: "embed" });
  tab.frame.style.top = "-260px";
  await pause(200);
  same(tab.sent, []);
  tab.frame.style.top = "0";
  await until(() => tab.sent.length);
  same(tab.sent[0][1].s, "embed");
});

// --- lists.js

const card = (id) => `<li class="card" id="${id}"><div class="cover"><video></video></div><a href="#">t</a></li>`;

async function list({ calm = false, dear = false } = {}) {
  const tab = await opened("/static/lists.js", `<ul>${card("a")}<li style="height: 2000px"></li>${card("b")}</ul>`, {
    before(here) {
      here.heard.less.matches = calm;
      Object.defineProperty(here.navigator, "connection", { value: { saveData: dear } });
    },
  });
  const does = (type, pointerType) => tab.find("#a").dispatchEvent(new tab.here.PointerEvent(type, { pointerType }));
  return { ...tab, does, film: tab.find("video") };
}

test("the film of a card plays under a mouse and where the focus is, from its beginning, and rests after", async () => {
  const { does, film, find, here } = await list();
  does("pointerenter", "touch");
  same(film.paused, true);
  does("pointerenter", "mouse");
  same(film.paused, false);
  await until(() => here.heard.frames.length);
  holds(!film.matches(".playing"), "its first frame is not drawn yet");
  here.heard.frames.pop()();
  holds(film.matches(".playing"));
  film.currentTime = 3;
  does("pointerleave", "mouse");
  same([film.paused, film.currentTime, film.matches(".playing")], [true, 0, false]);
  find("#a a").focus();
  same(film.paused, false);
  does("pointerleave", "mouse");
  same(film.paused, false);
  find("#a a").blur();
  same(film.paused, true);
  await until(() => here.heard.frames.length);
  here.heard.frames.pop()();
  holds(!film.matches(".playing"), "it was stopped before its first frame");
});

test("no film of a list plays where less motion is asked for or data is dear", async () => {
  for (const asked of [{ calm: true }, { dear: true }]) {
    const { does, film, find } = await list(asked);
    does("pointerenter", "mouse");
    find("#a a").focus();
    same(film.paused, true);
  }
});

test("cards near the screen are marked as such once the page is there, and others are not", async () => {
  const { find, here } = await list();
  here.dispatchEvent(new here.Event("load"));
  await until(() => find("#a.near"));
  holds(!find("#b.near"));
  find("#b").scrollIntoView();
  await until(() => find("#b.near"));
});

// --- accounts.js and audience.js

test("a name is asked about once typing rests, and an older answer says nothing any more", async () => {
  const asked = [];
  const tab = await opened(
    "/static/accounts.js",
    `<form data-name-check="/check"><input name="name"><p data-name-answer></p></form>`,
    {
      before(here) {
        hurry(here, 10);
        here.fetch = (url) => new Promise((then) => asked.push([url, then]));
      },
    },
  );
  const [field, told] = [tab.find("input"), tab.find("p")];
  const type = (value) => {
    field.value = value;
    field.dispatchEvent(new tab.here.Event("input"));
  };
  const answer = (place, available, ok = true) =>
    asked[place][1]({ ok, json: async () => ({ message: `${asked[place][0]} ${available}`, available }) });
  type("a");
  type("a b");
  await until(() => asked.length);
  await pause(60);
  same(
    asked.map(([url]) => url),
    ["/check?name=a%20b"],
  );
  type("c");
  await until(() => asked.length === 2);
  answer(1, false);
  await until(() => told.textContent === "/check?name=c false");
  holds(told.matches(".fault"));
  answer(0, true);
  await pause(10);
  same(told.textContent, "/check?name=c false");
  type("d");
  await until(() => asked.length === 3);
  answer(2, true, false);
  await pause(10);
  same([told.textContent, told.matches(".fault")], ["", false]); // what was said of another name is not true of it
  type("e");
  await until(() => asked.length === 4);
  answer(3, true);
  await until(() => told.textContent === "/check?name=e true");
  holds(!told.matches(".fault"));
});

test("a preview that is being built is loaded again every two seconds while it is seen", async () => {
  for (const hidden of [false, true]) {
    let loads = 0;
    const beats = [];
    const tab = await opened("/static/studio/reload.js", "<p>40 %</p>", {
      before(here) {
        const { setTimeout: wait } = here;
        here.setTimeout = (act, ms) => {
          beats.push(ms);
          return wait.call(here, act, 20);
        };
        hide(here, hidden);
      },
    });
    tab.frame.addEventListener("load", () => {
      loads += 1;
    });
    if (hidden) await pause(100);
    else await until(() => loads);
    same([beats[0], loads > 0], [2000, !hidden]);
  }
});

test("a page of a premiere is loaded again while it is seen and nothing is typed", async () => {
  for (const [typed, hidden, isAgain] of [
    ["", false, true],
    ["words", false, false],
    ["", true, false],
  ]) {
    let loads = 0;
    const tab = await opened("/static/audience.js", `<input type="hidden" value="x"><input value="${typed}">`, {
      before(here) {
        hurry(here, 100);
        if (hidden) hide(here, true);
      },
    });
    tab.frame.addEventListener("load", () => {
      loads += 1;
    });
    if (isAgain) await until(() => loads === 1);
    else await pause(200);
    same(loads, Number(isAgain));
  }
});

test("a page that is loaded again stays as it is while the service is away", async () => {
  for (const script of ["/static/studio/reload.js", "/static/audience.js"]) {
    let loads = 0;
    const answers = [502, 0, 429];
    const tab = await opened(script, "<p>40 %</p>", {
      before(here) {
        hurry(here, 100);
        here.fetch = async (url) => {
          same(url, here.location.href);
          const status = answers.shift();
          if (!status) throw new TypeError("no connection");
          return new Response("", { status });
        };
      },
    });
    tab.frame.addEventListener("load", () => {
      loads += 1;
    });
    await until(() => !answers.length);
    await pause(30);
    same(loads, 0);
    answers.push(404); // its page says why
    await until(() => loads === 1);
  }
});
