/* The editor as an author uses it: keys, fields and the focus of pictures. */

import { closeDialog } from "/static/studio/dialogs.js";
import { setFields } from "/static/studio/editing.js";
import { pickMedia } from "/static/studio/file-picking.js";
import { hold } from "/static/studio/held-fields.js";
import { part } from "/static/studio/lazy.js";
import {
  choose,
  closeInspector,
  focusField,
  goOn,
  open,
  openOrder,
  select,
  selected,
} from "/static/studio/navigation.js";
import { redraw } from "/static/studio/redraw.js";
import { addScene } from "/static/studio/scenes.js";
import { draft, saver, undo } from "/static/studio/store.js";
import { moved, partOf } from "/static/studio/trim.js";
import { all, begin, click, drawn, find, ids, key, named, saved, saveNothing, thumb, type } from "./editor.js";
import { holds, pause, same, test, until } from "./runner.js";
import { answerInstead, asked, othersSave } from "./service.js";

test("the editor comes to its page", async () => {
  await until(() => document.documentElement.dataset.studio === "ready");
  await drawn();
  same(all("#strip [role=option]").length, 3);
  same([find("#field-text").value, find(".save-state").textContent.trim()], ["Text of a.", "Saved"]);
  same(find("#inspector h2").textContent.trim(), "Scene 1 of 3");
});

// --- keys

test("arrows, Home and End go from scene to scene, and the focus goes along", async () => {
  await begin();
  await key("ArrowDown");
  same([selected, document.activeElement === thumb("b")], ["b", true]);
  await key("ArrowUp");
  await key("ArrowUp");
  same(selected, "a");
  await key("End");
  same([selected, document.activeElement === thumb("c")], ["c", true]);
  await key("Home");
  same([selected, document.activeElement === thumb("a")], ["a", true]);
  same(thumb("a").getAttribute("aria-selected"), "true");
  const first = thumb("a"); // keys may come faster than the strip is drawn
  for (let times = 0; times < 2; times += 1)
    first.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
  await drawn();
  same([selected, document.activeElement === thumb("c")], ["c", true]);
});

test("Alt, Shift and an arrow move a scene, and undo moves it back", async () => {
  await begin();
  await key("ArrowDown", { altKey: true, shiftKey: true });
  await until(() => ids().join("") === "bac");
  same(find("#polite").textContent, "Scene 1 moved to position 2 of 3.");
  await key("z", { ctrlKey: true }, document.body);
  same([ids(), find("#polite").textContent], [["a", "b", "c"], "Undone: Move a scene."]);
  await key("z", { ctrlKey: true, shiftKey: true }, document.body);
  same(ids(), ["b", "a", "c"]);
});

const where = () => JSON.stringify({ ids: ids(), selected, waiting: draft.changes, state: saver.state });

test("N adds a scene behind, D copies one, Delete removes one", async () => {
  await begin();
  await key("n");
  await until(() => ids().length === 4 && selected === ids()[1], where);
  same(find("#polite").textContent, "Scene 2 added.");
  await saved();
  same(asked.find(({ method }) => method === "POST").body, { after: "a", animation: "auto" });
  await begin("b");
  await key("d");
  await until(() => ids().length === 4 && selected === ids()[2], where);
  same(draft.scene(selected).text, "Text of b.");
  await saved();
  await begin("b");
  await key("Delete");
  await until(() => ids().join("") === "ac");
  same([selected, find("#toast").textContent.includes("Scene 2 deleted")], ["c", true]);
  await click("Undo", find("#toast"));
  same([ids(), selected], [["a", "b", "c"], "b"]);
});

test("a new scene at the finale comes before it", async () => {
  await begin("c");
  await key("n");
  await until(() => ids().length === 4);
  same(ids()[3], "c");
});

test("Enter goes to the text, M asks for a position", async () => {
  await begin();
  await key("Enter");
  same(document.activeElement.id, "field-text");
  await key("m");
  await until(() => find("#dialog").open);
  const place = find("#dialog input[name=place]");
  same(
    [find("#dialog h2").textContent, find("#dialog label").textContent.trim(), place.value, place.min, place.max],
    ["Move scene 1", "To position, 1 to 3", "1", "1", "3"],
  );
  place.value = "2";
  named("Move", find("#dialog")).form?.requestSubmit(find("#dialog .pill-accent"));
  await until(() => ids().join("") === "bac");
  same(find("#dialog").open, false);
  undo.back();
});

