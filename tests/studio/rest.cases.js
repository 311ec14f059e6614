/* What is done with a hand here and there: in the strip, the bar, the menus, and what a refusal of each says. */

import { allSaved, allTaken } from "/static/studio/all-saved.js";
import { check } from "/static/studio/check.js";
import { openCheck } from "/static/studio/dialog-commands.js";
import { closeDialog } from "/static/studio/dialogs.js";
import { setFields } from "/static/studio/editing.js";
import { openDatabase } from "/static/studio/journal.js";
import { part } from "/static/studio/lazy.js";
import { select, selected } from "/static/studio/navigation.js";
import { pulse } from "/static/studio/presence.js";
import { redraw } from "/static/studio/redraw.js";
import { add } from "/static/studio/scene-changes.js";
import { stage } from "/static/studio/stage.js";
import { write } from "/static/studio/stage-text.js";
import { draft, saver, undo } from "/static/studio/store.js";
import { countUnsaved, forgetUnsaved } from "/static/studio/unsaved.js";
import { uploads } from "/static/studio/upload-list.js";
import { all, begin, click, drawn, find, ids, key, named, saved, saveNothing, thumb } from "./editor.js";
import { holds, pause, same, test, until } from "./runner.js";
import { answerInstead, asked, json, refusal } from "./service.js";

const text = (selector) => find(selector).textContent.replace(/\s+/g, " ").trim();

// --- undo and redo of scenes

test("a new scene, a copy and a removal are undone and redone", async () => {
  for (const [name, count, what] of [
    ["n", 4, "Add a scene"],
    ["d", 4, "Duplicate a scene"],
    ["Delete", 2, "Delete a scene"],
  ]) {
    await begin("b");
    await key(name);
    await until(() => ids().length === count);
    const after = ids();
    undo.back();
    same([ids(), find("#polite").textContent], [["a", "b", "c"], `Undone: ${what}.`]);
    undo.again();
    same([ids(), find("#polite").textContent], [after, `Redone: ${what}.`]);
    undo.back();
  }
});

test("the last scene that is removed leads to the one before, and the only one to the capsule", async () => {
  await begin("c");
  await key("Delete");
  await until(() => ids().length === 2);
  same(selected, "b");
  await key("Delete", {}, thumb("b"));
  await until(() => ids().length === 1);
  await drawn();
  await key("Delete", {}, thumb("a"));
  await until(() => !ids().length);
  await until(() => selected === "story" && find("#field-title"));
  same(all("[name=cover]"), []);
});

test("a field that was chosen is undone and redone, and one of a scene that is gone is not set", async () => {
  await begin("b");
  setFields("b", { animation: "none" }, "Movement");
  undo.back();
  same(draft.scene("b").animation, "auto");
  undo.again();
  same(draft.scene("b").animation, "none");
  const steps = undo.done.length;
  setFields("nobody", { animation: "none" }, "Movement");
  same(undo.done.length, steps);
});

// --- the strip

test("a click in the strip selects, and a drag moves", async () => {
  await begin("a");
  find("#strip .thumb-story").click();
  same(selected, "story");
  thumb("b").click();
  await drawn();
  same([selected, thumb("b").getAttribute("aria-selected")], ["b", "true"]);
  const at = (type, clientY) =>
    new PointerEvent(type, { clientX: 1, clientY, isPrimary: true, pointerType: "mouse", bubbles: true });
  const box = (id) => thumb(id).getBoundingClientRect();
  const middle = box("a").top + box("a").height / 2;
  thumb("a").dispatchEvent(at("pointerdown", middle));
  await part("drag").get();
  find("#strip ol").style.flexDirection = "column";
  await pause(0);
  dispatchEvent(at("pointermove", box("b").bottom));
  dispatchEvent(at("pointerup", box("b").bottom));
  await until(() => ids().join("") === "bac");
  thumb("a").dispatchEvent(at("pointerdown", box("a").top + 1));
  dispatchEvent(at("pointerup", box("a").top + 1));
  await pause(30);
  dispatchEvent(at("pointermove", 9999));
  dispatchEvent(at("pointerup", 9999));
  same(ids(), ["b", "a", "c"]);
});

