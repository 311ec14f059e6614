/* The stage: the page of readers with the draft in it, and what this tab knows better than it. */

import { setFields } from "/static/studio/editing.js";
import { part } from "/static/studio/lazy.js";
import { closeInspector, select, selected } from "/static/studio/navigation.js";
import { stage } from "/static/studio/stage.js";
import { write } from "/static/studio/stage-text.js";
import { draft } from "/static/studio/store.js";
import { all, begin, drawn, find, ids, type } from "./editor.js";
import { same, test, until } from "./runner.js";

const { refresh } = await import("/static/studio/stage-swap.js?own"); // that of the editor may be at work

/** A page as the service renders the draft, in the frame of the stage. */
async function staged() {
  const page = `<h1>Old</h1><p class="summary">Old</p><div class="deck" style="height: 60px; overflow: auto">
    ${["a", "b", "c"]
      .map(
        (id) => `<section data-scene="${id}" style="height: 100px"><p class="kicker">1.</p>
      <div class="text">Old</div><div class="stage shot"><picture><img></picture></div><a href="/away">Away</a></section>`,
      )
      .join("")}</div>`;
  const loaded = new Promise((then) => stage.frame.addEventListener("load", then, { once: true }));
  stage.frame.srcdoc = page;
  await loaded;
  stage.dress(stage.frame);
  await drawn();
  return stage.page;
}

test("a page has the size of its device before its picture is chosen", async () => {
  await begin("a");
  const before = stage.device;
  const next = stage.makeFrame();
  stage.box.append(next);
  stage.device = "embed";
  stage.load(next);
  same([next.style.width, next.style.height], ["800px", "450px"]);
  next.remove();
  stage.device = before;
});

test("the stage goes along with what is selected", async () => {
  await begin("a");
  const gone = [];
  stage.goto = (id) => gone.push(id);
  select("b");
  location.hash = "story";
  await until(() => gone.length === 2);
  delete stage.goto;
  same(gone, ["b", "story"]);
});

test("on the stage a click in words leads to their field, and a link nowhere", async () => {
  await begin("c");
  const page = await staged();
  const clicks = async (selector) => {
    const event = new MouseEvent("click", { bubbles: true, cancelable: true });
    page.querySelector(selector).dispatchEvent(event);
    await until(() => document.activeElement !== document.body);
    return event.defaultPrevented;
  };
  let faults = 0;
  const fault = () => {
    faults += 1;
  };
  addEventListener("error", fault);
  page.body.insertAdjacentHTML("beforeend", '<p class="text">The end</p>');
  for (const place of ["[data-scene=b] img", "body > .text"]) page.querySelector(place).click();
  removeEventListener("error", fault);
  same([faults, selected, location.hash], [0, "c", "#c"]); // no words of a scene
  await clicks("[data-scene=b] .text");
  await until(() => document.activeElement.id === "field-text");
  same([selected, location.hash], ["b", "#b.text"]);
  await clicks("[data-scene=a] .kicker");
  await until(() => document.activeElement.id === "field-title");
  same([selected, await clicks("[data-scene=c] a")], ["a", true]);
  closeInspector();
});

test("the stage shows the selected scene, and its first one for the whole capsule", async () => {
  await begin("c");
  const page = await staged();
  const deck = page.querySelector(".deck");
  const top = (id) =>
    page.querySelector(`[data-scene=${id}]`).offsetTop - page.querySelector("[data-scene=a]").offsetTop;
  same([deck.scrollTop, top("c") >= 200], [top("c"), true]);
  stage.goto("b", page, "instant");
  same(deck.scrollTop, top("b"));
  stage.goto("nobody", page, "instant");
  same(deck.scrollTop, top("b"));
  stage.goto("story", page, "instant");
  same(deck.scrollTop, 0);
});

