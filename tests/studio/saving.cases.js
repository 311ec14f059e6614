/* Saving: between a key and the answer of the service. The service is service.js, behind `fetch`. */

import { Api } from "/static/studio/api.js";
import { Draft } from "/static/studio/draft.js";
import { sendLast } from "/static/studio/edit-requests.js";
import { chainOf, receive } from "/static/studio/merging.js";
import "/static/studio/parts.js";
import { Saver } from "/static/studio/save.js";
import { add, remove } from "/static/studio/scene-changes.js";
import { pause, same, test, until } from "./runner.js";
import { answerInstead, asked, emptyScene, othersSave, refusal, row, scenes, story } from "./service.js";

const api = new Api({ base: "/api/v2", tokenUrl: "/token", person: "me" });
const START = structuredClone({ story, scenes });

/** A page that has just been opened, on a service in its first state. */
function opened() {
  for (const old of open) old.api = { call: () => new Promise(() => {}) };
  Object.assign(story, structuredClone(START.story));
  scenes.splice(0, scenes.length, ...structuredClone(START.scenes));
  asked.length = 0;
  answerInstead(undefined);
  const draft = new Draft(structuredClone(START), { story: { title: 20 }, scene: { text: 60 } }, emptyScene);
  const journal = new Map();
  const keeper = {
    keep: async (_store, entry) => journal.set(entry.id, structuredClone(entry)),
    forget: async (_store, id) => journal.delete(id),
  };
  const saver = new Saver({ api, draft, journal: keeper });
  const refusals = [];
  saver.addEventListener("refused", ({ detail }) => refusals.push(detail));
  open.push(saver);
  return { draft, saver, journal, refusals };
}
const open = [];

const sends = () => asked.filter(({ method }) => method !== "GET");
const texts = () => sends().map(({ body }) => body?.text);
const saved = (saver) => until(() => !saver.waits && !saver.busy, "it was never saved");

/** Holds back what is asked, until it is let go. */
function held(matches = ({ method }) => method !== "GET") {
  const waiting = [];
  answerInstead((request) =>
    matches(request) ? new Promise((answer) => waiting.push({ request, answer })) : undefined,
  );
  return { waiting, came: (count) => until(() => waiting.length >= count, `${count} requests never came`) };
}

const fail = () => {
  throw new TypeError("no connection");
};

test("what is typed is in the journal at once, and leaves it when the service has it", async () => {
  const { draft, saver, journal } = opened();
  draft.edit("a", { text: "One" });
  same([[...journal.values()].map(({ fields }) => fields), saver.state], [[{ text: "One" }], "waiting"]);
  saver.now();
  await saved(saver);
  await until(() => !journal.size);
  same([row("a").text, saver.state, sends().length], ["One", "saved", 1]);
});

test("a key writes its own change into the journal, however much else waits", () => {
  const { draft, saver } = opened();
  const kept = [];
  saver.journal = { keep: async (_store, entry) => kept.push(entry.target), forget: async () => {} };
  for (const id of ["a", "b", "c"]) draft.edit(id, { text: "Some words" });
  kept.length = 0;
  draft.edit("b", { text: "Some more words" });
  same(kept, ["b"]);
});

/** For how long it puts off what it saves, from now on. */
function waitsOf(saver) {
  const waits = [];
  const put = saver.in.bind(saver);
  saver.in = (ms) => {
    waits.push(ms);
    put(ms);
  };
  return waits;
}

test("keys are saved together after a moment, and at once where the page is hidden", async () => {
  const { draft, saver } = opened();
  draft.edit("a", { text: "O" });
  await pause(30);
  draft.edit("a", { text: "On" });
  await pause(100);
  same(sends().length, 0);
  const waits = waitsOf(saver);
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
  delete document.hidden;
  same(waits, [0]);
  await until(() => sends().length === 1);
  await saved(saver);
  same(texts(), ["On"]);
});

test("what is no text is saved at once", async () => {
  const { draft, saver } = opened();
  const waits = waitsOf(saver);
  remove(draft, "b");
  same(waits, [0]);
  await until(() => sends().length);
});

