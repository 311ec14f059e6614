/* The changes of a draft that add, copy, remove and move scenes. */

import { hold } from "./held-fields.js";

/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {import("./fold.js").Fields} Fields */

const newName = () => `new-${crypto.randomUUID()}`;

/** A new scene behind another one, as the first where `after` is null; returns its name.
    @param {Draft} draft
    @param {string | null} after
    @param {Fields} fields */
export function add(draft, after, fields = {}) {
  const target = newName();
  const tooLong = (/** @type {[string, unknown]} */ [field, value]) => draft.excess(target, field, value) > 0;
  const all = Object.entries(fields);
  const long = all.filter(tooLong);
  const fits = Object.fromEntries(all.filter((each) => !tooLong(each)));
  draft.record({ type: "add", target, after: after && draft.nameOf(after), fields: fits });
  if (long.length) hold(draft, target, Object.fromEntries(long));
  return target;
}

/** @param {Draft} draft
    @param {string} of */
export function duplicate(draft, of) {
  const target = newName();
  draft.record({ type: "duplicate", target, of: draft.nameOf(of) });
  return target;
}

/** @param {Draft} draft
    @param {string} id */
export function remove(draft, id) {
  const target = draft.nameOf(id);
  const place = draft.scenes.findIndex((scene) => scene.id === target);
  if (place < 0) return;
  draft.removed.set(target, { scene: draft.scenes[place], after: draft.scenes[place - 1]?.id ?? null });
  draft.record({ type: "remove", target });
}

/** Brings a removed scene back to where it stood.
    @param {Draft} draft
    @param {string} id */
export function restore(draft, id) {
  const target = draft.nameOf(id);
  const was = draft.removed.get(target);
  if (was) draft.record({ type: "restore", target, after: was.after, scene: was.scene });
}

/** Puts a scene behind another one; `after` null makes it the first.
    @param {Draft} draft
    @param {string} id
    @param {string | null} after */
export function move(draft, id, after) {
  draft.record({ type: "move", target: draft.nameOf(id), after: after && draft.nameOf(after) });
}
