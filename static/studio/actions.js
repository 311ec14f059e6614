/* How everything but an edit is told to the API: new scenes, copies, removals, moves. */

import { wire } from "./requests.js";

const once = (change) => ({ "Idempotency-Key": change.id });

export const SEND = {
  async add({ api, path }, change) {
    const body = { after: change.after, ...wire(change.fields) };
    if (body.after === undefined) delete body.after;
    const { data } = await api.call("POST", `${path}/scenes`, { body, headers: once(change) });
    return { scene: data };
  },
  async duplicate({ api, path }, change) {
    const { data } = await api.call("POST", `${path}/scenes/${change.of}/duplicate`, { headers: once(change) });
    return { scene: data };
  },
  async remove({ api, path }, change) {
    await api.call("DELETE", `${path}/scenes/${change.target}`);
    return {};
  },
  async restore({ api, path }, change) {
    const { data } = await api.call("POST", `${path}/scenes/${change.target}/restore`, { headers: once(change) });
    return { scene: data };
  },
  async move({ api, path }, change) {
    const options = { body: { after: change.after }, headers: once(change) };
    const { data } = await api.call("POST", `${path}/scenes/${change.target}/move`, options);
    return data;
  },
};