test("a change waits for the last key, but not for ever while somebody goes on typing", () => {
  const { draft, saver } = opened();
  const waits = [];
  saver.in = (ms) => waits.push(Math.round(ms / 100) * 100);
  draft.edit("a", { text: "O" });
  saver.since = Date.now() - 4000;
  draft.edit("a", { text: "On" });
  saver.since = Date.now() - 4700;
  draft.edit("a", { text: "One" });
  saver.since = Date.now() - 6000;
  draft.edit("a", { text: "One two" });
  same(waits, [800, 800, 300, 0]);
});

test("how long a change waits is counted from the first key since the last save", async () => {
  const { draft, saver } = opened();
  draft.edit("a", { text: "One" });
  const { since } = saver;
  await pause(20);
  draft.edit("a", { text: "One two" });
  same(saver.since, since);
  await saver.run();
  same(saver.since, null);
});

test("that it is being saved is shown only of what takes a while, and no more once it is saved", async () => {
  const { draft, saver } = opened();
  const states = [];
  saver.addEventListener("state", () => states.push(saver.state));
  draft.edit("a", { text: "One" });
  await saver.run();
  clearTimeout(saver.timer);
  await pause(450);
  same(states, ["waiting", "saved"]);
  const line = held();
  draft.edit("a", { text: "One two" });
  saver.now();
  await line.came(1);
  await until(() => states.at(-1) === "saving");
  line.waiting[0].answer();
  await saved(saver);
  same(states, ["waiting", "saved", "waiting", "saving", "saved"]);
});

test("a page that is seen again saves nothing before its time", async () => {
  const { draft } = opened();
  draft.edit("a", { text: "One" });
  document.dispatchEvent(new Event("visibilitychange"));
  await pause(50);
  same(sends(), []);
});

test("a page without a token asks for none when it goes away", async () => {
  const { draft, saver } = opened();
  saver.api = new Api({ base: "/api/v2", tokenUrl: "/token", person: "me" });
  const paths = [];
  answerInstead(({ path }) => {
    paths.push(path);
  });
  draft.edit("a", { text: "One" });
  sendLast(saver);
  await pause(20);
  same(paths, []);
});

test("media are sent by their ids, with a new scene too", async () => {
  const { draft, saver } = opened();
  const still = { id: "p", kind: "picture", filename: "p.jpg", thumbnailUrl: null };
  const bodies = [];
  answerInstead(({ method, path, body }) => {
    if (path.includes("/scenes")) bodies.push([method, { ...body }]);
  });
  draft.edit("b", { still, alt: "A boat" });
  add(draft, "b", { still, text: "New" });
  saver.now();
  await saved(saver);
  same(bodies, [
    ["PATCH", { still: "p", alt: "A boat" }],
    ["POST", { after: "b", still: "p", text: "New" }],
  ]);
});

test("one request at a time, in the order of the changes", async () => {
  const { draft, saver } = opened();
  const line = held();
  draft.edit("a", { text: "One" });
  draft.edit("b", { text: "Two" });
  saver.now();
  await line.came(1);
  saver.now();
  await pause(30);
  same(line.waiting.length, 1);
  line.waiting[0].answer();
  await line.came(2);
  line.waiting[1].answer();
  await saved(saver);
  same(texts(), ["One", "Two"]);
});

test("what is typed during a save is a change of its own, and nobody meets himself", async () => {
  const { draft, saver } = opened();
  const line = held();
  draft.edit("a", { text: "One" });
  saver.now();
  await line.came(1);
  draft.edit("a", { text: "One two" });
  same(line.waiting[0].request.body, { text: "One" });
  line.waiting[0].answer();
  await line.came(2);
  same([line.waiting[1].request.body, line.waiting[1].request.version], [{ text: "One two" }, 2]);
  line.waiting[1].answer();
  await saved(saver);
  same([row("a").text, draft.conflicts.size], ["One two", 0]);
});

test("what was sent and never answered is sent again, and taken for nobody else's", async () => {
  const { draft, saver } = opened();
  answerInstead((request) => {
    if (request.method !== "PATCH") return undefined;
    Object.assign(row("a"), request.body, { version: 2 });
    return fail();
  });
  draft.edit("a", { text: "One" });
  saver.now();
  await until(() => saver.state === "offline");
  same([draft.changes[0].state, saver.waits], ["unanswered", 1]);
  draft.edit("a", { text: "One two" });
  answerInstead(undefined);
  saver.now();
  await saved(saver);
  same([row("a").text, draft.conflicts.size], ["One two", 0]);
});