test("letters are keys only in the strip, and shortcuts of the browser stay its own", async () => {
  await begin();
  await key("n", {}, find("#field-text"));
  await key("n", { ctrlKey: true });
  await key("n", { altKey: true });
  await key("z", { ctrlKey: true }, find("#field-text"));
  await pause(20);
  same(
    [ids().length, find("#polite").textContent.startsWith("Undone")],
    [3, find("#polite").textContent.startsWith("Undone")],
  );
  await key("?", {}, document.body);
  await until(() => find("#dialog .keys"));
  const keys = all("#dialog .keys dt").map(({ textContent }) => textContent);
  same(keys.slice(0, 7), ["Ctrl S", "Ctrl Z", "Ctrl Shift Z", "Ctrl Enter", "Esc", "?", "In the list of scenes"]);
  same(keys.slice(7), ["Arrows, Home, End", "Enter", "N", "D", "Delete", "Alt Shift arrows", "M"]);
  closeDialog();
});

// --- fields

test("what is typed is saved at once where its field is left, and a step of undo", async () => {
  for (const [id, name] of [
    ["a", "title"],
    ["a", "text"],
    ["story", "title"],
  ]) {
    await begin(id);
    await until(() => find(`#field-${name}`));
    await type(name, "Words");
    let count = 0;
    saver.now = () => {
      count += 1;
    };
    find(`#field-${name}`).dispatchEvent(new FocusEvent("blur"));
    delete saver.now;
    same([count, undo.done.at(-1).closed], [1, true]);
  }
  await begin();
});

test("what the service has against a field stands beside it, whichever it is", async () => {
  const faults = async (id, names) => {
    const values = Object.fromEntries(names.map((name) => [name, draft.find(id)[name]]));
    hold(draft, id, values, { messages: Object.fromEntries(names.map((name) => [name, `Not this ${name}.`])) });
    await drawn();
    return all("#inspector .fault").map(({ textContent }) => textContent);
  };
  await begin("b");
  setFields("b", { film: { id: "f", kind: "film", filename: "f.mp4", duration: 30 }, animation: "film" }, "Film");
  for (const folded of all("#inspector details")) folded.open = true;
  await until(() => find("#field-trim"));
  const ofScene = ["still", "film", "title", "text", "alt", "animation", "place", "size", "fit", "trim", "finale"];
  same(
    await faults("b", ofScene),
    ofScene.map((name) => `Not this ${name}.`),
  );
  await beginWithLook();
  const ofStory = ["title", "summary", "author", "language", "cover", "look"];
  same(
    await faults("story", ofStory),
    ofStory.map((name) => `Not this ${name}.`),
  );
});

test("a field that is too long says by how much, and is not sent", async () => {
  await begin();
  await type("text", "x".repeat(42));
  same(find("#field-text-fault").textContent, "2 characters too many to be saved: there is room for 40.");
  await until(() => saver.state === "held");
  await drawn();
  same(find(".save-state").textContent.trim().startsWith("1 field is not saved"), true);
  await type("text", "x".repeat(41));
  same(find("#field-text-fault").textContent.startsWith("1 character too many"), true);
  await type("text", "Text of a.");
});

test("a caret stays between the same letters when news come into its field", async () => {
  await begin();
  await type("text", "A boat comes in.");
  saver.now();
  await saved();
  const field = find("#field-text");
  field.focus();
  field.setSelectionRange(6, 6);
  othersSave("a", { text: "Look! A boat comes in." });
  await saver.refresh();
  same(field.value, "Look! A boat comes in."); // at once: the next key stands on it
  await drawn();
  same([field.value, field.selectionStart], ["Look! A boat comes in.", 12]);
});

test("movement and finale are chosen, and a film is asked for before it moves", async () => {
  await begin("b");
  find("input[name=animation][value=none]").click();
  same(draft.scene("b").animation, "none");
  find("input[name=animation][value=auto]").click();
  same(draft.scene("b").animation, "auto");
  find("input[name=animation][value=film]").click();
  await until(
    () => find("input[name=animation]:checked")?.value === "auto",
    "the film is chosen, though there is none",
  );
  find("[data-field=finale]").click();
  same([draft.scene("b").finale, undo.done.at(-1).what], [true, "Finale"]);
  const hint = () => find("#inspector").textContent.includes("A finale stands still; it needs no movement.");
  same(hint(), false);
  await drawn();
  same(hint(), true);
});

test("a finale that is not the last can be made the last", async () => {
  await begin("a");
  setFields("a", { finale: true }, "Finale");
  await drawn();
  await click("Make it the last");
  await until(() => ids().at(-1) === "a");
  same(ids(), ["b", "c", "a"]);
});

test("a scene is moved earlier and later by its buttons", async () => {
  await begin("b");
  await click("Move earlier");
  await until(() => ids().join("") === "bac");
  await drawn();
  same([named("Move earlier").disabled, named("Move later").disabled], [true, false]);
  await click("Move later");
  await until(() => ids().join("") === "abc");
  select("c");
  await drawn();
  same([named("Move earlier").disabled, named("Move later").disabled], [false, true]);
});

