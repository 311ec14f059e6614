/* The draft: what is seen, what an author changes, and what the service has. */

import { Draft } from "/static/studio/draft.js";
import { lastEdits } from "/static/studio/edit-requests.js";
import { hold, homeless, messageOf } from "/static/studio/held-fields.js";
import { add, duplicate, move, remove, restore } from "/static/studio/scene-changes.js";
import { drop, settle } from "/static/studio/settling.js";
import { same, test } from "./runner.js";
import { emptyScene } from "./service.js";

const scene = (id, fields = {}) => ({
  id,
  title: "",
  text: "",
  alt: "",
  still: null,
  finale: false,
  version: 1,
  ...fields,
});
const draftOf = (...scenes) =>
  new Draft(
    { story: { id: "s", title: "A title" }, scenes: scenes.length ? scenes : [scene("a"), scene("b"), scene("c")] },
    { story: { title: 10 }, scene: { text: 10 } },
    emptyScene,
  );
const ids = ({ scenes }) => scenes.map(({ id }) => id);
const sent = (change) => {
  change.state = "unanswered";
  return change;
};

test("an edit is seen at once and leaves what the service has", () => {
  const draft = draftOf();
  draft.edit("a", { text: "One" });
  same([draft.scene("a").text, draft.served.scenes[0].text], ["One", ""]);
  same(draft.changes[0].base, { text: "" });
});

test("what is typed goes into the change that waits", () => {
  const draft = draftOf();
  draft.edit("a", { text: "One" });
  draft.edit("a", { text: "One two", alt: "x" });
  same(draft.changes.length, 1);
  same(
    [draft.changes[0].fields, draft.changes[0].base],
    [
      { text: "One two", alt: "x" },
      { text: "", alt: "" },
    ],
  );
});

test("a change that was sent is never written to again", () => {
  const draft = draftOf();
  draft.edit("a", { text: "One" });
  sent(draft.changes[0]);
  draft.edit("a", { text: "One two" });
  same(
    draft.changes.map(({ fields, base }) => [fields.text, base.text]),
    [
      ["One", ""],
      ["One two", "One"],
    ],
  );
});

test("an edit that changes nothing is no change", () => {
  const draft = draftOf();
  draft.edit("a", { text: "" });
  draft.edit("nowhere", { text: "x" });
  same(draft.changes, []);
});

test("the same file is the same value whatever else is known of it", () => {
  const draft = draftOf(scene("a", { still: { id: "1", kind: "picture", thumbnailUrl: "x" } }));
  draft.edit("a", { still: { id: "1", kind: "picture" } });
  same(draft.changes, []);
  draft.edit("a", { still: { id: "2", kind: "picture" } });
  same(draft.changes.length, 1);
});

test("changes have times that grow whatever the clock does", () => {
  const draft = draftOf();
  for (const id of ["a", "b", "c"]) draft.edit(id, { text: "x" });
  const [one, two, three] = draft.changes.map(({ at }) => at);
  same([two > one, three > two], [true, true]);
});

test("a field that is not there is the same as one that is empty", () => {
  const draft = draftOf();
  draft.edit("a", { film: null });
  same(draft.changes, []);
});

// --- scenes

test("a new scene comes behind another one, first or last", () => {
  const draft = draftOf();
  const [one, two, three] = [add(draft, "a"), add(draft, null), add(draft, "unknown")];
  same(ids(draft), [two, "a", one, "b", "c", three]);
  same(
    draft.scenes.map(({ position }) => position),
    [0, 1, 2, 3, 4, 5],
  );
});

test("a copy of a finale is an ordinary scene before it", () => {
  const draft = draftOf(scene("a"), scene("b", { finale: true, text: "End" }));
  const copy = duplicate(draft, "b");
  same(ids(draft), ["a", copy, "b"]);
  same([draft.scene(copy).finale, draft.scene(copy).text], [false, "End"]);
});