test("offline it waits, counts, and goes on when the connection is back", async () => {
  const { draft, saver } = opened();
  answerInstead(fail);
  draft.edit("a", { text: "One" });
  saver.now();
  await until(() => saver.state === "offline");
  same(saver.reason, "The service cannot be reached.");
  draft.edit("a", { text: "One" });
  draft.edit("b", { text: "Two" });
  same(saver.state, "offline");
  answerInstead(undefined);
  clearTimeout(saver.timer); // it would try again by itself
  dispatchEvent(new Event("online"));
  await saved(saver);
  same([row("a").text, saver.state, saver.reason], ["One", "saved", ""]);
});

test("the service says after how many seconds it may be asked again", async () => {
  const { draft, saver } = opened();
  answerInstead(({ method }) => (method === "PATCH" ? refusal(503, [], { "Retry-After": "600" }) : undefined));
  const waits = [];
  saver.in = (ms) => waits.push(ms);
  draft.edit("a", { text: "One" });
  await saver.run();
  same([saver.state, saver.reason, waits.at(-1)], ["trouble", "Refused 503.", 600_000]);
});

test("a lost role or capsule ends saving with its words, and loses none of mine", async () => {
  for (const [status, state] of [
    [401, "signed-out"],
    [403, "read-only"],
  ]) {
    const { draft, saver } = opened();
    answerInstead(({ method }) => (method === "PATCH" ? refusal(status) : undefined));
    draft.edit("a", { text: "One" });
    saver.now();
    await until(() => saver.state === state);
    same([draft.scene("a").text, saver.waits], ["One", 1]);
  }
});

test("a save that ended well makes the next failure the first", async () => {
  const { draft, saver } = opened();
  saver.failures = 4;
  draft.edit("a", { text: "One" });
  await saver.run();
  same(saver.failures, 0);
});

test("only a service that does not answer or is in trouble is asked less and less often, until somebody asks", async () => {
  for (const [answer, failures] of [
    [fail, 1],
    [() => refusal(500), 1],
    [() => refusal(403), 0],
    [() => refusal(401), 0],
  ]) {
    const { draft, saver } = opened();
    answerInstead(({ method }) => (method === "PATCH" ? answer() : undefined));
    saver.in = () => {};
    draft.edit("a", { text: "One" });
    await saver.run();
    same(saver.failures, failures);
    saver.now();
    same(saver.failures, 0);
  }
});

// --- what others have saved

test("others in other fields are taken in, and mine is saved on top", async () => {
  const { draft, saver } = opened();
  draft.edit("a", { text: "Mine" });
  othersSave("a", { title: "Theirs" });
  saver.now();
  await saved(saver);
  same([row("a").text, row("a").title, draft.conflicts.size], ["Mine", "Theirs", 0]);
  same(
    sends().map(({ version }) => version),
    [1, 2],
  );
});

test("others in the same field get a card with both texts, and mine goes to the history", async () => {
  const { draft, saver } = opened();
  draft.edit("a", { text: "Mine" });
  othersSave("a", { text: "Theirs", editedBy: { id: "2", name: "Ben" } });
  saver.now();
  await saved(saver);
  same(draft.conflicts.get("a"), { text: { mine: "Mine", theirs: "Theirs", by: { id: "2", name: "Ben" } } });
  same([draft.scene("a").text, row("a").text, sends().length], ["Theirs", "Theirs", 1]);
});

test("words that met others before they were sent are put into the history", async () => {
  const { draft, saver } = opened();
  draft.edit("a", { text: "Mine" });
  othersSave("a", { text: "Theirs" });
  receive(draft, structuredClone({ story, scenes }));
  same(
    draft.changes.map(({ type, fields }) => [type, fields]),
    [["history", { text: "Mine" }]],
  );
  saver.now();
  await saved(saver);
  same([sends()[0].version, row("a").text], [0, "Theirs"]);
});

test("what is the same there already falls away", () => {
  const { draft } = opened();
  draft.edit("a", { text: "Same", alt: "Mine" });
  receive(draft, { scenes: [{ ...START.scenes[0], text: "Same", version: 2 }, ...START.scenes.slice(1)] });
  same(
    draft.changes.map(({ fields }) => fields),
    [{ alt: "Mine" }],
  );
  receive(draft, { scenes: [{ ...START.scenes[0], text: "Same", alt: "Mine" }] });
  same([draft.changes, draft.conflicts.size], [[], 0]);
});