test("a picture keeps its place while it is on its way", async () => {
  const still = { id: "x", kind: "picture", filename: "x.jpg", thumbnailUrl: "data:,", width: 30, height: 20 };
  await begin();
  draft.served.scenes[0].still = still;
  draft.folded = null;
  select("b");
  select("a");
  await drawn();
  const picture = find(".media-thumb");
  same([picture.getAttribute("width"), picture.getAttribute("height")], ["30", "20"]);
});

test("covers are named as their scenes are in the strip", async () => {
  await begin();
  Object.assign(draft.served.scenes[1], { title: "The jetty" });
  Object.assign(draft.served.scenes[1], { focus: [0.2, 0.75] });
  Object.assign(draft.served.scenes[2], { text: "", still: null });
  Object.assign(draft.served.story, { cover: "b" });
  draft.served.scenes[0].text = "One two three four five six seven eight.";
  draft.folded = null;
  select("story");
  await drawn();
  const covers = all("[name=cover]");
  same(
    covers.map(({ labels: [{ textContent }] }) => textContent.replace(/\s+/g, " ").trim()),
    ["The first scene", "1. One two three four five six seven", "2. The jetty", "No picture 3. No text yet"],
  );
  same(
    all(".cover-choice img").map((picture) => picture.getAttribute("style")),
    ["--x: 50%; --y: 50%;", "--x: 50%; --y: 50%;", "--x: 20%; --y: 75%;"],
  );
  same([covers.map(({ checked }) => checked), find("[name=cover]:checked").value], [[false, false, true, false], "b"]);
});

// --- focus

async function openFocus() {
  const details = find("#inspector details.focus");
  details.open = true;
  await until(() => find(".focus-picture"), "the focus never came");
}

test("the focus goes where the picture is let go", async () => {
  await begin();
  await openFocus();
  const box = find(".focus-picture");
  Object.assign(box.style, { position: "fixed", left: "100px", top: "50px", width: "200px", height: "100px" });
  box.setPointerCapture = () => {};
  const at = (type, clientX, clientY) =>
    box.dispatchEvent(new PointerEvent(type, { clientX, clientY, pointerId: 1, bubbles: true }));
  at("pointerdown", 120, 60);
  at("pointermove", 160, 80);
  same([find(".focus-point").style.left, draft.scene("a").focus], ["30%", [0.5, 0.5]]);
  at("pointerup", 150, 75);
  same(draft.scene("a").focus, [0.25, 0.25]);
});

test("the focus goes by sliders, arrows with Shift, and presets", async () => {
  await begin();
  await openFocus();
  const [left, top] = all(".focus input[type=range]");
  await key("ArrowRight", { shiftKey: true }, left);
  same(draft.scene("a").focus, [0.6, 0.5]);
  await key("ArrowRight", {}, left);
  same(draft.scene("a").focus, [0.6, 0.5]);
  top.value = "20";
  top.dispatchEvent(new Event("change"));
  same(draft.scene("a").focus, [0.6, 0.2]);
  await drawn();
  left.value = "30";
  left.dispatchEvent(new Event("change"));
  same(draft.scene("a").focus, [0.3, 0.2]);
  find("[aria-label='bottom right']").click();
  same(draft.scene("a").focus, [0.8, 0.8]);
});

test("the ends of a film's part give way to each other, and keep what can be shown", async () => {
  const part = { from: 2, to: 6 };
  same(moved(part, "from", 3.26, 30), { from: 3.3, to: 6 });
  same(moved(part, "from", 5.8, 30), { from: 5.8, to: 6.3 });
  same(moved(part, "from", 30, 30), { from: 29.5, to: 30 });
  same(moved(part, "from", -1, 30), { from: 0, to: 6 });
  same(moved(part, "to", 20, 30), { from: 8, to: 20 });
  same(moved(part, "to", 1, 30), { from: 0.5, to: 1 });
  same(moved(part, "to", 0, 30), { from: 0, to: 0.5 });
  same(moved({ from: 0, to: 2.96 }, "from", 2.9, 2.96), { from: 2.4, to: 2.96 });
  same(moved({ from: 0, to: 2 }, "to", 3, 2.96), { from: 0, to: 2.96 });
  same(
    [partOf(null, 30), partOf({ start: 13.5, length: 4 }, 14)],
    [
      { from: 0, to: 12 },
      { from: 13.5, to: 14 },
    ],
  );
});

