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
    saver.dispatchEvent(new CustomEvent("refused", { detail: { change, error } }));
  }
}

/** Some fields of an edit were refused for good: they stay on the page with their messages, the others go on. */
function leaveOnPage(draft, change, messages) {
  const refused = { ...draft.refused.get(change.target) };
  for (const [field, message] of Object.entries(messages)) {
    const [, next] = chainOf(draft, change, field);
    if (next) next.base[field] = change.base[field];
    else refused[field] = { value: change.fields[field], message };
    delete change.fields[field];
  }
  draft.refused.set(change.target, refused);
  if (Object.keys(change.fields).length) draft.say("change", change);
  else draft.drop(change);
}

/** The scene is gone: another person removed it. What was written in it is offered again, as a new scene. */
async function missing(saver, change, error) {
  await saver.refresh(); // a 404 here means that the whole story is gone
  saver.draft.drop(change);
  saver.dispatchEvent(new CustomEvent("refused", { detail: { change, error, lost: change.fields } }));
}

/** Which field of the page a fault speaks of. */
function fieldOf(path, change) {
  const [name] = path.split(".");
  return change.fields && name in change.fields ? name : Object.keys(change.fields || { "": 0 })[0];
}
