/* What becomes of a change that the service did not take: merged, shown with the reason, or offered again. */

import { STORY } from "./draft.js";
import { chainOf } from "./merging.js";

export async function refused(saver, change, error) {
  if (error.status === 412) await merge(saver, change);
  else if (error.status !== 404) refuse(saver, change, error);
  else if (change.type === "remove") saver.draft.drop(change);
  else if (change.target !== STORY) await missing(saver, change, error);
  else throw error;
}

/** Somebody else changed the same row: take theirs, keep mine where they left it alone, ask about the rest. */
async function merge(saver, change) {
  change.inHistory = { ...change.fields };
  await saver.refresh();
}

function refuse(saver, change, error) {
  const faults = error.details.length ? error.details : [{ path: "", message: error.message }];
  const messages = {};
  for (const { path, message } of faults) messages[fieldOf(path, change)] = message;
  if (change.type === "edit") {
    leaveOnPage(saver.draft, change, messages);
    saver.storeAll();
  } else {
    saver.draft.drop(change);
    if (change.type === "add") giveBack(saver.draft, change);
    saver.dispatchEvent(new CustomEvent("refused", { detail: { change, error } }));
  }
}

/** Some fields of an edit were refused for good: they are held with their messages, the others go on. */
function leaveOnPage(draft, change, messages) {
  const { target, fields, base } = change;
  for (const [field, message] of Object.entries(messages)) {
    const [, next] = chainOf(draft, change, field);
    const later = next ?? draft.held.findLast((held) => held.target === target && field in held.fields);
    const value = fields[field];
    delete fields[field];
    if (later) later.base[field] = base[field];
    else draft.hold(target, { [field]: value }, { base, messages: { [field]: message } });
  }
  if (Object.keys(change.fields).length) draft.say("change", change);
  else draft.drop(change);
}

/** The words of a new scene that cannot be made, because there are too many: they go to the scene before it, and what
    was to stand behind it stands behind that one. */
function giveBack(draft, { target, after, fields }) {
  for (const change of draft.changes) if (change.after === target) change.after = after;
  const scene = draft.scene(after) ?? draft.scenes.at(-1);
  const words = [fields.title, fields.text].filter(Boolean);
  if (scene && words.length) draft.edit(scene.id, { text: [scene.text, ...words].filter(Boolean).join("\n\n") });
}

/** The scene is gone: another person removed it. What was written in it is offered again, as a new scene. */
async function missing(saver, change, error) {
  await saver.refresh(); // a 404 here means that the whole capsule is gone
  saver.draft.drop(change);
  saver.dispatchEvent(new CustomEvent("refused", { detail: { change, error, lost: change.fields } }));
}

/** Which field of the page a fault speaks of. */
function fieldOf(path, change) {
  const [name] = path.split(".");
  return change.fields && name in change.fields ? name : Object.keys(change.fields || { "": 0 })[0];
}
