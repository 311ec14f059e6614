/* What becomes of a change that the service did not take: merged, shown with the reason, or offered again. */

import { STORY } from "./fold.js";
import { hold } from "./held-fields.js";
import { chainOf } from "./merging.js";
import { drop } from "./settling.js";

/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {import("./fold.js").Change} Change */
/** @typedef {import("./api.js").ApiError} ApiError */
/** @typedef {import("./save.js").Saver} Saver */

/** @param {Saver} saver
    @param {Change} change
    @param {ApiError} error */
export async function refused(saver, change, error) {
  if (error.status === 412) await merge(saver, change);
  else if (error.status !== 404) refuse(saver, change, error);
  else if (change.type === "remove") drop(saver.draft, change);
  else if (change.target !== STORY) await missing(saver, change, error);
  else throw error;
}

/** Somebody else changed the same row: take theirs, keep mine where they left it alone, ask about the rest.
    @param {Saver} saver
    @param {Change} change */
async function merge(saver, change) {
  change.inHistory = { ...change.fields };
  await saver.refresh();
}

/** @param {Saver} saver
    @param {Change} change
    @param {ApiError} error */
function refuse(saver, change, error) {
  const faults = error.details.length ? error.details : [{ path: "", message: error.message }];
  /** @type {Record<string, string>} */
  const messages = {};
  for (const { path, message } of faults) messages[fieldOf(path, change)] = message;
  if (change.type === "edit") {
    leaveOnPage(saver.draft, change, messages);
    saver.storeAll();
  } else {
    drop(saver.draft, change);
    if (change.type === "add") giveBack(saver.draft, change);
    saver.refuse(change, error);
  }
}

/** Some fields of an edit were refused for good: they are held with their messages, the others go on.
    @param {Draft} draft
    @param {Change} change
    @param {Record<string, string>} messages */
function leaveOnPage(draft, change, messages) {
  const { target, fields, base } = change;
  for (const [field, message] of Object.entries(messages)) {
    const [, next] = chainOf(draft, change, field);
    const later = next ?? draft.held.findLast((held) => held.target === target && field in held.fields);
    const value = fields[field];
    delete fields[field];
    if (later) later.base[field] = base[field];
    else hold(draft, target, { [field]: value }, { base, messages: { [field]: message } });
  }
  if (Object.keys(change.fields).length) draft.say("change", change);
  else drop(draft, change);
}

/** The words of a new scene that cannot be made, because there are too many: they go to the scene before it, and what
    was to stand behind it stands behind that one.
    @param {Draft} draft
    @param {Change} change */
function giveBack(draft, { target, after, fields }) {
  for (const change of draft.changes) if (change.after === target) change.after = after;
  const scene = draft.scene(after ?? "") ?? draft.scenes.at(-1);
  const words = [fields.title, fields.text].filter(Boolean);
  if (scene && words.length) draft.edit(scene.id, { text: [scene.text, ...words].filter(Boolean).join("\n\n") });
}

/** The scene is gone: another person removed it. What was written in it is offered again, as a new scene.
    @param {Saver} saver
    @param {Change} change
    @param {ApiError} error */
async function missing(saver, change, error) {
  await saver.refresh(); // a 404 here means that the whole capsule is gone
  drop(saver.draft, change);
  saver.refuse(change, error, change.fields);
}

/** Which field of the page a fault speaks of.
    @param {string} path
    @param {Change} change */
function fieldOf(path, change) {
  const [name] = path.split(".");
  return change.fields && name in change.fields ? name : Object.keys(change.fields || { "": 0 })[0];
}
