/* The draft as an author changes it: what the service has, and on top of it the changes that wait to be saved.

   A change is a plain object, so that the journal can keep it: {id, at, type, target, …}. Types: "edit" (fields of the
   story or of a scene), "add", "duplicate", "remove", "restore", "move", "history": words for the history alone,
   because somebody else was quicker, and "held": fields that the service does not take as they are, because they are
   too long or were refused. A held change is never sent; it stays on the page and in the journal until its fields are
   changed. Until the service has answered an "add", its scene goes by the name that this page made for it. */

import { fold, STORY } from "./fold.js";

/** Whether two values of a field are the same; media are the same file or not. */
export function same(one, other) {
  const plain = (value) => JSON.stringify(value?.kind ? value.id : (value ?? null));
  return plain(one) === plain(other);
}

export class Changes extends EventTarget {
  /** `limits` are the characters that fields may have: {story: {title, …}, scene: {text, …}}. */
  constructor({ story, scenes }, limits = {}) {
    super();
    this.limits = limits;
    this.served = { story, scenes };
    this.changes = [];
    this.conflicts = new Map(); // target → {field: {mine, theirs}}
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
    this.folded ??= fold(this.served, this.changes);
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
    const different = (row) => Object.entries(fields).filter(([field, value]) => !same(row[field], value));
    const [long, fits] = parted(different(this.find(name)), ([field, value]) => this.excess(name, field, value));
    if (long.length) this.hold(name, Object.fromEntries(long));
    this.release(
      name,
      fits.map(([field]) => field),
    );
    const now = this.find(name);
    const fresh = Object.fromEntries(different(now).filter(([field, value]) => !this.excess(name, field, value)));
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

  // --- what the service does not take as it is

  /** How many characters a value has too many. */
  excess(target, field, value) {
    const most = this.limits[target === STORY ? STORY : "scene"]?.[field];
    return most && typeof value === "string" ? Math.max(0, [...value].length - most) : 0;
  }

  /** The held changes of what is there: those of a removed scene wait for its return. */
  get held() {
    return this.changes.filter(({ type, target }) => type === "held" && this.find(target));
  }

  /** What the service said against a held field; undefined where the field is not held. */
  messageOf(target, field) {
    return this.held.findLast((held) => held.target === target && field in held.fields)?.messages[field];
  }

  /** Keeps fields on the page and in the journal that the service does not take. `base` is what they stand on. */
  hold(target, fields, { base, messages } = {}) {
    const now = this.find(target);
    const told = (field) => messages?.[field] ?? "";
    const held = this.held.findLast((change) => change.target === target);
    const change = held ?? { type: "held", target, fields: {}, base: {}, messages: {} };
    for (const [field, value] of Object.entries(fields)) {
      if (!(field in change.fields)) change.base[field] = base ? base[field] : now[field];
      change.fields[field] = value;
      change.messages[field] = told(field);
    }
    if (held) this.say("change", held);
    else this.record(change);
  }

  /** These fields get another value, which may be taken. */
  release(target, fields) {
    for (const held of this.held.filter((change) => change.target === target)) {
      const before = Object.keys(held.fields).length;
      for (const field of fields) delete held.fields[field];
      this.folded = null;
      const left = Object.keys(held.fields).length;
      if (!left) this.drop(held);
      else if (left < before) this.say("change", held);
    }
  }
}

function parted(list, test) {
  return [list.filter(test), list.filter((each) => !test(each))];
}
