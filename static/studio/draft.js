/* The draft as this tab sees it: the changes of its author, settled with what the service answers. */

import { Changes, same } from "./changes.js";
import { STORY } from "./fold.js";

export { STORY };

export class Draft extends Changes {
  /** The service has this change. `scene`, `story` and `order` are what it says of them now. */
  settle(change, { scene, story, order } = {}) {
    this.changes = this.changes.filter((other) => other !== change);
    if (scene && change.target.startsWith("new-")) this.rename(change.target, scene.id);
    if (scene) this.put(scene, change.after);
    if (story) this.served.story = { ...this.served.story, ...story };
    if (change.type === "remove") {
      this.served.scenes = this.served.scenes.filter(({ id }) => id !== change.target);
    }
    if (order) this.arrange(order);
    this.say("settled", change);
  }

  put(scene, after) {
    const place = this.served.scenes.findIndex(({ id }) => id === scene.id);
    if (place >= 0) {
      this.served.scenes[place] = scene;
      return;
    }
    const before = this.served.scenes.findIndex(({ id }) => id === after);
    const position = after === null ? 0 : before >= 0 ? before + 1 : (scene.position ?? this.served.scenes.length);
    this.served.scenes.splice(position, 0, scene);
  }

  arrange(order) {
    const place = new Map(order.map((id, index) => [id, index]));
    this.served.scenes.sort((a, b) => (place.get(a.id) ?? Infinity) - (place.get(b.id) ?? Infinity));
  }

  rename(from, to) {
    this.names.set(from, to);
    for (const change of this.changes) {
      for (const field of ["target", "after", "of"]) if (change[field] === from) change[field] = to;
    }
    for (const map of [this.conflicts, this.refused, this.removed]) {
      if (map.has(from)) map.set(to, map.get(from));
      map.delete(from);
    }
  }

  /** Some fields of an edit were refused for good: they stay on the page with their messages, the others go on. */
  refuse(change, messages) {
    const fields = { ...this.refused.get(change.target) };
    for (const [field, message] of Object.entries(messages)) {
      fields[field] = { value: change.fields?.[field], message };
      if (change.fields) delete change.fields[field];
    }
    this.refused.set(change.target, fields);
    if (!change.fields || !Object.keys(change.fields).length) this.drop(change);
    else this.say("change", change);
  }

  drop(change) {
    this.changes = this.changes.filter((other) => other !== change);
    this.say("settled", change);
  }

  /** News of the whole draft from the service. What waits here is merged with it, field by field. */
  receive({ story, scenes }) {
    this.served = { story: { ...this.served.story, ...story }, scenes: scenes ?? this.served.scenes };
    for (const change of [...this.changes]) if (change.type === "edit") this.rebase(change);
    this.say("received");
  }

  /** Fits an edit to what the service has now: takes out what is there already, and what another person changed
      in the same field becomes a conflict. Returns whether anything is left to send. */
  rebase(change) {
    const theirs =
      change.target === STORY ? this.served.story : this.served.scenes.find(({ id }) => id === change.target);
    if (!theirs) return true; // it is new, or was removed: the service will tell
    for (const field of Object.keys(change.fields)) {
      if (same(theirs[field], change.fields[field])) delete change.fields[field];
      else if (same(theirs[field], change.base[field])) change.base[field] = theirs[field];
      else this.disagree(change, field, theirs[field]);
    }
    if (Object.keys(change.fields).length) return true;
    if (!change.sending) this.drop(change);
    return false;
  }

  disagree(change, field, theirs) {
    const fields = { ...this.conflicts.get(change.target) };
    fields[field] = { mine: change.fields[field], theirs };
    this.conflicts.set(change.target, fields);
    delete change.fields[field];
  }

  /** Ends a conflict about one field. */
  resolve(target, field, value) {
    const fields = { ...this.conflicts.get(target) };
    delete fields[field];
    if (Object.keys(fields).length) this.conflicts.set(target, fields);
    else this.conflicts.delete(target);
    this.edit(target, { [field]: value });
  }
}
