/* The draft as an author changes it: what the service has, and on top of it the changes that are not saved yet.

   A change is a plain object, so that the journal can keep it: {id, at, type, target, …}. Types: "edit" (fields of the
   story or of a scene), "add", "duplicate", "remove", "restore", "move", "history": words for the history alone,
   because somebody else was quicker, and "held": fields that the service does not take as they are (held-fields.js).
   Until the service has answered an "add", its scene goes by the name that this page made for it. */

import { fold, STORY } from "./fold.js";
import { hold, release } from "./held-fields.js";

/** @typedef {import("./fold.js").Change} Change */
/** @typedef {import("./fold.js").Fields} Fields */
/** @typedef {import("./fold.js").Scene} Scene */
/** @typedef {import("./fold.js").Story} Story */
/** @typedef {import("./fold.js").Served} Served */
/** @typedef {import("./fold.js").Row} Row */

/** Whether two values of a field are the same; media are the same file or not.
    @param {any} one
    @param {any} other */
export function same(one, other) {
  const plain = (/** @type {any} */ value) => JSON.stringify(value?.kind ? value.id : (value ?? null));
  return plain(one) === plain(other);
}

export class Draft extends EventTarget {
  /** `limits` are the characters that fields may have, `empty` is what a new scene begins as.
      @param {Served} served
      @param {{story?: Record<string, number>, scene?: Record<string, number>, scenes?: number}} limits
      @param {import("./fold.js").EmptyScene} empty */
  constructor({ story, scenes }, limits, empty) {
    super();
    this.limits = limits;
    this.empty = empty;
    /** @type {Served} */
    this.served = { story, scenes };
    this.revision = story.revision; // up to which this page has every change
    /** @type {Change[]} */
    this.changes = [];
    /** @type {Map<string, Record<string, {mine: any, theirs: any, by?: import("./fold.js").Person}>>} */
    this.conflicts = new Map(); // by target and field
    /** @type {Map<string, {scene: Scene, after: string | null}>} */
    this.removed = new Map(); // where a scene stood, for undo
    /** @type {Map<string, string>} */
    this.names = new Map(); // the page's own name of a scene → the service's
    /** @type {Served | null} */
    this.folded = null;
  }

  // --- what is seen

  get story() {
    return this.seen().story;
  }
  get scenes() {
    return this.seen().scenes;
  }

  /** @param {string} id */
  scene(id) {
    return this.scenes[this.placeOf(id)];
  }
  /** The index of a scene; -1 where there is none of this id.
      @param {string} id */
  placeOf(id) {
    return this.scenes.findIndex((scene) => scene.id === this.nameOf(id));
  }
  /** @param {string} target
      @returns {Row | undefined} */
  find(target) {
    return target === STORY ? this.story : this.scene(target);
  }
  /** @param {string} id */
  nameOf(id) {
    return this.names.get(id) || id;
  }

  seen() {
    this.folded ??= fold(this.served, this.changes, this.empty);
    return this.folded;
  }

  /** What happens: "change", with the change where there is one, "received" news, and "settled": a change left.
      @param {"change" | "received" | "settled"} type
      @param {(change: Change) => void} act */
  on(type, act) {
    this.addEventListener(type, (event) => act(/** @type {CustomEvent<Change>} */ (event).detail));
  }

  /** @param {"change" | "received" | "settled"} type
      @param {Change} [detail] */
  say(type, detail) {
    this.folded = null;
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  // --- what an author does

  /** Changes fields of the story or of a scene; goes into the last change of it that waits, if there is one. A change
      that was sent is left as it is, for the service may have it though no answer came.
      @param {string} target
      @param {Fields} fields */
  edit(target, fields) {
    const name = target === STORY ? STORY : this.nameOf(target);
    if (!this.find(name)) return;
    const tooLong = (/** @type {[string, any]} */ [field, value]) => this.excess(name, field, value) > 0;
    const different = () => Object.entries(fields).filter(([field, value]) => !same(this.find(name)?.[field], value));
    const long = different().filter(tooLong);
    const fits = different().filter((each) => !tooLong(each));
    if (long.length) hold(this, name, Object.fromEntries(long));
    release(
      this,
      name,
      fits.map(([field]) => field),
    );
    const fresh = Object.fromEntries(different().filter((each) => !tooLong(each)));
    if (Object.keys(fresh).length) this.write(name, fresh);
    else this.say("change");
  }

  /** @param {string} target
      @param {Fields} fresh */
  write(target, fresh) {
    const now = this.find(target);
    const base = Object.fromEntries(Object.keys(fresh).map((field) => [field, now?.[field]]));
    const last = this.editsOf(target).at(-1);
    if (last?.state === "waiting") {
      for (const field in fresh) if (!(field in last.fields)) last.base[field] = base[field];
      Object.assign(last.fields, fresh);
      this.say("change", last);
    } else this.record({ type: "edit", target, fields: fresh, base });
  }

  /** @param {string} target */
  editsOf(target) {
    return this.changes.filter((change) => change.type === "edit" && change.target === target);
  }

  /** @param {Partial<Change> & Pick<Change, "type" | "target">} change */
  record(change) {
    const at = Math.max(Date.now(), (this.changes.at(-1)?.at ?? 0) + 1); // the journal is read in this order
    const whole = /** @type {Change} */ ({
      id: crypto.randomUUID(),
      at,
      state: change.type === "held" ? "held" : "waiting",
      ...change,
    });
    this.changes.push(whole);
    this.say("change", whole);
  }

  // --- what the service does not take as it is

  /** How many characters a value has too many.
      @param {string} target
      @param {string} field
      @param {unknown} value */
  excess(target, field, value) {
    const most = this.limits[target === STORY ? STORY : "scene"]?.[field];
    return most && typeof value === "string" ? Math.max(0, [...value].length - most) : 0;
  }
  /** The held changes of what is there: those of a removed scene wait for its return. */
  get held() {
    return this.changes.filter(({ type, target }) => type === "held" && this.find(target));
  }
}