test("scenes in the strip are numbered from one, and say so to who hears them", async () => {
  await begin("a");
  const numbers = all("#strip .thumb-number").map(({ textContent }) => textContent.replace(/\s+/g, " ").trim());
  same(numbers, ["Scene 1 of 3:", "Scene 2 of 3:", "Scene 3 of 3:"]);
});

test("a scene in the strip says what is missing, who has it open and what is on its way", async () => {
  await begin("a");
  setFields("b", { still: null, text: "", animation: "none" }, "x");
  pulse.latest.others = [{ name: "ann b. low@x", scene: "b" }];
  redraw();
  await drawn();
  same(check.missingIn(draft.scene("b"), 1), ["text", "still"]);
  same(
    [text("#strip [data-scene=b] .thumb-missing"), text("#strip [data-scene=b] .thumb-empty")],
    ["! 2 missing", "No picture"],
  );
  same(
    [text("#strip [data-scene=b] .thumb-who"), find("#strip .thumb-who").title],
    ["AB", "ann b. low@x has this scene open"],
  );
  uploads.everywhere = [{ id: "v", scene: "b", filename: "v", state: "checking", percent: 1 }];
  setFields("a", { finale: true }, "x");
  redraw();
  await drawn();
  same([text("#strip [data-scene=b] .thumb-empty"), check.missingIn(draft.scene("a"), 0)], ["On its way", ["finale"]]);
  uploads.everywhere = [];
  setFields("b", { still: { id: "late", kind: "picture", filename: "l.jpg", thumbnailUrl: null } }, "x");
  await drawn();
  same(text("#strip [data-scene=b] .thumb-empty"), "Being prepared");
});

test("what is missing is told to who comes back to a capsule, or asks", async () => {
  await begin("a");
  const fault = (what) => ({ path: `scenes.1.${what}`, sceneId: "b", message: what });
  const faults = ["text", "still", "animation"].map(fault);
  setFields("b", { still: null, text: "" }, "x");
  Object.assign(check, { isTold: false, known: true });
  clearTimeout(check.timer);
  const told = async () => {
    check.faults = faults; // whatever the service of these cases says meanwhile
    redraw();
    await drawn();
    return [
      find("#foot").textContent.match(/Check( \(\d\))?/)[0],
      find("#bar .bar-tools").textContent.match(/\d missing|Check|Ready/)[0],
      find("#strip [data-scene=b] .thumb-missing")?.textContent.trim(),
    ];
  };
  same(await told(), ["Check", "Check", undefined]);
  openCheck();
  same(await told(), ["Check (2)", "2 missing", "! 2 missing"]);
  closeDialog();
});

test("the checklist looks first, and is drawn once the service has said what is missing and would be better", async () => {
  await begin("a");
  await part("checklist").get();
  clearTimeout(pulse.timer);
  clearTimeout(check.timer);
  Object.assign(check, { known: false, faults: [], advice: [] });
  const faults = [
    { path: "title", message: "No title." },
    { path: "scenes.9.text", sceneId: "gone", message: "No text." },
  ];
  const advice = [{ path: "summary", message: "A sentence." }];
  answerInstead(({ path }) => (path.endsWith("/readiness") ? json({ faults, advice }) : undefined));
  redraw();
  await drawn();
  holds(named("Check", find("#bar")));
  openCheck();
  same(text("#dialog p"), "Looking…");
  await until(() => check.known);
  await drawn();
  same(
    all("#dialog .row-link").map(({ textContent }) => textContent.trim()),
    ["No title.", "No text.", "A sentence."],
  );
  holds(named("2 missing", find("#bar")));
  closeDialog();
});

// --- the bar, the foot and the menus

