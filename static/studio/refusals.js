/* What becomes of a change that the service did not take: merged, shown with the reason, or offered again. */

import { STORY } from "./draft.js";
import { plain } from "./requests.js";

export async function refused(saver, change, error) {
  if (error.status === 412) await merge(saver, change);
  else if (error.status !== 404) refuse(saver, change, error);
  else if (change.type === "remove") lose(saver, change);
  else if (change.target !== STORY) await missing(saver, change, error);
  else throw error;
}

/** Somebody else changed the same row: take theirs, keep mine where they left it alone, ask about the rest. */
async function merge(saver, change) {
  delete change.sending;
  await saver.refresh();
  if (!Object.keys(change.fields).length) lose(saver, change);
  else saver.journal.keep("changes", plain(change));
}

function refuse(saver, change, error) {
  const faults = error.details.length ? error.details : [{ path: "", message: error.message }];
  const messages = {};
  for (const { path, message } of faults) messages[fieldOf(path, change)] = message;
  saver.journal.forget("changes", change.id);
  if (change.type === "edit") {
    saver.draft.refuse(change, messages);
    if (Object.keys(change.fields).length) saver.journal.keep("changes", plain(change));
  } else {
    saver.draft.drop(change);
    saver.dispatchEvent(new CustomEvent("refused", { detail: { change, error } }));
  }
}

/** The scene is gone: another person removed it. What was written in it is offered again, as a new scene. */
async function missing(saver, change, error) {
  const { data } = await saver.api.call("GET", `${saver.path}/draft`); // 404 here means that the whole story is gone
  lose(saver, change);
  saver.draft.receive(data);
  saver.dispatchEvent(new CustomEvent("refused", { detail: { change, error, lost: change.fields } }));
}

function lose(saver, change) {
  saver.journal.forget("changes", change.id);
  saver.draft.drop(change);
}

/** Which field of the page a fault speaks of. */
function fieldOf(path, change) {
  const [name] = path.split(".");
  return change.fields && name in change.fields ? name : Object.keys(change.fields || { "": 0 })[0];
}