test("files may fall on the stage: on a scene without a picture they are for it, else for a new one", async () => {
  const files = await part("files").get();
  const { take } = files.uploader;
  const page = await staged();
  const drop = (where, ...names) => {
    const dataTransfer = new DataTransfer();
    for (const name of names) dataTransfer.items.add(new File(["x"], name, { type: "image/jpeg" }));
    const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
    where.dispatchEvent(event);
    return event.defaultPrevented;
  };
  const targets = [];
  files.uploader.take = (file, target) => {
    targets.push([file.name, target]);
    return { kind: "picture", target };
  };
  await begin("a");
  same([drop(page.body, "1.jpg"), drop(page.body)], [true, false]);
  same([ids().length, selected === ids()[1], targets], [4, true, [["1.jpg", ids()[1]]]]);
  await begin("a");
  drop(find("#inspector .media-field"), "2.jpg");
  setFields("a", { still: null }, "x");
  drop(page.body, "3.jpg");
  same(
    [ids().length, targets.slice(1)],
    [
      3,
      [
        ["2.jpg", "a"],
        ["3.jpg", "a"],
      ],
    ],
  );
  const over = new DragEvent("dragover", { cancelable: true });
  page.dispatchEvent(over);
  same(over.defaultPrevented, true);
  const paste = (target) => {
    const clipboardData = new DataTransfer();
    if (target) clipboardData.items.add(new File(["x"], target, { type: "image/png" }));
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    document.dispatchEvent(event);
    return event.defaultPrevented;
  };
  same([paste("4.png"), paste("")], [true, false]);
  select("story");
  same([paste("5.png"), targets.at(-1)], [false, ["4.png", "a"]]);
  files.uploader.take = take;
});

test("what is typed is on the stage at once: words, paragraphs, numbers and the place of the picture", async () => {
  await begin("b");
  const page = await staged();
  await type("text", "One\ntwo.\n\nThree.");
  await until(() => page.querySelector("[data-scene=b] .text").textContent.includes("Three."));
  draft.edit("b", { title: "A heading", focus: [0.2, 0.7] });
  draft.edit("story", { title: "New", summary: "" });
  await stage.write(page);
  const section = page.querySelector("[data-scene=b]");
  same(section.querySelector(".text").innerHTML, "<p>One<br>two.</p><p>Three.</p>");
  same([section.querySelector(".kicker").textContent, page.querySelector("h1").textContent], ["2. A heading", "New"]);
  same([section.style.getPropertyValue("--x"), section.style.getPropertyValue("--y")], ["20%", "70%"]);
  draft.edit("c", { title: "The end" });
  await stage.write(page);
  const kicker = page.querySelector("[data-scene=c] .kicker");
  same([kicker.textContent, kicker.className], ["The end", "kicker"]);
  draft.edit("c", { title: "", alt: "A lake." });
  page.querySelector(".summary").remove();
  draft.edit("story", { summary: "In short." });
  await stage.write(page);
  same([kicker.className, page.querySelector("h1 + .summary").textContent], ["kicker visually-hidden", "In short."]);
  same(page.querySelector("[data-scene=c] img").alt, "A lake.");
});

test("a page on the stage has the size of its device, as large as there is room", async () => {
  await begin();
  stage.box.style.cssText = "width: 640px; height: 500px";
  const next = stage.makeFrame();
  stage.box.append(next);
  await stage.load(next);
  const { width, height, transform } = next.style;
  same([width, height, transform], ["1280px", "720px", "translate(-50%, -50%) scale(0.5)"]);
  next.remove();
  stage.box.style.cssText = "";
});

test("the stage is shown as on a device, and each choice is asked for once", async () => {
  await begin();
  const [button] = all("#stage-head [aria-pressed]").slice(1);
  let asked = 0;
  stage.refresh = () => {
    asked += 1;
  };
  const start = stage.device;
  button.click();
  button.click();
  await drawn();
  delete stage.refresh;
  same([asked, stage.device, button.getAttribute("aria-pressed"), stage.url()], [1, "phone", "true", "about:blank"]);
  stage.device = "embed";
  same(stage.url(), "about:blank?as=embed");
  stage.device = start;
});