test("the bar leads to the title, undoes and redoes, and tries again", async () => {
  await begin("b");
  find("#bar .bar-title").click();
  await until(() => document.activeElement.id === "field-title" && selected === "story");
  setFields("b", { alt: "x" }, "Alt");
  await drawn();
  const [back, again] = all("#bar .bar-tools .icon-button");
  same([back.disabled, again.disabled], [false, true]);
  back.click();
  await drawn();
  same([draft.scene("b").alt, back.disabled, again.disabled], ["", true, false]);
  again.click();
  same(draft.scene("b").alt, "x");
  Object.assign(saver, { state: "trouble", reason: "Why." });
  redraw();
  await drawn();
  same(text("#bar .save-state"), "Not saved: Why. Try again");
  await click("Try again", find("#bar"));
  await until(() => saver.state === "saved");
  saver.state = "signed-out";
  redraw();
  await drawn();
  const signIn = find("#bar .save-state a");
  same([signIn.target, signIn.rel, signIn.getAttribute("href")], ["_blank", "opener", "#login"]);
  saver.state = "offline";
  uploads.all.set("u", { id: "u", state: "sending", file: { size: 1 } });
  redraw();
  await drawn();
  holds(text("#bar .save-state").startsWith("Offline: "), "files on their way say less than a lost connection");
  uploads.all.clear();
  saver.state = "saved";
});

test("the foot of a phone opens the fields, and the menu unpublishes and undoes", async () => {
  await begin("b");
  find("#foot button").click();
  same([document.body.dataset.open, location.hash], ["inspector", "#b."]);
  document.body.dataset.open = "";
  Object.assign(draft.served.story, { publication: { isPublished: true, url: "/w/x" }, visibility: "public" });
  draft.folded = null;
  redraw();
  await until(() => named("Unpublish", find("#more-menu")));
  named("Unpublish", find("#more-menu")).click();
  await until(() => find("#dialog h2")?.textContent === "Unpublish?");
  await click("Keep it live", find("#dialog"));
  named("Who can see it", find("#more-menu")).click();
  await until(() => find("#dialog h2")?.textContent === "Who can see it");
  closeDialog();
  Object.assign(draft.served.story, { capsuleId: "o", shown: true });
  draft.folded = null;
  redraw();
  await until(() => !named("Unpublish", find("#more-menu")));
  const steps = () => ["Undo", "Redo"].map((words) => named(words, find("#more-menu")).disabled);
  same(steps(), [true, true]);
  setFields("b", { alt: "x" }, "Alt");
  await drawn();
  same(steps(), [false, true]);
  named("Undo", find("#more-menu")).click();
  same(draft.scene("b").alt, "");
  await drawn();
  named("Redo", find("#more-menu")).click();
  same(draft.scene("b").alt, "x");
});

test("the menu checks what is missing, and asks before it throws away", async () => {
  await begin("b");
  await part("menus").get();
  named("Check what is missing", find("#more-menu")).click();
  await until(() => find("#dialog h2")?.textContent === "Check");
  named("Move to trash", find("#more-menu")).click();
  same(find("#dialog h2").textContent, "Move to trash?");
  closeDialog();
  same(asked, []);
});

test("a preview opens its page at once, and one that failed is made again", async () => {
  await begin("b");
  const page = { location: {}, close() {} };
  const { open } = window;
  const opened = [];
  window.open = (...args) => {
    opened.push(args);
    return page;
  };
  answerInstead(({ method, path }) =>
    method === "POST" && /previews/.test(path) ? json({ number: 4, state: "failed" }) : undefined,
  );
  for (const place of ["#bar", "#more-menu"]) {
    page.location.href = "";
    const press = new MouseEvent("click", { bubbles: true, cancelable: true });
    named("Preview", find(place)).dispatchEvent(press);
    same([opened.pop(), press.defaultPrevented], [["", "capsules-preview"], true]);
    await until(() => page.location.href === "/preview/4");
  }
  window.open = open;
  const failed = { state: "failed", error: "It has no end." };
  draft.served.scenes[1].rendering = { still: failed, animation: null };
  draft.folded = null;
  redraw();
  await click("Try again", find("#inspector"));
  await until(() => asked.at(-1).path === "/stories/s/previews/4/retry");
  draft.served.scenes[1].rendering = null;
});

test("nothing goes out while a field is held or something cannot be saved", async () => {
  const reason = (act) =>
    act.then(
      () => "",
      ({ message }) => message,
    );
  await begin("a");
  same(await reason(allTaken(saver)), "");
  draft.edit("b", { text: "x".repeat(60) });
  same(
    await reason(allTaken(saver)),
    "Scene 2 has a field that is not saved: it is too long, or was refused. Please mend it first.",
  );
  same(await reason(allSaved(saver)), "");
  await begin("a");
  draft.edit("story", { title: "x".repeat(60) });
  holds((await reason(allTaken(saver))).startsWith("The whole capsule has a field that is not saved"));
  await begin("a");
  answerInstead(({ method }) => (method === "PATCH" ? refusal(403) : undefined));
  draft.edit("a", { text: "For nobody." });
  same(await reason(allSaved(saver)), "Refused 403.");
});

