/* What others have saved, fitted with what waits here: field by field. */

import { same } from "./draft.js";
import { STORY } from "./fold.js";
import { drop } from "./settling.js";
import { stage } from "./stage.js";

/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {import("./fold.js").Change} Change */

/** News of the whole draft from the service, or of the story alone.
    @param {Draft} draft
    @param {{story?: Partial<import("./fold.js").Story>, scenes?: import("./fold.js").Scene[]}} news */
export function receive(draft, { story, scenes }) {
  draft.served = { story: { ...draft.served.story, ...story }, scenes: scenes ?? draft.served.scenes };
  if (story && scenes) {
    draft.revision = draft.served.story.revision;
    stage.isOld = true; // the pulse, which has it drawn anew, takes nothing of this for news any more
  }
  for (const change of [...draft.changes]) {
    if (change.type === "edit") fit(draft, change);
    if (change.type === "held") fitHeld(draft, change);
  }
  draft.say("received");
}

/** Fits an edit to what the service has now: takes out what is there already, and what another person changed
    in the same field becomes a conflict. One that is on its way is left alone: its answer will tell.
    @param {Draft} draft
    @param {Change} change */
function fit(draft, change) {
  const { served } = draft;
  const theirs = change.target === STORY ? served.story : served.scenes.find(({ id }) => id === change.target);
  if (!theirs || change.state === "sending") return; // where it is new or was removed, the service will tell
  const own = draft.editsOf(change.target);
  const before = own.slice(0, own.indexOf(change));
  for (const field of Object.keys(change.fields)) {
    const there = (before.findLast(({ fields }) => field in fields)?.fields ?? theirs)[field];
    const chain = chainOf(draft, change, field);
    if (chain.some(({ fields }) => same(there, fields[field]))) delete change.fields[field];
    else if (same(there, change.base[field])) change.base[field] = there;
    else if (chain.length > 1)
      delete change.fields[field]; // the last of them is what is asked about
    else disagree(draft, change, field, there, theirs.editedBy);
  }
  if (!Object.keys(change.fields).length) drop(draft, change);
}

/** A held field that is saved elsewhere needs no holding; one that another person changed is asked about.
    @param {Draft} draft
    @param {Change} change */
function fitHeld(draft, change) {
  const { target, fields, base } = change;
  const theirs = target === STORY ? draft.served.story : draft.served.scenes.find(({ id }) => id === target);
  if (!theirs) return;
  const own = draft.editsOf(target);
  for (const [field, mine] of Object.entries(fields)) {
    const there = (own.findLast((edit) => field in edit.fields)?.fields ?? theirs)[field];
    if (same(there, mine)) delete fields[field];
    else if (!same(there, base[field])) {
      const both = { mine, theirs: there, by: theirs.editedBy };
      draft.conflicts.set(target, { ...draft.conflicts.get(target), [field]: both });
      base[field] = there; // asked about once
    }
  }
  if (!Object.keys(fields).length) drop(draft, change);
}

/** This edit of a field and those that were written on top of it.
    @param {Draft} draft
    @param {Change} change
    @param {string} field */
export function chainOf(draft, change, field) {
  const own = draft.editsOf(change.target);
  const chain = [change];
  for (const next of own.slice(own.indexOf(change) + 1)) {
    if (field in next.fields && same(next.base[field], chain.at(-1)?.fields[field])) chain.push(next);
  }
  return chain;
}

/** `by`: who wrote theirs, {id, name}; it may be the author, in another tab.
    @param {Draft} draft
    @param {Change} change
    @param {string} field
    @param {any} theirs
    @param {import("./fold.js").Person | undefined} by */
function disagree(draft, change, field, theirs, by) {
  const mine = change.fields[field];
  draft.conflicts.set(change.target, { ...draft.conflicts.get(change.target), [field]: { mine, theirs, by } });
  delete change.fields[field];
  if (!same(change.inHistory?.[field], mine))
    draft.record({ type: "history", target: change.target, fields: { [field]: mine } });
}
