/* The page goes away: what is sent then, what the browser keeps, and what another tab finds of it. */

import { uploader } from "/static/studio/files.js";
import { Journal, openDatabase } from "/static/studio/journal.js";
import { receive } from "/static/studio/merging.js";
import { selected } from "/static/studio/navigation.js";
import { addScene } from "/static/studio/scenes.js";
import { journal } from "/static/studio/session.js";
import { draft, saver } from "/static/studio/store.js";
import { uploads } from "/static/studio/upload-list.js";
import { begin, saved } from "./editor.js";
import { same, test, until } from "./runner.js";
import { answerInstead, asked, refusal, scenes } from "./service.js";

const patches = () => asked.filter(({ method }) => method === "PATCH");

/** What the browser's own database has of this story. */
async function kept() {
  const rows = await journal.run("changes", "readonly", (store) => store.getAll());
  return rows.filter(({ story }) => story === "s").map(({ target, fields }) => [target, fields]);
}

test("what waits when the page goes away is sent in a request that outlives it", async () => {
  await begin();
  draft.edit("b", { text: "First" });
  saver.now();
  await saved(); // the page has a token now
  asked.length = 0;
  draft.edit("a", { text: "Last words" });
  dispatchEvent(new Event("pagehide"));
  await until(() => patches().length);
  const [{ path, body, keepalive }] = patches();
  same([path, body, keepalive], ["/stories/s/scenes/a", { text: "Last words" }, true]);
  saver.now();
  await saved();
});

test("the browser keeps what waits for a new scene under the name that it gets", async () => {
  await begin();
  const answers = { POST: false, PATCH: false };
  answerInstead(({ method }) => (method in answers ? until(() => answers[method]) : undefined));
  addScene("a");
  const name = selected;
  saver.now();
  await until(() => asked.some(({ method }) => method === "POST"));
  draft.edit(name, { text: "For the new one" });
  const { put, delete: forget } = IDBObjectStore.prototype;
  const told = [];
  IDBObjectStore.prototype.put = function keep(entry) {
    told.push(`${entry.type} ${entry.target}`);
    return put.call(this, entry);
  };
  IDBObjectStore.prototype.delete = function leave(id) {
    told.push("it leaves");
    return forget.call(this, id);
  };
  answers.POST = true;
  await until(() => draft.nameOf(name) !== name);
  await until(() => told.length >= 2);
  Object.assign(IDBObjectStore.prototype, { put, delete: forget });
  same(told.slice(0, 2), [`edit ${draft.nameOf(name)}`, "it leaves"]); // the words have its name before it is gone
  await until(async () => (await kept()).length === 1);
  same(await kept(), [[draft.nameOf(name), { text: "For the new one" }]]);
  answers.PATCH = true;
  saver.now();
  await saved();
});

test("the browser is asked to hold a page whose words are kept nowhere, and no other", async () => {
  await begin();
  const asksToStay = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));
  const { durable } = journal;
  draft.edit("a", { text: "Only here" });
  clearTimeout(saver.timer);
  journal.durable = true;
  same(asksToStay(), false);
  journal.durable = false;
  same(asksToStay(), true);
  draft.changes = [];
  same(asksToStay(), false);
  uploads.all.set("u", { id: "u", state: "sending" });
  same(asksToStay(), true);
  uploads.all.clear();
  journal.durable = durable;
});

test("the browser is asked to hold a page with a file that it has no room for, though it has for words", async () => {
  await begin();
  const asksToStay = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));
  let answer;
  answerInstead(({ path }) =>
    path === "/uploads"
      ? new Promise((then) => {
          answer = () => then(refusal(400));
        })
      : undefined,
  );
  for (const [target, isAsked] of [
    ["a", false],
    [Symbol("what no database keeps"), true],
  ]) {
    const entry = uploader.take(new File(["abc"], "a.jpg", { type: "image/jpeg" }), target, "picture");
    await until(() => answer);
    draft.edit("a", { text: String(isAsked) });
    await until(async () => (await kept()).length === 1);
    same([journal.durable, asksToStay()], [true, isAsked]);
    answer();
    answer = undefined;
    await until(() => entry.state === "refused");
    same(asksToStay(), false);
    uploads.all.clear();
    saver.now();
    await saved();
  }
});