test("an edit that is on its way is left alone by news: its answer will tell", () => {
  const { draft } = opened();
  draft.edit("a", { text: "Mine" });
  draft.changes[0].state = "sending";
  receive(draft, { scenes: [{ ...START.scenes[0], text: "Theirs", version: 2 }] });
  same([draft.changes[0].fields, draft.conflicts.size, draft.scene("a").text], [{ text: "Mine" }, 0, "Mine"]);
});

test("each field of a row in which two met has its card", () => {
  const { draft } = opened();
  const long = "x".repeat(61);
  const news = (fields) => receive(draft, { scenes: [{ ...START.scenes[0], ...fields, version: 2 }] });
  draft.edit("a", { alt: "Mine" });
  news({ alt: "Theirs" });
  draft.edit("a", { title: "Mine" });
  news({ alt: "Theirs", title: "Theirs" });
  draft.edit("a", { text: long });
  news({ alt: "Theirs", title: "Theirs", text: "Theirs" });
  same(Object.keys(draft.conflicts.get("a")), ["alt", "title", "text"]);
});

test("a held text stands on the words that wait to be saved, and meets nobody in them", () => {
  const { draft } = opened();
  draft.edit("a", { text: "One" });
  draft.edit("a", { text: "x".repeat(61) });
  receive(draft, { scenes: START.scenes });
  same([draft.conflicts.size, draft.held.length], [0, 1]);
});

test("of edits that stand on each other only the last is asked about", () => {
  const { draft } = opened();
  draft.edit("a", { text: "One" });
  draft.changes[0].state = "unanswered";
  draft.edit("a", { text: "One two" });
  receive(draft, { scenes: [{ ...START.scenes[0], text: "Theirs", version: 2 }] });
  same(draft.conflicts.get("a"), { text: { mine: "One two", theirs: "Theirs" } });
  same(
    draft.changes.map(({ type, fields }) => [type, fields]),
    [["history", { text: "One two" }]],
  );
});

test("an edit that stands on other words, or is of another field, belongs to no chain", () => {
  const { draft } = opened();
  const edit = (fields, base) => draft.record({ type: "edit", target: "a", fields, base });
  edit({ text: "One" }, { text: "" });
  edit({ alt: "x" }, { alt: "" });
  edit({ text: "Three" }, { text: "Two" });
  edit({ text: "One more" }, { text: "One" });
  const [first, , , last] = draft.changes;
  same(
    chainOf(draft, first, "text").map(({ id }) => id),
    [first.id, last.id],
  );
});

test("nobody meets himself where one of two fields was saved elsewhere", () => {
  const { draft } = opened();
  const news = () => receive(draft, { scenes: [{ ...START.scenes[0], text: "A boat", version: 2 }] });
  draft.edit("a", { text: "A boat" });
  draft.edit("a", { alt: "At sea" });
  news();
  draft.edit("a", { text: "A boat comes" });
  news();
  same([draft.scene("a").text, draft.scene("a").alt, draft.conflicts.size], ["A boat comes", "At sea", 0]);
});

test("a field of the capsule is fitted as those of scenes are", () => {
  const { draft } = opened();
  draft.edit("story", { title: "Mine", summary: "Mine too" });
  receive(draft, { story: { title: "Theirs" } });
  same([draft.conflicts.get("story").title.mine, draft.story.summary], ["Mine", "Mine too"]);
});

test("a held text that met others is asked about once, and stays", () => {
  const { draft } = opened();
  const long = "x".repeat(61);
  draft.edit("a", { text: long });
  const news = () => receive(draft, { scenes: [{ ...START.scenes[0], text: "Theirs", version: 2 }] });
  news();
  same([draft.conflicts.get("a").text.theirs, draft.scene("a").text], ["Theirs", long]);
  draft.conflicts.clear();
  news();
  same([draft.conflicts.size, draft.held.length], [0, 1]);
});

test("a held text that others saved needs no holding", () => {
  const { draft } = opened();
  const long = "x".repeat(61);
  draft.edit("a", { text: long });
  receive(draft, { scenes: [{ ...START.scenes[0], text: long }] });
  same(draft.changes, []);
});