test("a removed scene comes back where it stood", () => {
  const draft = draftOf();
  remove(draft, "b");
  same(ids(draft), ["a", "c"]);
  restore(draft, "b");
  restore(draft, "b");
  same(ids(draft), ["a", "b", "c"]);
  remove(draft, "a");
  restore(draft, "a");
  same(ids(draft), ["a", "b", "c"]);
});

test("what is written in a scene that came back is none of what it was before", () => {
  const draft = draftOf();
  remove(draft, "b");
  restore(draft, "b");
  draft.edit("b", { text: "New" });
  same([draft.scene("b").text, draft.removed.get("b").scene.text], ["New", ""]);
});

test("a scene that others deleted is neither copied nor moved", () => {
  const draft = draftOf();
  duplicate(draft, "gone");
  move(draft, "gone", "a");
  same(ids(draft), ["a", "b", "c"]);
});

test("a scene is moved behind another one, or to the beginning", () => {
  const draft = draftOf();
  move(draft, "a", "b");
  same(ids(draft), ["b", "a", "c"]);
  move(draft, "c", null);
  same(ids(draft), ["c", "b", "a"]);
});

test("what is removed and never was cannot come back", () => {
  const draft = draftOf();
  remove(draft, "nowhere");
  restore(draft, "a");
  same(draft.changes, []);
});

// --- what is held

test("a field that is too long is held, and the others go on", () => {
  const draft = draftOf();
  draft.edit("a", { text: "x".repeat(12), alt: "fits" });
  same(
    draft.changes.map(({ type, state, fields }) => [type, state, fields]),
    [
      ["held", "held", { text: "x".repeat(12) }],
      ["edit", "waiting", { alt: "fits" }],
    ],
  );
  same([draft.excess("a", "text", "x".repeat(12)), draft.scene("a").text.length], [2, 12]);
});

test("signs that take two places in a string count as one", () => {
  const draft = draftOf();
  same([draft.excess("a", "text", "🌊".repeat(10)), draft.excess("a", "text", "🌊".repeat(11))], [0, 1]);
  same([draft.excess("a", "alt", "x".repeat(99)), draft.excess("story", "title", "x".repeat(11))], [0, 1]);
});

test("a held field that fits again is an edit on what the service has", () => {
  const draft = draftOf();
  draft.edit("a", { text: "x".repeat(12) });
  draft.edit("a", { text: "short" });
  same(
    draft.changes.map(({ type, fields, base }) => [type, fields, base]),
    [["edit", { text: "short" }, { text: "" }]],
  );
});

test("held fields of one row are one change, with what was said against each", () => {
  const draft = draftOf();
  hold(draft, "a", { text: "no" }, { base: { text: "old" }, messages: { text: "Not this." } });
  hold(draft, "a", { alt: "nor" }, { messages: { alt: "Nor this." } });
  hold(draft, "a", { text: "no!" }, { messages: { text: "Not this." } }); // it stands on what it stood on
  same(draft.changes.length, 1);
  same(draft.held[0].base, { text: "old", alt: "" });
  same([messageOf(draft, "a", "text"), messageOf(draft, "a", "title")], ["Not this.", undefined]);
  const kept = [];
  draft.on("change", ({ type, fields }) => kept.push([type, { ...fields }]));
  draft.edit("a", { text: "yes" });
  same(kept, [
    ["held", { alt: "nor" }],
    ["edit", { text: "yes" }],
  ]);
  same([draft.held[0].fields, messageOf(draft, "a", "text")], [{ alt: "nor" }, undefined]);
});

test("what is held for a scene that others deleted has no home; for one of mine that I deleted it waits", () => {
  const draft = draftOf();
  hold(draft, "a", { text: "mine" });
  remove(draft, "a");
  same([draft.held.length, homeless(draft).length], [0, 0]);
  draft.changes = draft.changes.filter(({ type }) => type === "held");
  draft.removed.clear();
  draft.served.scenes = draft.served.scenes.slice(1);
  draft.folded = null;
  same(homeless(draft).length, 1);
});

