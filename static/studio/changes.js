/* The draft as an author changes it: what the service has, and on top of it the changes that wait to be saved.

   A change is a plain object, so that the journal can keep it: {id, at, type, target, …}. Types: "edit" (fields of the
   story or of a scene), "add", "duplicate", "remove", "restore", "move". Until the service has answered an "add", its
   scene goes by the name that this page made for it. */

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

  /** Changes fields of the story or of a scene; goes into the change that waits already, if there is one. */
  edit(target, fields) {
    const name = target === STORY ? STORY : this.nameOf(target);
    const now = this.find(name);
    if (!now) return null;
    const fresh = Object.fromEntries(Object.entries(fields).filter(([field, value]) => !same(now[field], value)));
    this.forgetRefusals(name, Object.keys(fields));
    if (!Object.keys(fresh).length) {
      this.say("change");
      return null;
    }
    const base = Object.fromEntries(Object.keys(fresh).map((field) => [field, now[field]]));
    const waiting = this.changes.find(({ type, target: of, sending }) => type === "edit" && of === name && !sending);
    if (waiting) {
      waiting.base = { ...base, ...waiting.base };
      waiting.fields = { ...waiting.fields, ...fresh };
      this.say("change", waiting);
      return waiting;
    }
    return this.record({ type: "edit", target: name, fields: fresh, base });
  }

  add(after, fields = {}) {
    const target = `new-${crypto.randomUUID()}`;
    this.record({ type: "add", target, after: after && this.nameOf(after), fields });
    return target;
  }

  duplicate(of) {
    const target = `new-${crypto.randomUUID()}`;
    this.record({ type: "duplicate", target, of: this.nameOf(of) });
    return target;
  }

  remove(id) {
    const target = this.nameOf(id);
    const place = this.scenes.findIndex((scene) => scene.id === target);
    if (place < 0) return;
    this.removed.set(target, { scene: this.scenes[place], after: this.scenes[place - 1]?.id ?? null });
    this.record({ type: "remove", target });
  }

  /** Brings a removed scene back to where it stood. */
  restore(id) {
    const target = this.nameOf(id);
    const was = this.removed.get(target);
    if (was) this.record({ type: "restore", target, after: was.after, scene: was.scene });
  }

  /** Puts a scene behind another one; `after` null makes it the first. */
  move(id, after) {
    this.record({ type: "move", target: this.nameOf(id), after: after && this.nameOf(after) });
  }

  record(change) {
    const whole = { id: crypto.randomUUID(), at: Date.now(), ...change };
    this.changes.push(whole);
    this.say("change", whole);
    return whole;
  }

  forgetRefusals(target, fields) {
    const left = { ...this.refused.get(target) };
    for (const field of fields) delete left[field];
    if (Object.keys(left).length) this.refused.set(target, left);
    else this.refused.delete(target);
  }
}
