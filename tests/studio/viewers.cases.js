/* The editor as somebody has it who may read and not write: everything is there to be seen, and nothing changes. */

import { holds, same, test, until } from "./runner.js";
import { answerInstead, asked, json, scenes, story } from "./service.js";

const boot = document.getElementById("boot");
const made = JSON.parse(boot.textContent);
const film = { id: "f", kind: "film", filename: "f.mp4", duration: 30 };
Object.assign(scenes[1], { film, animation: "film" });
Object.assign(story, {
  look: { theme: "night", face: "serif", accent: "#c8553d" },
  capsuleId: "c",
  editionLabel: "Short",
  shown: true,
  visibility: "unlisted",
  publication: { isPublished: true, url: "/w/x" },
});
boot.textContent = JSON.stringify({
  ...made,
  draft: { story, scenes },
  writes: false,
  whyNot: "Ask an owner to make you an editor.",
  urls: { ...made.urls, history: "#history" },
});
answerInstead(({ path }) => (path.endsWith("/premiere") ? json({ state: "sent", note: "" }) : undefined));

const { all, begin, drawn, find, ids, key, named, thumb } = await import("./editor.js");
const { setFields, chooseCover } = await import("/static/studio/editing.js");
const { part } = await import("/static/studio/lazy.js");
const { select } = await import("/static/studio/navigation.js");
const { draft, undo } = await import("/static/studio/store.js");

async function at(id) {
  const { visibility, publication } = story;
  await begin(id);
  Object.assign(story, { visibility, publication });
  Object.assign(draft.served.story, { visibility, publication });
  draft.folded = null;
}
const isOff = (each) => each.matches(":disabled") || each.readOnly === true;

/** There are more than so many fields beside the stage, and none can be written. */
function allAreOff(least) {
  const fields = all("#inspector :is(input, textarea, select)");
  holds(fields.length > least);
  same(
    fields.filter((each) => !isOff(each)).map(({ outerHTML }) => outerHTML),
    [],
  );
}

test("who may only read is told why, and finds no button that writes", async () => {
  await at("a");
  same(find("#stage-head .hint").textContent, "Ask an owner to make you an editor.");
  await until(() => named("Ready", find("#bar")), "what is missing was not asked"); // with the page, without a change
  for (const words of ["+", "Add a scene", "Add a picture", "Replace picture", "Move earlier", "Publish", "Live"]) {
    holds(!named(words), words);
  }
  same(all("#bar [aria-label=Undo], #bar [aria-label=Redo], #scene-menu, #inspector [popovertarget]"), []);
  same(find("#stage-start").children.length, 0);
  same(find("#foot").textContent.includes("Publish"), false);
});

test("every field of a scene can be read and not written", async () => {
  await at("b");
  for (const folded of all("#inspector details")) folded.open = true;
  await until(() => find("#field-place") && find("#field-trim"));
  allAreOff(8);
  holds(!named("From its start"));
  holds(!find("details.focus summary").textContent.includes("Focus"), "the focus is there to be changed alone");
});

test("every field of the capsule can be read and not written, and who sees it is not asked", async () => {
  await at("story");
  await until(() => find("#inspector .live-panel") && find("#inspector .swatches"));
  allAreOff(10);
  holds(!find(".live-panel button"));
});

test("the menu leads to what can be seen, and neither unpublishes nor throws away", async () => {
  await at("a");
  await part("menus").get();
  find("#more-menu").showPopover();
  await until(() => named("Keyboard", find("#more-menu")));
  same(
    all("#more-menu [role=menuitem]").map(({ textContent }) => textContent.trim()),
    ["Check what is missing", "Preview", "History", "Keyboard"],
  );
  find("#more-menu").hidePopover();
});

test("keys go from scene to scene, and change nothing", async () => {
  await at("a");
  const before = ids();
  for (const name of ["n", "d", "m", "Delete", "Backspace"]) await key(name);
  await key("ArrowDown", { altKey: true, shiftKey: true });
  await key("Enter", { ctrlKey: true }, document.body);
  await drawn();
  same([ids(), find("#dialog").open, draft.changes, undo.done], [before, false, [], []]);
  await key("ArrowDown");
  same(thumb("b").getAttribute("aria-selected"), "true");
});

test("nothing is written, whatever asks for it", async () => {
  await at("a");
  setFields("a", { animation: "none" }, "Movement");
  chooseCover("b");
  same([draft.changes, undo.done, draft.scene("a").animation], [[], [], "auto"]);
  same(
    asked.filter(({ method }) => method !== "GET"),
    [],
  );
});

test("files that fall on the page or are pasted are the browser's", async () => {
  await at("a");
  const data = new DataTransfer();
  data.items.add(new File(["x"], "1.jpg", { type: "image/jpeg" }));
  const more = { bubbles: true, cancelable: true };
  const events = [
    new DragEvent("dragover", more),
    new DragEvent("drop", { dataTransfer: data, ...more }),
    new ClipboardEvent("paste", { clipboardData: data, ...more }),
  ];
  for (const event of events) document.body.dispatchEvent(event);
  same(
    events.map(({ defaultPrevented }) => defaultPrevented),
    [false, false, false],
  );
});

test("a scene is not dragged", async () => {
  await at("a");
  const pointer = (type, clientY) =>
    new PointerEvent(type, { clientX: 1, clientY, isPrimary: true, pointerType: "mouse", bubbles: true });
  await part("drag").get();
  thumb("a").dispatchEvent(pointer("pointerdown", 1));
  dispatchEvent(pointer("pointermove", 90));
  same(all(".dragging"), []);
  dispatchEvent(pointer("pointerup", 90));
  select("a");
});

test("a text that is long for a screen is not parted, and a picture that failed is not tried again", async () => {
  await at("b");
  draft.served.scenes[1].text = "A sentence of some words. ".repeat(20);
  draft.served.scenes[1].rendering = { still: { state: "failed", error: "Damaged." }, animation: null };
  draft.folded = null;
  await part("split").get();
  await part("uploading").get();
  select("b");
  await until(() => find("#inspector").textContent.includes("Damaged."));
  holds(!named("Make"));
  holds(!named("Try again"));
  holds(find("#inspector").textContent.includes("Film: f.mp4"));
  holds(!find("#inspector .slider"));
});
