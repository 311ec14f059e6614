/* How everything but an edit is told to the API: new scenes, copies, removals, moves. */

import { whereOf, wire } from "./edit-requests.js";

/** @typedef {import("./fold.js").Change} Change */
/** @typedef {import("./edit-requests.js").Line} Line */
/** @typedef {(line: Line, change: Change) => Promise<import("./settling.js").Answer>} Send */

/** @param {Change} change */
const once = (change) => ({ "Idempotency-Key": change.id });

/** @param {{data: import("./fold.js").Scene, revision: number}} answer */
const sceneOf = ({ data, revision }) => ({ scene: data, revision });

/** @type {Record<string, Send>} */
export const SEND = {
  async add({ api, path }, change) {
    /** @type {Record<string, unknown>} */
    const body = { after: change.after, ...wire(change.fields) };
    if (body.after === undefined) delete body.after;
    return sceneOf(await api.call("POST", `${path}/scenes`, { body, headers: once(change) }));
  },
  async duplicate({ api, path }, change) {
    return sceneOf(await api.call("POST", `${path}/scenes/${change.of}/duplicate`, { headers: once(change) }));
  },
  async remove({ api, path }, change) {
    const { revision } = await api.call("DELETE", `${path}/scenes/${change.target}`);
    return { revision };
  },
  async restore({ api, path }, change) {
    return sceneOf(await api.call("POST", `${path}/scenes/${change.target}/restore`, { headers: once(change) }));
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
