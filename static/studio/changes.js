/* The draft as an author changes it: what the service has, and on top of it the changes that wait to be saved.

   A change is a plain object, so that the journal can keep it: {id, at, type, target, …}. Types: "edit" (fields of the
   story or of a scene), "add", "duplicate", "remove", "restore", "move", and "history": words for the history alone,
   because somebody else was quicker. Until the service has answered an "add", its scene goes by the name that this page
   made for it. */

import { fold, STORY } from "./fold.js";

/** Whether two values of a field are the same; media are the same file or not. */
export function same(one, other) {
  const plain = (value) => JSON.stringify(value?.kind ? value.id : (value ?? null));
  return plain(one) === plain(other);
}

export class Changes extends EventTarget {
  constructor({ story, scenes }) {
    super();
    this.served = { story, scenes };
    this.changes = [];
    this.conflicts = new Map(); // target → {field: {mine, theirs}}
    this.refused = new Map(); // target → {field: {value, message}}
    this.removed = new Map(); // scene → where it stood, for undo
    this.names = new Map(); // the page's own name of a scene → the service's
  }

  // --- what is seen

  get story() {
    return this.seen().story;
  }
  get scenes() {
    return this.seen().scenes;
  }

  scene(id) {
    return this.scenes.find((scene) => scene.id === this.nameOf(id));
  }
  find(target) {
    return target === STORY ? this.story : this.scene(target);
  }
  nameOf(id) {
    return this.names.get(id) || id;
  }

  seen() {
    this.folded ??= fold(this.served, this.changes, this.refused);
    return this.folded;
  }

  say(type, detail) {
    this.folded = null;
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  // --- what an author does

  /** Changes fields of the story or of a scene; goes into the last change of it that waits, if there is one. A change
      that was sent is left as it is, for the service may have it though no answer came. */
  edit(target, fields) {
    const name = target === STORY ? STORY : this.nameOf(target);
    if (!this.find(name)) return;
    this.forgetRefusals(name, Object.keys(fields));
    const now = this.find(name);
    const fresh = Object.fromEntries(Object.entries(fields).filter(([field, value]) => !same(now[field], value)));
    if (!Object.keys(fresh).length) {
      this.say("change");
      return;
    }
    const base = Object.fromEntries(Object.keys(fresh).map((field) => [field, now[field]]));
    const waiting = this.editsOf(name).at(-1);
    if (waiting && !waiting.sent) {
      for (const field in fresh) if (!(field in waiting.fields)) waiting.base[field] = base[field];
      Object.assign(waiting.fields, fresh);
      this.say("change", waiting);
      return;
    }
    this.record({ type: "edit", target: name, fields: fresh, base });
  }

  editsOf(target) {
    return this.changes.filter((change) => change.type === "edit" && change.target === target);
  }

  record(change) {
    const at = Math.max(Date.now(), (this.changes.at(-1)?.at ?? 0) + 1); // the journal is read in this order
    const whole = { id: crypto.randomUUID(), at, ...change };
    this.changes.push(whole);
    this.say("change", whole);
  }

  forgetRefusals(target, fields) {
    const left = { ...this.refused.get(target) };
    for (const field of fields) delete left[field];
    this.folded = null;
    if (Object.keys(left).length) this.refused.set(target, left);
    else this.refused.delete(target);
  }
}