test("a part is chosen with two handles, by arrows and with shift by seconds", async () => {
  await begin("b");
  saveNothing();
  setFields("b", { film: { id: "f", kind: "film", filename: "f.mp4", duration: 30 }, animation: "film" }, "Film");
  find("details.focus").open = true;
  await until(() => find("#field-trim"));
  const [starts, ends] = [find("#field-trim"), find("#field-trim-end")];
  same([starts.value, ends.value, starts.ariaLabel, ends.ariaLabel], ["0", "12", "Begins", "Ends"]);
  same(find(".trim-frames img").getAttribute("src"), "/frames?film=f");
  same(find("#field-fit").closest("label").firstElementChild.textContent, "Film");
  const set = async (handle, value, type = "change") => {
    handle.value = value;
    handle.dispatchEvent(new Event(type));
    await drawn();
  };
  await set(starts, "4", "input");
  same([draft.scene("b").trim, find(".trim").style.getPropertyValue("--to")], [undefined, "40%"]);
  await set(starts, "4");
  same(draft.scene("b").trim, { start: 4, length: 8 });
  same(starts.getAttribute("aria-valuetext"), "4.0 seconds");
  same(find(".trim + .hint").textContent, "4.0 to 12.0 s: 8.0 of 30.0 seconds.");
  await key("ArrowRight", { shiftKey: true }, starts);
  same(draft.scene("b").trim, { start: 5, length: 7 });
  await key("ArrowDown", { shiftKey: true }, ends);
  same(draft.scene("b").trim, { start: 5, length: 6 });
  await set(ends, "29.9");
  same(draft.scene("b").trim, { start: 17.9, length: 12 });
  await set(starts, "30");
  same([draft.scene("b").trim, starts.value], [{ start: 29.5, length: 0.5 }, "29.5"]);
  await click("From its start");
  same(draft.scene("b").trim, null);
  await until(() => starts.value === "0" && ends.value === "12");
  for (const [fields, isThere] of [
    [{ animation: "auto" }, false],
    [{ animation: "film" }, true],
    [{ film: { id: "f1", kind: "film", filename: "f.mp4", duration: 0.9 } }, false],
    [{ film: { id: "f2", kind: "film", filename: "f.mp4", duration: 1 } }, true],
  ]) {
    setFields("b", fields, "Film");
    await drawn();
    same([Boolean(find("#field-trim")), fields], [isThere, fields]);
  }
  setFields("b", { film: null }, "Film");
  await drawn();
  same(find("#field-fit").closest("label").firstElementChild.textContent, "Picture");
});

test("the still's slider stands where the still was taken, and reaches the whole film", async () => {
  await begin("b");
  saveNothing();
  const film = { id: "f", kind: "film", filename: "f.mp4", duration: 30 };
  setFields("b", { film, animation: "film", trim: { start: 3, length: 4 } }, "Film");
  await until(() => find(".media-field .slider input"));
  const slider = find(".media-field .slider input");
  same([slider.value, slider.max], ["3", "30"]);
  setFields("b", { still: { id: "p2", kind: "picture", filename: "p.png", takenAt: 17.5 } }, "Still");
  await until(() => slider.value === "17.5");
  holds(!find(".media-field").textContent.includes("Only the first 12 seconds"));
  setFields("b", { trim: null }, "Part");
  await until(() => find(".media-field").textContent.includes("Only the first 12 seconds"));
  [...find(".media-field").querySelectorAll("button")]
    .find(({ textContent }) => textContent.startsWith("Choose"))
    .click();
  await until(() => document.activeElement === find("#field-trim"));
  holds(find("#field-trim").closest("details").open);
  setFields("b", { animation: "camera" }, "Animation");
  await until(() => !find(".media-field").textContent.includes("Only the first 12 seconds"));
});

// --- from scene to scene, and to files

test("the arrows beside the number lead to the scene before and the next one", async () => {
  await begin("b");
  const step = (name) => find(`#inspector [aria-label="${name}"]`);
  step("Next scene").click();
  await drawn();
  same([selected, step("Next scene").disabled], ["c", true]);
  for (let times = 0; times < 2; times += 1) {
    step("Scene before").click();
    await drawn();
  }
  same([selected, step("Scene before"), find("#stage-head [aria-label='Scene before']").disabled], ["a", null, true]);
  step("The whole capsule").click();
  await drawn();
  same([selected, step("Scene before").disabled], ["story", true]);
  step("Next scene").click();
  await drawn();
  same(selected, "a");
});

test("who writes the title goes on to the words of a scene, and from elsewhere to the scene alone", async () => {
  await begin("story");
  await until(() => find("#field-title"));
  const on = async () => {
    find("#inspector [aria-label='Next scene']").click();
    await drawn();
  };
  find("#field-title").focus();
  await on();
  await until(() => document.activeElement === find("#field-text"));
  same([selected, location.hash], ["a", "#a.text"]);
  closeInspector();
  select("story");
  await drawn();
  document.activeElement.blur();
  await on();
  same([selected, location.hash], ["a", "#a"]);
});