test("a title and a sentence on the stage lead to the capsule's fields, and a link within the page works", async () => {
  await begin("c");
  const page = await staged();
  page.querySelector("[data-scene]").prepend(page.querySelector("h1"), page.querySelector(".summary"));
  for (const [selector, id] of [
    ["h1", "title"],
    [".summary", "summary"],
  ]) {
    page.querySelector(selector).click();
    await until(() => document.activeElement.id === `field-${id}`);
    same([selected, location.hash], ["story", `#story.${id}`]);
  }
  const link = page.querySelector("a");
  link.setAttribute("href", "#here");
  const press = new MouseEvent("click", { bubbles: true, cancelable: true });
  link.dispatchEvent(press);
  same([press.defaultPrevented, stage.frame.matches(".stage-dressed")], [false, true]);
  closeInspector();
});

test("a page of scenes side by side, or without a window of its own, is scrolled as it is made", async () => {
  await begin("a");
  const page = document.implementation.createHTMLDocument();
  const scrolls = [];
  const scroller = { scrollTo: (place) => scrolls.push(place) };
  Object.defineProperty(page, "scrollingElement", { value: scroller });
  page.body.innerHTML = '<div data-scene="a"></div><div data-scene="b"></div>';
  const [first, second] = page.body.children;
  Object.defineProperties(first, { offsetLeft: { value: 10 }, offsetTop: { value: 5 } });
  Object.defineProperties(second, { offsetLeft: { value: 610 }, offsetTop: { value: 25 } });
  stage.goto("b", page);
  same(scrolls, [{ left: 600, top: 20, behavior: "smooth" }]);
});

test("a page is never larger than its device", async () => {
  await begin();
  stage.box.style.cssText = "width: 3000px; height: 2000px";
  stage.fit();
  same(stage.frame.style.transform, "translate(-50%, -50%) scale(1)");
  stage.box.style.cssText = "";
});

test("a page whose pictures are being prepared is written to, though nobody changed anything", async () => {
  await begin("b");
  stage.written = false;
  const page = await staged();
  await stage.write(page);
  same(page.querySelector("h1").textContent, "Old");
  page.querySelector("[data-scene=b]").insertAdjacentHTML("beforeend", '<p class="being-prepared">…</p>');
  await stage.write(page);
  same(page.querySelector("h1").textContent, "A capsule");
  const pictures = ["a", "b"].map((id) => page.querySelector(`[data-scene=${id}] img`).getAttribute("src"));
  same(pictures, [null, "data:,"]);
});

/** A page of one scene, written to as this tab has the draft now. */
function written(fields, { dir = "ltr", look, title = "A title" } = {}) {
  const page = document.implementation.createHTMLDocument();
  page.dir = dir;
  page.documentElement.className = "reader theme-day face-sans accented accent-deep";
  page.body.innerHTML = `<h1>Old</h1><section data-scene="b"><p class="kicker">2. Old</p><div class="text"></div></section>`;
  Object.assign(draft.served.story, { title, look });
  draft.changes = [];
  draft.folded = null;
  draft.edit("b", fields);
  const section = page.querySelector("section");
  write(page, (id) => (id === "b" ? section : null));
  return { page, root: page.documentElement, section, find: (selector) => page.querySelector(selector) };
}

test("the look of the capsule is on the stage at once, with an accent that can be read", async () => {
  await begin("b");
  const dressed = (look) => {
    const { root } = written({ text: "x" }, { look });
    return [root.className, ...["--r", "--g", "--b"].map((name) => root.style.getPropertyValue(name))];
  };
  same(dressed({ theme: "night", face: "slab", accent: null }), ["reader theme-night face-slab", "", "", ""]);
  same(dressed({ theme: "night", face: "serif", accent: "#ffd166" }), [
    "reader theme-night face-serif accented accent-bright",
    "252",
    "212",
    "100",
  ]);
  same(dressed({ theme: "day", face: "serif", accent: "#123456" }), [
    "reader theme-day face-serif accented accent-deep",
    "20",
    "52",
    "84",
  ]);
  same(dressed(undefined), ["reader theme-day face-sans accented accent-deep", "", "", ""]);
});