test("a new scene with a text that is too long is made, and the text is held", () => {
  const draft = draftOf();
  const id = add(draft, "a", { text: "x".repeat(11), animation: "auto" });
  same([draft.changes[0].fields, draft.changes[1].type], [{ animation: "auto" }, "held"]);
  same(draft.scene(id).text.length, 11);
});

// --- the service has it

test("a new scene gets the name of the service everywhere", () => {
  const draft = draftOf();
  const name = add(draft, "a");
  draft.edit(name, { text: "In it" });
  move(draft, "c", name);
  duplicate(draft, name);
  draft.conflicts.set(name, { text: {} });
  draft.removed.set(name, { scene: scene(name), after: "a" });
  settle(draft, draft.changes[0], { scene: scene("n") });
  same(ids(draft).slice(0, 3), ["a", "n", draft.changes.at(-1).target]);
  same([draft.changes[0].target, draft.changes[1].after, draft.changes[2].of], ["n", "n", "n"]);
  same([draft.nameOf(name), draft.scene(name).text, [...draft.conflicts.keys()]], ["n", "In it", ["n"]]);
  same([...draft.removed.keys()], ["n"]);
  draft.changes = [];
  add(draft, name);
  duplicate(draft, name);
  move(draft, name, null);
  move(draft, "c", name);
  restore(draft, name);
  same(
    draft.changes.map(({ type, target, of, after }) => [type, target.slice(0, 3), of, after].join(" ")),
    ["add new  n", "duplicate new n ", "move n  ", "move c  n", "restore n  a"],
  );
});

test("an answer takes the place of what was known of its row", () => {
  const draft = draftOf();
  draft.edit("b", { text: "x" });
  draft.conflicts.set("b", { title: {} }); // of another field, which nobody has settled yet
  settle(draft, draft.changes[0], { scene: scene("b", { text: "x", version: 2 }) });
  same([draft.served.scenes[1].version, draft.changes, draft.scene("b").text], [2, [], "x"]);
  same([...draft.conflicts.keys()], ["b"]);
  draft.edit("story", { title: "New" });
  settle(draft, draft.changes[0], { story: { title: "New" } });
  same([draft.story.id, draft.story.title], ["s", "New"]);
});

test("a removal and an order are taken over", () => {
  const draft = draftOf();
  remove(draft, "b");
  settle(draft, draft.changes[0]);
  same(
    draft.served.scenes.map(({ id }) => id),
    ["a", "c"],
  );
  move(draft, "a", "c");
  settle(draft, draft.changes[0], { order: ["c", "a"] });
  same(ids(draft), ["c", "a"]);
  settle(draft, { type: "move", target: "c" }, { order: ["a"] }); // it tells nothing of a scene that is newer
  same(ids(draft), ["a", "c"]);
});

test("a scene that comes back stands behind the one it came after, else where the service has it", () => {
  const draft = draftOf();
  settle(draft, { type: "restore", target: "n", after: "a" }, { scene: scene("n") });
  settle(draft, { type: "restore", target: "m", after: null }, { scene: scene("m") });
  settle(draft, { type: "restore", target: "o", after: "gone" }, { scene: scene("o", { position: 1 }) });
  same(ids(draft), ["m", "o", "a", "n", "b", "c"]);
});

test("a change that is given up is seen no more", () => {
  const draft = draftOf();
  const left = [];
  draft.on("settled", ({ target }) => left.push(target));
  draft.edit("a", { text: "x" });
  drop(draft, draft.changes[0]);
  same([draft.scene("a").text, left], ["", ["a"]]);
});

// --- a page that goes away

test("a page that goes away sends the first edit of each row, if it was never sent", () => {
  const draft = draftOf();
  draft.edit("a", { text: "under way" });
  sent(draft.changes[0]);
  draft.edit("a", { text: "on it" });
  draft.edit("b", { text: "mine" });
  const made = add(draft, "b");
  draft.edit(made, { text: "new" });
  draft.edit("story", { summary: "x".repeat(30_000) });
  same(
    lastEdits(draft).map(({ target, fields }) => [target, fields]),
    [["b", { text: "mine" }]],
  );
});