test("news from before a save are not taken in", async () => {
  const { draft, saver } = opened();
  const before = held(({ path }) => path.endsWith("/draft"));
  const old = structuredClone({ story, scenes });
  const refreshed = saver.refresh();
  await before.came(1);
  draft.edit("a", { text: "One" });
  saver.now();
  await saved(saver);
  before.waiting[0].answer(new Response(JSON.stringify(old), { headers: { "Content-Type": "application/json" } }));
  same([await refreshed, draft.scene("a").text, draft.served.scenes[0].version], [false, "One", 2]);
});

test("news that are no longer wanted when they come are dropped", async () => {
  const { draft, saver } = opened();
  othersSave("a", { text: "Theirs" });
  same([await saver.refresh(() => false), draft.scene("a").text], [false, "Text of a."]);
  same([await saver.refresh(), draft.scene("a").text], [true, "Theirs"]);
});

// --- what another tab left

const left = (fields, more = {}) => ({
  id: "left",
  at: 1,
  type: "edit",
  target: "a",
  fields,
  base: { text: "Text of a." },
  ...more,
});

test("words of a closed tab are fitted to what the service has before they are sent", async () => {
  const { draft, saver } = opened();
  othersSave("a", { title: "Theirs" });
  saver.replay([left({ text: "Left" })]);
  same([saver.state, draft.scene("a").text], ["saving", "Left"]);
  await saved(saver);
  same([asked[0].method, asked[0].path, row("a").text], ["GET", "/stories/s/draft", "Left"]);
  same([row("a").title, sends().length, draft.conflicts.size], ["Theirs", 1, 0]);
});

test("news from before an earlier tab's words were found are not taken in", async () => {
  const { saver } = opened();
  const before = held(({ path }) => path.endsWith("/draft"));
  const refreshed = saver.refresh();
  await before.came(1);
  saver.replay([left({ text: "Left" })]);
  before.waiting[0].answer();
  same([await refreshed, saver.behind], [false, true]);
});

test("words of a closed tab that the service has already are not sent", async () => {
  const { draft, saver } = opened();
  row("a").text = "Left";
  saver.replay([left({ text: "Left" })]);
  await saved(saver);
  same([sends(), draft.changes], [[], []]);
});

test("words of a closed tab are not written to, for they may have arrived", () => {
  const { draft, saver } = opened();
  saver.replay([left({ text: "Left" })]);
  draft.edit("a", { text: "Left behind" });
  same(
    draft.changes.map(({ fields }) => fields.text),
    ["Left", "Left behind"],
  );
});

test("what was held in a closed tab is held again, and nothing is asked where nothing was left", async () => {
  const { draft, saver } = opened();
  saver.replay([]);
  same([saver.state, saver.behind], ["saved", false]);
  saver.replay([left({ text: "No" }, { type: "held", messages: { text: "Not this." } })]);
  await until(() => saver.state === "held");
  same([draft.held[0].messages.text, draft.scene("a").text, sends()], ["Not this.", "No", []]);
});

// --- what is refused

test("a refused field is held with its message, and the others are saved", async () => {
  const { draft, saver, journal } = opened();
  answerInstead(({ body }) => (body?.text ? refusal(400, [{ path: "text", message: "Not this." }]) : undefined));
  draft.edit("a", { text: "No", alt: "Yes" });
  saver.now();
  await until(() => saver.state === "held");
  same([row("a").alt, row("a").text, draft.scene("a").text], ["Yes", "Text of a.", "No"]);
  same(draft.held[0].messages, { text: "Not this." });
  same(
    [...journal.values()].map(({ type, messages }) => [type, messages]),
    [["held", { text: "Not this." }]],
  );
});

test("a refusal without a field is about the first of the change", async () => {
  const { draft, saver } = opened();
  answerInstead(({ method }) => (method === "PATCH" ? refusal(413) : undefined));
  draft.edit("a", { text: "No" });
  saver.now();
  await until(() => saver.state === "held");
  same(draft.held[0].messages, { text: "Refused 413." });
});

test("a refusal of a part of a field is about the field", async () => {
  const { draft, saver } = opened();
  answerInstead(({ body }) => (body?.focus ? refusal(400, [{ path: "focus.0", message: "Not there." }]) : undefined));
  draft.edit("a", { alt: "Fine", focus: [2, 0] });
  saver.now();
  await until(() => saver.state === "held");
  same(
    [draft.held[0].messages, draft.held[0].fields, row("a").alt],
    [{ focus: "Not there." }, { focus: [2, 0] }, "Fine"],
  );
});