test("each scene that somebody goes to is a step back in the browser, and to stay is none", async () => {
  await begin("a");
  const push = history.pushState;
  const steps = [];
  history.pushState = (...step) => {
    steps.push(step.at(-1));
    push.apply(history, step);
  };
  for (const id of ["b", "b", "story"]) select(id);
  history.pushState = push;
  same([steps, location.hash], [["#b", "#story"], "#story"]);
});

test("the stage of a phone shows the scene from before the fields, and the first where that is gone", async () => {
  await begin("b");
  open("story");
  await click("Done", find("#inspector"));
  same(selected, "b");
  open("story");
  draft.served.scenes.splice(1, 1);
  draft.folded = null;
  await click("Done", find("#inspector"));
  same([selected, location.hash, document.body.dataset.open], ["a", "#a", ""]);
});

test("the list of scenes opens and closes by one button, as an address of its own", async () => {
  await begin("b");
  openOrder();
  await until(() => document.body.dataset.open === "strip");
  same(location.hash, "#scenes");
  openOrder();
  await until(() => document.body.dataset.open === "");
  same([location.hash, selected], ["#b", "b"]);
});

test("the device is asked for pictures and films, several at once, or for one film", async () => {
  await begin();
  const asked = [];
  const { click: open } = HTMLInputElement.prototype;
  HTMLInputElement.prototype.click = function ask() {
    asked.push([this.multiple, /image/.test(this.accept), /video/.test(this.accept)]);
    holds(!this.accept.includes("*"), "phones hand over JPEG only where each kind is named");
  };
  pickMedia("a");
  pickMedia("a", "film");
  HTMLInputElement.prototype.click = open;
  same(asked, [
    [true, true, true],
    [false, false, true],
  ]);
});

// --- where one is

test("a scene that is moved keeps the focus in the strip, so that the next key moves it on", async () => {
  await begin();
  await key("ArrowDown", { altKey: true, shiftKey: true });
  await until(() => ids().join("") === "bac");
  await drawn();
  same(document.activeElement === thumb("a"), true);
  await key("ArrowDown", { altKey: true, shiftKey: true }, document.activeElement);
  await until(() => ids().join("") === "bca");
});

/** Adds a scene whose name the service keeps back until `answer` is called. */
async function addUnnamed() {
  await begin();
  let answer;
  answerInstead(({ method }) =>
    method === "POST"
      ? new Promise((then) => {
          answer = then;
        })
      : undefined,
  );
  addScene("a");
  const name = selected;
  saver.now();
  await until(() => answer);
  return { name, answer };
}

test("the arrows reach a scene that gets its name between key and drawing", async () => {
  for (const more of [0, 1]) {
    const { name, answer } = await addUnnamed();
    select("a");
    await drawn();
    thumb("a").focus();
    const draw = requestAnimationFrame;
    const frames = [];
    globalThis.requestAnimationFrame = (frame) => frames.push(frame);
    const down = () =>
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
    down();
    answer();
    await until(() => draft.nameOf(name) !== name);
    if (more) down();
    globalThis.requestAnimationFrame = draw;
    for (const frame of frames) draw(frame);
    await drawn();
    const reached = ids()[1 + more];
    same([selected, document.activeElement === thumb(reached)], [reached, true]);
    await saved();
  }
});

test("the fields of a scene stay open while it gets its name", async () => {
  const { name, answer } = await addUnnamed();
  open(name);
  answer();
  await until(() => draft.nameOf(name) !== name);
  await pause(20); // the browser tells of the address later
  same([document.body.dataset.open, location.hash], ["inspector", `#${selected}.`]);
  await saved();
  closeInspector();
});

test("keys that are no keys of the strip do nothing there", async () => {
  await begin("b");
  for (const [name, more] of [
    ["x"],
    ["Home", { altKey: true }],
    ["n", { metaKey: true }],
    ["x", { altKey: true, shiftKey: true }],
  ])
    await key(name, more);
  await key("n", {}, find("#strip .thumbs"));
  await pause(20);
  same([ids(), selected], [["a", "b", "c"], "b"]);
  await key(" ");
  await until(() => document.activeElement.id === "field-text");
});

test("Shift or Alt alone moves no scene", async () => {
  await begin("a");
  await key("ArrowDown", { altKey: true });
  same([ids(), selected], [["a", "b", "c"], "a"]);
  await key("ArrowDown", { shiftKey: true });
  same([ids(), selected], [["a", "b", "c"], "b"]);
});