test("what is missing is asked for again once a change is saved", async () => {
  await begin("a");
  let asks = 0;
  answerInstead(({ path }) => {
    if (path.endsWith("/readiness")) asks += 1;
    return undefined;
  });
  draft.edit("a", { text: "x" });
  await until(() => asks === 1);
  saver.now();
  await saved();
  await until(() => asks === 2);
  check.ask(); // somebody does
  await until(() => asks === 3);
  for (let times = 0; times < 3; times += 1) check.refresh();
  await until(() => asks === 4);
  await pause(50);
  same(asks, 4);
});

// --- the capsule, its cover, its language

test("cover and language are chosen in one step each", async () => {
  await begin("story");
  await until(() => all("[name=cover]").length === 4);
  all("[name=cover]")[2].click();
  same([draft.story.cover, undo.done.at(-1).what], ["b", "Cover"]);
  all("[name=cover]")[0].click();
  same(draft.story.cover, null); // whichever scene is the first
  same(find("#field-language").value, "en");
  find("#field-language").value = "de";
  find("#field-language").dispatchEvent(new Event("change"));
  same([draft.story.language, undo.done.at(-1).what], ["de", "Language"]);
});

test("the checklist says that everything is there, what would be better, and leads to where scenes are added", async () => {
  await begin("a");
  const { openChecklist } = await import("/static/studio/checklist.js");
  // At once from here on: the service may answer meanwhile what the case before had it asked.
  check.known = true;
  check.faults = [];
  check.advice = [{ path: "title", message: "A longer title." }];
  openChecklist();
  holds(
    /To publish ?Everything is there\. ?To make it better ?A longer title\./.test(text("#dialog")),
    text("#dialog"),
  );
  find("#dialog .row-link").click();
  await until(() => document.activeElement.id === "field-title" && selected === "story");
  check.faults = [{ path: "scenes", message: "No scene." }];
  check.advice = [];
  uploads.all.set("u", { state: "sending" });
  uploads.own.add("u");
  uploads.everywhere = [{ id: "u" }, { id: "v" }, { id: "w" }];
  openChecklist();
  holds(text("#dialog").includes("3 files are still on their way in"), text("#dialog"));
  for (const some of [uploads.all, uploads.own]) some.clear();
  uploads.everywhere = [];
  holds(!text("#dialog").includes("To make it better"));
  find("#dialog .row-link").click();
  same([document.activeElement.classList.contains("thumb-add"), find("#dialog").open], [true, false]);
  check.faults = [];
});

test("a film is asked for where a scene is to move as one and has none", async () => {
  await begin("b");
  const { click: open } = HTMLInputElement.prototype;
  const kinds = [];
  HTMLInputElement.prototype.click = function ask() {
    if (this.type === "file") kinds.push(this.accept.includes("image"));
    else open.call(this);
  };
  find("input[name=animation][value=film]").click();
  named("Replace picture", find("#inspector")).click();
  named("Add a film", find("#inspector")).click();
  HTMLInputElement.prototype.click = open;
  await drawn();
  same(
    [kinds, draft.scene("b").animation, find("input[name=animation]:checked").value],
    [[false, true, false], "auto", "auto"],
  );
});

// --- dialogs that the service refuses