test("words stand on the stage as on the page of readers", async () => {
  await begin("b");
  const { find: on, section } = written({ text: "One\r\n\r\nTwo\rthree ", focus: [0.2, 0.5] }, { title: "" });
  same(section.querySelector(".text").innerHTML, "<p>One</p><p>Two<br>three</p>");
  same([on("h1").textContent, on(".kicker").textContent], ["Untitled", "2. Old"]); // a scene without a heading has none
  same(section.dataset.side, "end");
  same(written({ focus: [0.2, 0.5] }, { dir: "rtl" }).section.dataset.side, "start");
  await begin("b");
});

// --- a new page takes the place of the old one

/** A stage whose pages load and whose pictures are decoded when they are told to; what happened to it. */
function swapped() {
  const box = document.createElement("div");
  const frame = document.createElement("i");
  const told = [];
  const loads = [];
  const decodes = [];
  box.append(frame);
  const section = document.createElement("section");
  section.innerHTML = '<div class="shot"><img alt="" loading="lazy"></div>';
  const picture = section.querySelector("img");
  picture.decode = () => new Promise((then) => decodes.push(then));
  const own = {
    box,
    frame,
    makeFrame: () => Object.assign(document.createElement("b"), { contentDocument: document }),
    load: () => new Promise((then) => loads.push(then)),
    write: async () => told.push("written"),
    target: () => section,
    goto: (id) => told.push(`at ${id}`),
    fit: () => told.push("fits"),
  };
  return { own, box, frame, told, loads, decodes, picture };
}

test("a new page is written to as it comes and as it is shown, and is shown once its picture can be drawn", async () => {
  const { own, box, frame, told, loads, decodes, picture } = swapped();
  refresh(own);
  const [, next] = box.children;
  same([next.className, own.frame === frame], ["stage-next", true]);
  loads[0]();
  await until(() => decodes.length);
  same([told, picture.loading, box.children.length], [["written"], "eager", 2]);
  decodes[0]();
  await until(() => own.frame === next);
  same([told, next.className, box.children.length], [["written", "written", `at ${selected}`, "fits"], "", 1]);
});

test("of pages that are asked for while one comes only the last is made, and none that is old is shown", async () => {
  const { own, box, frame, told, loads, decodes } = swapped();
  for (let times = 0; times < 3; times += 1) refresh(own);
  same([loads.length, box.children.length], [1, 2]);
  loads[0]();
  await until(() => decodes.length);
  decodes[0]();
  await until(() => loads.length === 2);
  same([box.contains(frame), box.children.length, told], [true, 2, ["written"]]);
  loads[1]();
  await until(() => decodes.length === 2);
  decodes[1]();
  await until(() => !box.contains(frame));
  same([loads.length, box.children.length, told.at(-1)], [2, 1, "fits"]);
});

test("a page that cannot be reached leaves the one on the stage, and is asked for again when online", async () => {
  const { own, box, frame, loads, decodes } = swapped();
  const { makeFrame } = own;
  own.makeFrame = () => Object.assign(document.createElement("b"), { contentDocument: null });
  refresh(own);
  loads[0]();
  await until(() => decodes.length);
  decodes[0]();
  await until(() => box.children.length === 1);
  same(box.contains(frame), true);
  own.makeFrame = makeFrame;
  dispatchEvent(new Event("online"));
  await until(() => loads.length === 2);
  loads[1]();
  await until(() => decodes.length === 2);
  decodes[1]();
  await until(() => !box.contains(frame));
});
