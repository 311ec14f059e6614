/* How a change is told to the API, and what of it the journal and the API take. All but edits: scene-requests.js. */

import { ApiError } from "./api.js";
import { STORY } from "./fold.js";
import { part } from "./lazy.js";

/** @typedef {import("./fold.js").Change} Change */
/** @typedef {{api: import("./api.js").Api, path: string, draft: import("./draft.js").Draft}} Line */

const sceneRequests = part("scene-requests");

/** A part of the editor; without it nothing is lost, and saving tries again as after any lost connection.
    @template T
    @param {{get: () => Promise<T>}} wanted */
export const needed = (wanted) =>
  wanted.get().catch(() => {
    throw new ApiError(0);
  });

/** Tells the service of a change; returns what it says of the rows that it has now.
    @param {Line} line
    @param {Change} change
    @returns {Promise<import("./settling.js").Answer>} */
export async function sendChange(line, change) {
  if (change.type === "edit") return sendEdit(line, change);
  const { SEND } = await needed(sceneRequests);
  return SEND[change.type](line, change);
}

/** A change as the journal keeps it.
    @param {Change} change
    @returns {Change} */
export function plain(change) {
  return JSON.parse(JSON.stringify(change));
}

/** Fields as the API takes them: media by their id.
    @param {import("./fold.js").Fields} fields */
export function wire(fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, each?.kind ? each.id : each]));
}

/** @param {string} path
    @param {Change} change */
export function whereOf(path, { target }) {
  return target === STORY ? path : `${path}/scenes/${target}`;
}

/** @param {Line} line
    @param {Change} change
    @param {{keepalive?: boolean}} options */
async function sendEdit({ api, path, draft }, change, options = {}) {
  const ofStory = change.target === STORY;
  const row = ofStory ? draft.served.story : draft.served.scenes.find(({ id }) => id === change.target);
  const sent = { body: wire(change.fields), version: row?.version, ...options };
  const { data, revision } = await api.call("PATCH", whereOf(path, change), sent);
  return { [ofStory ? "story" : "scene"]: data, revision };
}

const ROOM = 60000; // bytes; browsers take 64 KiB in all of a page that goes away

/** The edits that a page still sends while it goes away: of each row the first, on which the next ones stand, unless it
    was sent already.
    @param {import("./draft.js").Draft} draft */
export function lastEdits(draft) {
  let room = ROOM;
  return draft.changes.filter((change) => {
    const [first] = draft.editsOf(change.target);
    if (change !== first || change.state !== "waiting" || change.target.startsWith("new-")) return false;
    const size = JSON.stringify(change.fields).length * 3;
    if (size > room) return false;
    room -= size;
    return true;
  });
}

/** The page goes away: what waits is sent without listening for an answer; the journal has it anyway.
    @param {Line} line */
export function sendLast(line) {
  if (!line.api.token) return;
  for (const change of lastEdits(line.draft)) sendEdit(line, change, { keepalive: true }).catch(() => {});
}