test("a link for a phone and the media say why they are not there", async () => {
  await begin("a");
  answerInstead(({ path }) => (path === "/uploads/links" || path === "/media" ? refusal(409) : undefined));
  named("From your phone").click();
  await until(() => find("#dialog .fault")?.textContent === "Refused 409.");
  closeDialog();
  await pause(20);
  named("Media", find("#inspector")).click();
  await until(
    () => find("#dialog .library") && find("#dialog .fault")?.textContent === "Refused 409.",
    () => find("#dialog").innerHTML,
  );
  closeDialog();
  answerInstead(({ path }) => (path === "/media" ? json({ items: [], nextCursor: null }) : undefined));
  named("Media", find("#inspector")).click();
  await until(() => text("#dialog").includes("Nothing here yet."));
  same(named("More", find("#dialog")), undefined);
  closeDialog();
  select("story");
  answerInstead(({ path }) => (path === "/uploads/links" ? json({ url: "https://x.test/up/2" }) : undefined));
  const { openPhoneLink } = await import("/static/studio/phone-link.js");
  await openPhoneLink();
  await until(
    () => text("#dialog").includes("Files appear in your media."),
    () => text("#dialog"),
  );
  same([asked.at(-1).body, find("#dialog .fault")], [{ storyId: "s" }, null]);
  const link = find("#dialog input");
  link.focus();
  same([link.value, link.selectionStart, link.selectionEnd], ["https://x.test/up/2", 0, 19]);
  closeDialog();
  select(add(draft, "a")); // the service knows nothing of this scene yet
  await openPhoneLink();
  same(asked.findLast(({ path }) => path === "/uploads/links").body, { storyId: "s" });
});

// --- two tabs of one person

test("words of one's own other tab are called so, and each field of a card is settled by itself", async () => {
  await begin("a");
  const by = { id: "1", name: "Me" };
  draft.conflicts.set("a", { text: { mine: "m", theirs: "t", by }, focus: { mine: [0, 0], theirs: [1, 1] } });
  redraw();
  await until(() => all(".conflict").length === 2);
  const [own, other] = all(".conflict").map((card) => card.textContent.replace(/\s+/g, " "));
  holds(own.includes("You changed the text in another tab") && own.includes("In the other tab, which is saved"), own);
  holds(own.includes("Here, kept in the history"), own);
  holds(other.includes("Somebody else changed the focus too") && other.includes("[1,1]"), other);
  await click("Keep mine", all(".conflict")[1]);
  same([Object.keys(draft.conflicts.get("a")), draft.scene("a").focus], [["text"], [0, 0]]);
  await click("Take theirs", find(".conflict"));
  same([draft.conflicts.size, draft.scene("a").text], [0, "t"]);
  draft.conflicts.set("story", { title: { mine: "m", theirs: "t", by: { id: "2", name: "Ben" } } });
  select("story");
  await until(() => find(".conflict h3")?.textContent === "Ben changed the title too");
  same(named("Keep both", find(".conflict")), undefined);
  await drawn();
  const seen = [];
  const { scrollIntoView } = Element.prototype;
  Element.prototype.scrollIntoView = function see() {
    seen.push(this.className);
  };
  draft.conflicts.set("b", { title: { mine: "m", theirs: "t", by: { id: "2", name: "Ben" } } });
  select("b");
  await until(() => find(".conflict h3")?.textContent === "Ben changed the heading too");
  await until(() => seen.length);
  Element.prototype.scrollIntoView = scrollIntoView;
  same(seen, ["card conflict"]);
  same(
    all(".conflict-label").map(({ textContent }) => textContent),
    ["Theirs, which is saved", "Yours, kept in the history"],
  );
  draft.conflicts.clear();
});

test("an answer that was cut off is asked for again", async () => {
  const tags = [];
  const real = fetch;
  const answers = ['{"revision": 7', '{"revision": 7}'];
  globalThis.fetch = (url, options) => {
    if (!String(url).startsWith("/pulse")) return real(url, options);
    tags.push(options.headers["If-None-Match"]);
    return Promise.resolve(new Response(answers.shift() ?? "{}", { headers: { ETag: '"1"' } }));
  };
  Object.assign(pulse, { etag: null, touched: Date.now() });
  await pulse.beat();
  await pulse.beat();
  globalThis.fetch = real;
  same([tags, pulse.latest.revision, pulse.etag], [[undefined, undefined], 7, '"1"']);
});