test("a refused field that was written over meanwhile is not held", async () => {
  const { draft, saver } = opened();
  const line = held();
  draft.edit("a", { text: "No" });
  saver.now();
  await line.came(1);
  draft.edit("a", { text: "Yes" });
  line.waiting[0].answer(refusal(400, [{ path: "text", message: "Not this." }]));
  await line.came(2);
  same(draft.changes[0].base, { text: "Text of a." }); // it stands on what the service has
  line.waiting[1].answer();
  await saved(saver);
  same([row("a").text, draft.held, draft.conflicts.size], ["Yes", [], 0]);
});

test("words for a scene that is gone are offered again", async () => {
  const { draft, saver, refusals } = opened();
  draft.edit("b", { text: "For nobody?" });
  scenes.splice(1, 1);
  saver.now();
  await saved(saver);
  same([refusals.length, refusals[0].lost, draft.scenes.length], [1, { text: "For nobody?" }, 2]);
});

test("held words for a scene that is gone are offered again", async () => {
  const { draft, saver, refusals } = opened();
  draft.edit("b", { text: "x".repeat(61) });
  scenes.splice(1, 1);
  await saver.refresh();
  same([refusals[0].lost.text.length, draft.changes], [61, []]);
});

test("to remove what is gone already is no fault", async () => {
  const { draft, saver, refusals } = opened();
  remove(draft, "b");
  answerInstead(({ method }) => (method === "DELETE" ? refusal(404) : undefined));
  saver.now();
  await saved(saver);
  same([refusals, saver.state], [[], "saved"]);
});

test("a capsule that is gone is said to be so", async () => {
  const { draft, saver } = opened();
  answerInstead(() => refusal(404));
  draft.edit("story", { title: "New" });
  saver.now();
  await until(() => saver.state === "gone");
  same(draft.story.title, "New");
});

test("the words of a scene for which there is no room go to the one before", async () => {
  const { draft, saver, refusals } = opened();
  answerInstead(({ method }) => (method === "POST" ? refusal(409) : undefined));
  const made = add(draft, "a", { title: "Head", text: "Words" });
  const next = add(draft, made, { text: "More" });
  saver.now();
  await saved(saver);
  same([draft.scenes.length, refusals.length], [3, 2]);
  same(draft.scene("a").text, "Text of a.\n\nHead\n\nWords\n\nMore");
  same([draft.held.length, draft.scene(next)], [0, undefined]);
});

test("the words of a first scene for which there is no room go to the last", async () => {
  const { draft, saver } = opened();
  answerInstead(({ method }) => (method === "POST" ? refusal(409) : undefined));
  add(draft, null, { title: "Head" });
  add(draft, null, {}); // nothing was written in it
  saver.now();
  await saved(saver);
  same(
    draft.scenes.map(({ text }) => text),
    ["Text of a.", "Text of b.", "Text of c.\n\nHead"],
  );
});

test("a new scene is made once, and what was written in it goes to the service by its name", async () => {
  const { draft, saver, journal } = opened();
  const line = held(({ method }) => method === "POST");
  const made = add(draft, "a");
  draft.edit(made, { text: "In it" });
  saver.now();
  await line.came(1);
  same(line.waiting[0].request.headers["Idempotency-Key"], draft.changes[0].id);
  line.waiting[0].answer();
  await saved(saver);
  same(
    scenes.map(({ text }) => text),
    ["Text of a.", "In it", "Text of b.", "Text of c."],
  );
  same([draft.nameOf(made), journal.size], [scenes[1].id, 0]);
});

test("the token of another person is used for nobody's words", async () => {
  const { draft, saver } = opened();
  const other = new Api({ base: "/api/v2", tokenUrl: "/token", person: "somebody else" });
  saver.api = other;
  draft.edit("a", { text: "Mine" });
  saver.now();
  await until(() => saver.state === "signed-out");
  same([saver.reason, sends()], ["Somebody else is signed in here.", []]);
});

test("a token that ran out is renewed once", async () => {
  const { draft, saver } = opened();
  let refused = 0;
  answerInstead(({ method }) => {
    if (method !== "PATCH" || refused) return undefined;
    refused += 1;
    return refusal(401);
  });
  draft.edit("a", { text: "One" });
  saver.now();
  await saved(saver);
  same([row("a").text, sends().length], ["One", 2]);
});