test("an address leads to the whole capsule, a scene or a field, and one that nobody knows to nothing", async () => {
  await begin();
  const goes = async (hash) => {
    location.hash = hash;
    await until(() => location.hash === `#${hash}`);
    await pause(20);
    await drawn();
    return [selected, document.body.dataset.open, document.activeElement.id];
  };
  const [wait, { scrollIntoView }, waits, seen] = [setTimeout, Element.prototype, [], []];
  Element.prototype.scrollIntoView = function see() {
    seen.push(this.id);
  };
  globalThis.setTimeout = (act, ms) => (ms === 2000 ? waits.push(act) : wait(act, ms));
  same((await goes("b.alt")).slice(0, 2), ["b", "inspector"]);
  await until(() => document.activeElement.id === "field-alt" && waits.length);
  same([find("#field-alt").classList.contains("led-to"), seen.at(-1)], [true, "field-alt"]);
  Object.assign(globalThis, { setTimeout: wait });
  Object.assign(Element.prototype, { scrollIntoView });
  for (const act of waits) act();
  same(find("#field-alt").classList.contains("led-to"), false);
  same((await goes("c")).slice(0, 2), ["c", ""]);
  same((await goes("nobody.text")).slice(0, 2), ["c", ""]);
  same((await goes("b%")).slice(0, 2), ["c", ""]);
  same((await goes("b.%")).slice(0, 2), ["b", "inspector"]);
  same((await goes("c")).slice(0, 2), ["c", ""]);
  same((await goes("story.summary")).slice(0, 2), ["story", "inspector"]);
  await until(() => document.activeElement.id === "field-summary");
  same(
    [find("#strip .thumb-story").getAttribute("aria-pressed"), thumb("a").tabIndex, thumb("b").tabIndex],
    ["true", 0, -1],
  );
  same(find("#stage-head .turn span").textContent.trim(), "– / 3");
  const push = history.pushState;
  history.pushState = () => same("a step", "none: the way back would open the fields again");
  closeInspector();
  history.pushState = push;
  same([location.hash, document.body.dataset.open], ["#c", ""]); // the scene before
  select("b");
  await drawn();
  same(find("#stage-head .turn span").textContent.trim(), "2 / 3");
});

test("a folded field is unfolded by who is led to it", async () => {
  await begin();
  const folded = () => find("#field-place")?.closest("details").open;
  await focusField("place");
  same([folded(), document.activeElement.id], [true, "field-place"]);
  find("#field-place").closest("details").open = false;
  open("a");
  await drawn();
  same([location.hash, document.activeElement.className], ["#a.", "linklike back-to-stage"]);
  closeInspector();
});

test("who is led to a folded field brings it, though nobody has touched the page", async () => {
  await begin();
  for (const [name, brings] of [
    ["focus", "focus"],
    ["place", "looks"],
    ["size", "looks"],
    ["fit", "looks"],
  ]) {
    for (const fold of all("#inspector details")) fold.open = false;
    await pause(20); // the browser says that they are folded, which asks for the part
    Object.assign(part(brings), { here: undefined, asked: undefined });
    redraw();
    await until(() => !find(`#field-${name}`), name);
    await focusField(name);
    const { id } = document.activeElement;
    same([id, document.activeElement.closest("details")?.open], [`field-${name}`, true]);
  }
});

test("on a phone the list of scenes leads on into the fields", async () => {
  await begin();
  openOrder();
  await until(() => document.body.dataset.open === "strip");
  choose("b");
  same([selected, document.body.dataset.open, location.hash], ["b", "inspector", "#b."]);
  select("c");
  same(location.hash, "#c.");
  closeInspector();
  choose("a");
  same([selected, document.body.dataset.open, location.hash], ["a", "", "#a"]);
});

test("a part that arrives is drawn at once; where it does not, the author is told", async () => {
  await begin();
  const menus = part("menus");
  const [real, here] = [menus.here, menus.asked];
  Object.assign(menus, { here: undefined, asked: undefined });
  redraw();
  await until(() => !find("#more-menu").childElementCount);
  menus.use();
  await until(() => menus.here);
  await drawn();
  holds(find("#more-menu").childElementCount);
  const broken = part("no such part");
  broken.run(() => {});
  await until(() => find("#toast").textContent.includes("could not be loaded"));
  let ran = 0;
  menus.run(() => {
    ran += 1;
  });
  same(ran, 1);
  Object.assign(menus, { here: real ?? menus.here, asked: here ?? menus.asked });
});

test("who opens fields without a connection reads why there are none, and has them once it is back", async () => {
  await begin();
  const told = () => find("#inspector").textContent.includes("could not be loaded");
  const parts = {
    "capsule-fields": ["story", "#field-title"],
    looks: ["a", "#field-place"],
    focus: ["a", ".focus-picture"],
  };
  for (const [name, [place, fields]] of Object.entries(parts)) {
    Object.assign(part(name), { here: undefined, asked: undefined, name: "no such part" });
    select(place);
    part(name).use();
    await until(told, () => name);
    Object.assign(part(name), { asked: undefined, name });
    dispatchEvent(new Event("online"));
    await until(
      () => find(`#inspector ${fields}`),
      () => name,
    );
    holds(!told(), name);
  }
});