test("the pulse beats at once where the page is seen again, and says what it knows already", async () => {
  await begin("a");
  const tags = [];
  const real = fetch;
  globalThis.fetch = (url, options) => {
    if (!String(url).startsWith("/pulse")) return real(url, options);
    tags.push(options.headers["If-None-Match"]);
    const latest = { revision: 1, encodes: {}, others: [], uploads: [{ id: "v", scene: "b", state: "checking" }] };
    return Promise.resolve(tags.length > 1 ? new Response(null, { status: 304 }) : json(latest, 200, { ETag: '"1"' }));
  };
  Object.assign(pulse, { etag: null, touched: Date.now() });
  document.dispatchEvent(new Event("visibilitychange"));
  await until(() => tags.length === 1);
  await until(() => pulse.etag);
  clearTimeout(pulse.timer); // a slow machine would count its next beat as well
  same(pulse.rhythm, 1000);
  await pulse.beat();
  same([tags, pulse.latest.uploads.length], [[undefined, '"1"'], 1]);
  globalThis.fetch = real;
  pulse.latest.uploads = [];
});

// --- the stage

test("a picture of this device stands on the stage until the service has rendered it", async () => {
  await begin("b");
  const page = document.implementation.createHTMLDocument();
  page.body.innerHTML = `<section data-scene="b"><div class="text"></div>
    <div class="stage"><picture><source><img></picture></div></section>`;
  const section = page.querySelector("section");
  const put = () => write(page, (id) => (id === "b" ? section : null));
  put();
  same(section.querySelectorAll("source").length, 1);
  uploads.all.set("u", { id: "u", target: "b", state: "sending", localUrl: "blob:here" });
  put();
  same([section.querySelector("img").getAttribute("src"), section.querySelectorAll("source").length], ["blob:here", 0]);
  same(section.style.getPropertyValue("--px"), "var(--x)");
  same([section.dataset.size, section.dataset.place], ["large", undefined]);
  draft.edit("b", { place: "top", focus: [0.1, 0.5] });
  put();
  same([section.dataset.place, section.dataset.side], ["top", "end"]);
  uploads.all.clear();
});

test("the film on the stage stands where a handle is, as far as it was rendered", async () => {
  await begin("b");
  saveNothing();
  setFields("b", { film: { id: "f", kind: "film", filename: "f.mp4", duration: 30 }, animation: "film" }, "Film");
  find("details.focus").open = true;
  await until(() => find("#field-trim"));
  const video = {
    paused: 0,
    pause() {
      video.paused += 1;
    },
    duration: 12,
    currentTime: -1,
  };
  stage.section = () => ({ querySelector: () => video });
  const move = async (value) => {
    find("#field-trim").value = value;
    find("#field-trim").dispatchEvent(new Event("input"));
    await drawn();
    return [video.currentTime, video.paused];
  };
  same(
    [await move("3"), await move("20")],
    [
      [3, 1],
      [3, 1],
    ],
  );
  draft.served.scenes[1].trim = { start: 2, length: 12 };
  same(
    [await move("1"), await move("14")],
    [
      [3, 1],
      [12, 2],
    ],
  );
  delete stage.section;
  await begin("b");
});

// --- what is left in this browser by who signs out

test("what a person has not saved is counted in all tabs, and forgotten for that person alone", async () => {
  const db = await openDatabase();
  const rows = db.transaction(["changes", "files"], "readwrite");
  rows.objectStore("changes").put({ id: "u1", person: "leaving" });
  rows.objectStore("changes").put({ id: "u2", person: "staying" });
  rows.objectStore("files").put({ id: "u3", person: "leaving" });
  await new Promise((then) => {
    rows.oncomplete = then;
  });
  same([await countUnsaved("leaving"), await countUnsaved("staying"), await countUnsaved("x")], [2, 1, 0]);
  await forgetUnsaved("leaving");
  same([await countUnsaved("leaving"), await countUnsaved("staying")], [0, 1]);
  await forgetUnsaved("staying");
  db.close();
});

test("of two answers on what is missing the one that was asked for last counts, whichever comes first", async () => {
  await begin();
  const then = [];
  answerInstead(({ path }) =>
    path.endsWith("/readiness")
      ? new Promise((answer) => then.push((faults) => answer(json({ faults, advice: [] }))))
      : undefined,
  );
  for (const count of [1, 2]) {
    check.refresh();
    await until(() => then.length === count);
  }
  then[1]([]);
  await until(() => !check.faults.length && check.known);
  then[0]([{ path: "title", message: "No title." }]);
  await pause(20);
  same(check.faults, []);
});
