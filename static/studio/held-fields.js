/* Fields that the service does not take as they are, because they are too long or were refused: they are held on the
   page and in the journal, never sent, until they get another value. */

import { drop } from "./settling.js";

/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {import("./fold.js").Fields} Fields */

/** What the service said against a held field; undefined where the field is not held.
    @param {Draft} draft
    @param {string} target
    @param {string} field */
export function messageOf(draft, target, field) {
  return draft.held.findLast((held) => held.target === target && field in held.fields)?.messages[field];
}

/** Keeps fields on the page and in the journal that the service does not take. `base` is what they stand on.
    @param {Draft} draft
    @param {string} target
    @param {Fields} fields
    @param {{base?: Fields, messages?: Record<string, string>}} why */
export function hold(draft, target, fields, { base, messages } = {}) {
  const now = draft.find(target);
  const held = draft.held.findLast((change) => change.target === target);
  /** @type {Pick<import("./fold.js").Change, "type" | "target" | "fields" | "base" | "messages">} */
  const change = held ?? { type: "held", target, fields: {}, base: {}, messages: {} };
  for (const [field, value] of Object.entries(fields)) {
    if (!(field in change.fields)) change.base[field] = base ? base[field] : now?.[field];
    change.fields[field] = value;
    change.messages[field] = messages?.[field] ?? "";
  }
  if (held) draft.say("change", held);
  else draft.record(change);
}

/** These fields get another value, which may be taken.
    @param {Draft} draft
    @param {string} target
    @param {string[]} fields */
export function release(draft, target, fields) {
  for (const held of draft.held.filter((change) => change.target === target)) {
    const before = Object.keys(held.fields).length;
    for (const field of fields) delete held.fields[field];
    draft.folded = null;
    const left = Object.keys(held.fields).length;
    if (!left) drop(draft, held);
    else if (left < before) draft.say("change", held);
  }
}

/** The held changes of scenes that somebody else has deleted.
    @param {Draft} draft */
export const homeless = (draft) =>
  draft.changes.filter(({ type, target }) => type === "held" && !draft.find(target) && !draft.removed.has(target));