test("what is fitted to news is kept as it was fitted", async () => {
  await begin();
  await journal.run("changes", "readwrite", (rows) => rows.clear());
  draft.edit("a", { text: "The same", alt: "Mine" });
  clearTimeout(saver.timer);
  await until(async () => (await kept()).length === 1);
  same(await kept(), [["a", { text: "The same", alt: "Mine" }]]);
  receive(draft, { scenes: [{ ...structuredClone(scenes[0]), text: "The same", version: 2 }] });
  await until(async () => !("text" in (await kept())[0][1]));
  same(await kept(), [["a", { alt: "Mine" }]]);
});

/** A tab of this person that had this capsule open. */
async function keptIn(capsule, entry) {
  const tab = new Journal(capsule, "me");
  tab.db = await openDatabase();
  await tab.keep("changes", entry);
  return tab;
}

test("what closed tabs left comes back in the order in which it was written", async () => {
  const closed = new Journal("another", "me");
  closed.db = await openDatabase();
  for (const [id, at] of Object.entries({ a: 3, b: 1, c: 2 })) await closed.keep("changes", { id, at });
  const other = new Journal("another", "somebody else");
  other.db = closed.db;
  await other.keep("changes", { id: "d", at: 0 });
  await keptIn("a third", { id: "e", at: 0 });
  const tab = new Journal("another", "me");
  await tab.open();
  const left = await tab.adopt("changes", () => {});
  same(
    left.map(({ id }) => id),
    ["b", "c", "a"],
  );
  same(await tab.adopt("changes", () => {}), []); // they are this tab's now
});

test("a journal that the browser refuses says so, and keeps nothing in the way", async () => {
  const tab = new Journal("refused", "me");
  same([await tab.run("changes", "readonly", (rows) => rows.getAll()), tab.durable], [undefined, true]);
  tab.db = await openDatabase();
  const row = (id) => tab.keep("changes", { id, at: 1 });
  await row("a");
  same(tab.durable, true);
  await tab.keep("changes", { at: 1 }); // without the key that a row needs
  same(tab.durable, false);
  await row("b");
  same(tab.durable, true);
  tab.db.close();
  await row("c");
  same(tab.durable, false);
});

/** A tab is there until what this returns is called. */
const stays = (tab) =>
  new Promise((is) => {
    navigator.locks.request(tab.tab, () => new Promise((close) => is(close)));
  });

test("what a tab that is open has is left to it until it closes", async () => {
  const close = await stays(await keptIn("shared", { id: "shared-1", at: 1 }));
  const tab = new Journal("shared", "me");
  await tab.open();
  const later = [];
  same(await tab.adopt("changes", (entries) => later.push(...entries.map(({ id }) => id)), 20), []);
  same(later, []);
  close();
  await until(() => later.length);
  same(later, ["shared-1"]);
});

test("a tab that is just being closed is waited for", async () => {
  const close = await stays(await keptIn("closing", { id: "closing-1", at: 1 }));
  const tab = new Journal("closing", "me");
  await tab.open();
  const later = [];
  setTimeout(close, 50);
  const left = await tab.adopt("changes", (entries) => later.push(...entries), 2000);
  same([left.map(({ id }) => id), later], [["closing-1"], []]);
});

test("a tab that has its journal open is there for the others", async () => {
  const first = new Journal("two tabs", "me");
  await first.open();
  await first.keep("changes", { id: "two-1", at: 1 });
  const second = new Journal("two tabs", "me");
  await second.open();
  same(await second.adopt("changes", () => {}, 20), []);
});

test("a browser that has no database is written without one, and says so", async () => {
  indexedDB.open = () => {
    throw new DOMException("", "SecurityError");
  };
  const tab = new Journal("nowhere", "me");
  await tab.open();
  delete indexedDB.open;
  await tab.keep("changes", { id: "x", at: 1 });
  same([tab.durable, await tab.adopt("changes", () => {})], [false, []]);
});