// --- fields of a scene and of the capsule

test("a field says how long its text is, and what is missing", async () => {
  await begin();
  const hint = () => find("#field-text-hint").textContent;
  await type("text", "x");
  same(hint(), "1 character");
  await type("text", "😀😀");
  same(hint(), "2 characters");
  await type("text", "");
  same(
    [hint(), thumb("a").querySelector(".thumb-missing").textContent.startsWith("! 1")],
    ["Every scene needs a text", true],
  );
  await type("text", "x".repeat(280));
  same(hint(), "280 characters");
  await type("text", "x".repeat(281));
  same([hint(), find("#field-text").getAttribute("aria-invalid")], ["281 characters, long for one screen", "true"]);
  await type("text", "Text of a.");
  same(find("#field-text").getAttribute("aria-invalid"), "false");
});

test("the look of a scene's words begins with what nobody chose, and is chosen there", async () => {
  await begin();
  await focusField("place");
  same(
    ["place", "size", "fit"].map((name) => find(`#field-${name}`).value),
    ["auto", "auto", "auto"],
  );
  find("#field-place").value = "top";
  find("#field-place").dispatchEvent(new Event("change"));
  await drawn();
  same(
    [draft.scene("a").place, find("#field-place").value, undo.done.at(-1).what],
    ["top", "top", "Place of the words"],
  );
});

test("the Undo beside a deletion brings the scene back, and takes back nothing that was written since", async () => {
  await begin("b");
  await key("Delete");
  await until(() => ids().length === 2);
  await type("text", "Written since.");
  await click("Undo", find("#toast"));
  await until(() => ids().length === 3);
  same([selected, draft.scene("c").text], ["b", "Written since."]);
  undo.back();
  same([draft.scene("c").text, ids().length], ["Text of c.", 3]);
  await saved();
});

test("a choice shows what its scene has after another scene, and after it was undone and done again", async () => {
  await begin();
  await focusField("place");
  const shown = () => find("#field-place").value;
  find("#field-place").value = "top";
  find("#field-place").dispatchEvent(new Event("change"));
  await drawn();
  for (const [id, place] of [
    ["b", "auto"],
    ["a", "top"],
  ]) {
    select(id);
    await drawn();
    same([id, shown()], [id, place]);
  }
  undo.back();
  await drawn();
  same(shown(), "auto");
  undo.again();
  await drawn();
  same(shown(), "top");
});

/** The capsule's own fields, with a look that nobody changed yet. */
async function beginWithLook() {
  await begin("story");
  Object.assign(draft.served.story, { look: { theme: "night", face: "serif", accent: null } });
  draft.folded = null;
  select("story");
  await until(() => find("[name=theme]"));
}

test("the look of the capsule is chosen in one step each, and an accent that cannot be read says so", async () => {
  await beginWithLook();
  const words = () => find("#inspector").textContent.replace(/\s+/g, " ");
  same([find("[name=theme]:checked").value, find("#field-face").value], ["night", "serif"]);
  holds(words().includes("The theme's own accent."));
  find("[name=theme][value=day]").click();
  await drawn();
  same(draft.story.look, { theme: "day", face: "serif", accent: null });
  const accent = find("#field-accent");
  accent.value = "#ffff00";
  accent.dispatchEvent(new Event("change"));
  await drawn();
  holds(words().includes("Darkened to #"), words());
  find("[name=theme][value=ink]").click();
  await drawn();
  holds(words().includes("Shown as it is."), words());
  accent.value = "#000010";
  accent.dispatchEvent(new Event("change"));
  await drawn();
  holds(words().includes("Lightened to #"), words());
  draft.edit("story", { look: { ...draft.story.look, accent: "#FFD166" } });
  await drawn();
  holds(words().includes("Shown as it is."), words());
  await click("The theme's own accent", find("#inspector"));
  same(draft.story.look, { theme: "ink", face: "serif", accent: null });
});

test("two parts of the look that are chosen before anything is drawn both stay", async () => {
  await beginWithLook();
  find("[name=theme][value=paper]").click();
  find("#field-face").value = "slab";
  find("#field-face").dispatchEvent(new Event("change"));
  same(draft.story.look, { theme: "paper", face: "slab", accent: null });
});

test("a title that nobody chose is there to be written over", async () => {
  await begin("story");
  for (const [title, isSelected] of [
    ["Untitled", true],
    ["Mine", false],
  ]) {
    draft.served.story.title = title;
    draft.folded = null;
    select("story");
    await drawn();
    await until(() => find("#field-title")?.value === title);
    find("#field-title").focus();
    same(find("#field-title").selectionEnd - find("#field-title").selectionStart, isSelected ? title.length : 0);
    find("#field-title").blur();
  }
});

