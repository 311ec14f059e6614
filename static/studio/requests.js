/* How an edit is told to the API, and what of a change the journal and the API take. */

import { STORY } from "./draft.js";

/** A change as the journal keeps it. */
export function plain({ sending, ...change }) {
  return JSON.parse(JSON.stringify(change));
}

/** Fields as the API takes them: media by their id. */
export function wire(fields) {
  const value = (each) => (each?.kind ? each.id : each);
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, value(each)]));
}

export function whereOf(path, { target }) {
  return target === STORY ? path : `${path}/scenes/${target}`;
}

export async function sendEdit({ api, path, draft }, change, options = {}) {
  const ofStory = change.target === STORY;
  const row = ofStory ? draft.served.story : draft.served.scenes.find(({ id }) => id === change.target);
  const sent = { body: wire(change.fields), version: row?.version, ...options };
  const { data } = await api.call("PATCH", whereOf(path, change), sent);
  return ofStory ? { story: data } : { scene: data };
}
