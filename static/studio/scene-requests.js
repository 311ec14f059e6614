/* How everything but an edit is told to the API: new scenes, copies, removals, moves. */

import { whereOf, wire } from "./edit-requests.js";

/** @typedef {import("./fold.js").Change} Change */
/** @typedef {import("./edit-requests.js").Line} Line */
/** @typedef {(line: Line, change: Change) => Promise<import("./settling.js").Answer>} Send */

/** @param {Change} change */
const once = (change) => ({ "Idempotency-Key": change.id });

/** @type {Record<string, Send>} */
export const SEND = {
  async add({ api, path }, change) {
    /** @type {Record<string, unknown>} */
    const body = { after: change.after, ...wire(change.fields) };
    if (body.after === undefined) delete body.after;
    const { data, revision } = await api.call("POST", `${path}/scenes`, { body, headers: once(change) });
    return { scene: data, revision };
  },
  async duplicate({ api, path }, change) {
    const { data, revision } = await api.call("POST", `${path}/scenes/${change.of}/duplicate`, {
      headers: once(change),
    });
    return { scene: data, revision };
  },
  async remove({ api, path }, change) {
    const { revision } = await api.call("DELETE", `${path}/scenes/${change.target}`);
    return { revision };
  },
  async restore({ api, path }, change) {
    const { data, revision } = await api.call("POST", `${path}/scenes/${change.target}/restore`, {
      headers: once(change),
    });
    return { scene: data, revision };
  },
  /** No row has version 0: the service refuses the words and keeps them in the history. */
  async history({ api, path }, change) {
    try {
      await api.call("PATCH", whereOf(path, change), { body: wire(change.fields), version: 0 });
    } catch (error) {
      if (error.status !== 412) throw error;
    }
    return {};
  },
  async move({ api, path }, change) {
    const options = { body: { after: change.after }, headers: once(change) };
    const { data, revision } = await api.call("POST", `${path}/scenes/${change.target}/move`, options);
    return { ...data, revision };
  },
};
