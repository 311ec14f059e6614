/* Parts of the editor that are needed only once somebody does something. Each is fetched when it is first asked for,
   and all of them after the first touch of the page, so that an author who goes offline later has them. */

import { toast } from "./announcements.js";
import { redraw } from "./redraw.js";
import { t } from "./words.js";

const AGAIN = 3000; // ms between two tries of what has to come in the end

/** @typedef {import("./parts.js").Loaders} Loaders */

/** @type {Map<string, Part<unknown>>} */
const parts = new Map();
/** @type {Partial<Loaders>} */
let loaders = {};

/** Says how each part is fetched.
    @param {Loaders} all */
export function provide(all) {
  loaders = all;
}

/** A part that a module needs, by the name of its file (parts.js).
    @template {keyof Loaders} Name
    @param {Name} name
    @returns {Part<Awaited<ReturnType<Loaders[Name]>>>} */
export function part(name) {
  if (!parts.has(name)) parts.set(name, new Part(name));
  return /** @type {Part<any>} */ (parts.get(name));
}

/** @template T */
class Part {
  /** @type {T | undefined} */
  here;
  /** @type {Promise<T> | undefined} */
  asked;
  /** @type {string | undefined} why it is not there, once it could not be fetched */
  missing;

  /** @param {keyof Loaders} name */
  constructor(name) {
    this.name = name;
  }

  /** The part where it is there; else undefined, and the page is drawn again when it has arrived. */
  use() {
    if (!this.here) this.get().catch(() => {});
    return this.here;
  }

  /** The part. Where there is no connection it throws, or, if `patient`, asks until there is one. */
  async get({ patient = false } = {}) {
    for (;;) {
      try {
        this.asked ??= this.fetch();
        return await this.asked;
      } catch (error) {
        if (!patient) throw error;
        await new Promise((then) => {
          setTimeout(then, AGAIN);
        });
      }
    }
  }

  /** Does something with the part: at once where it is here, else when it has arrived.
      @param {(part: T) => void} act */
  run(act) {
    if (this.here) act(this.here);
    else this.get().then(act, (error) => toast(error.message));
  }

  async fetch() {
    try {
      this.here = await /** @type {() => Promise<any>} */ (loaders[this.name])();
    } catch {
      this.asked = undefined;
      if (!this.missing) redraw();
      this.missing = t("This part of the editor could not be loaded. Check the connection and try again.");
      throw new Error(this.missing);
    }
    redraw();
    return /** @type {T} */ (this.here);
  }
}

/** Fetches everything once somebody touches the page; what could not be fetched is asked for again when online. */
export function warmOnTouch() {
  const warm = async () => {
    for (const name of /** @type {(keyof Loaders)[]} */ (Object.keys(loaders)))
      await part(name)
        .get()
        .catch(() => {});
  };
  for (const hand of ["pointermove", "pointerdown", "keydown"]) addEventListener(hand, warm, { once: true });
  addEventListener("online", warm);
}