test("an edition is shown to readers by its own box", async () => {
  await begin("story");
  Object.assign(draft.served.story, { capsuleId: "o", shown: false, editionLabel: "Deutsch" });
  draft.folded = null;
  select("story");
  await until(() => find("#field-editionLabel"));
  const box = find("#field-editionLabel").closest("div").nextElementSibling.querySelector("input");
  same([box.checked, find("#field-editionLabel").value], [false, "Deutsch"]);
  box.click();
  same([draft.story.shown, undo.done.at(-1).what], [true, "Shown to readers"]);
});

test("the menu of a scene copies it, moves it, removes it and makes it the cover", async () => {
  await begin("b");
  await part("menus").get();
  await drawn();
  const item = (words) => named(words, find("#scene-menu"));
  item("Use as cover").click();
  same(draft.story.cover, "b");
  item("Move to…").click();
  await until(() => find("#dialog").open);
  closeDialog();
  item("Duplicate").click();
  await until(() => ids().length === 4);
  select("a");
  await drawn();
  item("Delete scene").click();
  await until(() => !ids().includes("a"));
  same(ids()[0], "b");
});

test("the bar leads to the first field that the service does not take", async () => {
  await begin("c");
  draft.edit("a", { text: "x".repeat(60) });
  await until(() => saver.state === "held");
  await drawn();
  await click("Show", find("#bar"));
  await until(() => document.activeElement.id === "field-text");
  same(selected, "a");
  closeInspector();
});

// --- a long text

test("a text that is too long for a screen becomes scenes, in one step of undo", async () => {
  for (const [id, order, own] of [
    ["a", [0, 1, 2], 0],
    ["c", [2, 3, 4], 2],
  ]) {
    await begin(id);
    const parts = ["One", "Two", "Three"].map((word) => `${word} ${"x".repeat(120)}.`);
    await type("text", parts.join("\n\n"));
    const before = draft.scene(id).text;
    await click("Make 3 scenes of it…", find("#inspector"));
    same(
      all("#dialog .split-parts li").map(({ textContent }) => textContent),
      parts,
    );
    await click("Make 3 scenes", find("#dialog .dialog-end"));
    await until(() => ids().length === 5);
    same(
      order.map((place) => draft.scenes[place].text),
      parts,
    );
    same([ids()[order[own]], find("#toast").textContent.includes("3 scenes made of the text.")], [id, true]);
    same(document.activeElement?.id, "field-text");
    await click("Undo", find("#toast"));
    same([ids(), draft.scene(id).text === before], [["a", "b", "c"], true]);
    undo.again();
    same(
      order.map((place) => draft.scenes[place].text),
      parts,
    );
    undo.back();
  }
});

test("a text that just fits on a screen is not parted, and one character more may be", async () => {
  await begin("a");
  const two = (length) => `${"x".repeat(100)}.\n\n${"x".repeat(length - 103)}`;
  await type("text", two(280));
  holds(!named("Make", find("#inspector")));
  await type("text", two(281));
  holds(named("Make 2 scenes of it…", find("#inspector")));
});

test("no more scenes are made of a text than there is room for", async () => {
  await begin("a");
  const parts = ["One", "Two", "Three", "Four", "Five"].map((word) => `${word} ${"x".repeat(120)}.`);
  await type("text", parts.slice(1).join("\n\n"));
  holds(named("Make 4 scenes of it…", find("#inspector")));
  await type("text", parts.join("\n\n"));
  holds(!named("Make", find("#inspector")));
  const long = "Some words of a sentence. ".repeat(60);
  await type("text", long); // too many for short scenes: longer ones, of which there is room for all
  await click("Make 3 scenes of it…", find("#inspector"));
  draft.edit("a", { text: "Short." });
  await drawn();
  same(
    all("#dialog h2, #dialog p").map(({ textContent }) => textContent),
    ["Make scenes of it", "There is nothing to part."],
  );
  closeDialog();
});

test("a text that a finale has alone becomes scenes before it", async () => {
  await begin("c");
  draft.served.scenes.splice(0, 2);
  draft.folded = null;
  await type("text", [`One ${"x".repeat(200)}.`, `Two ${"x".repeat(200)}.`].join("\n\n"));
  await click("Make 2 scenes of it…", find("#inspector"));
  await click("Make 2 scenes", find("#dialog .dialog-end"));
  same([ids()[1], draft.scenes.map(({ text }) => text.slice(0, 3))], ["c", ["One", "Two"]]);
});

test("who has gone elsewhere meanwhile is not taken to another scene", async () => {
  await begin("a");
  goOn("b", "c");
  same(selected, "a");
  goOn("a", "c");
  same(selected, "c");
});
