/* Undo and redo of what an author did in this tab: each step knows how to go back and how to go on again. */

import { t } from "./words.js";

const DEPTH = 100;

/** @typedef {{what: string, back: () => void, again: () => void, key?: string, closed?: boolean}} Step */

export class Undo {
  /** @type {Step[]} */
  done = [];
  /** @type {Step[]} */
  undone = [];

  /** @param {(words: string) => void} tell */
  constructor(tell) {
    this.tell = tell;
  }

  /** @param {string} what
      @param {() => void} back
      @param {() => void} again
      @param {string} [key] */
  did(what, back, again, key) {
    this.done.push({ what, back, again, key });
    if (this.done.length > DEPTH) this.done.shift();
    this.undone = [];
  }

  /** A field got another value; several changes of one field in a row are one step.
      @template T
      @param {string} what
      @param {string} key
      @param {T} before
      @param {T} after
      @param {(value: T) => void} write */
  typed(what, key, before, after, write) {
    const last = this.done.at(-1);
    if (last?.key === key && !last.closed) {
      last.again = () => write(after);
      this.undone = [];
      return;
    }
    this.did(
      what,
      () => write(before),
      () => write(after),
      key,
    );
  }

  /** The field was left: what is typed in it next is a step of its own. */
  close() {
    const last = this.done.at(-1);
    if (last) last.closed = true;
  }

  back() {
    this.step(this.done, this.undone, "back", (what) => t("Undone: {what}.", { what }));
  }
  again() {
    this.step(this.undone, this.done, "again", (what) => t("Redone: {what}.", { what }));
  }

  /** @param {Step[]} from
      @param {Step[]} to
      @param {"back" | "again"} way
      @param {(what: string) => string} words */
  step(from, to, way, words) {
    const step = from.pop();
    if (!step) return;
    step[way]();
    step.closed = true;
    to.push(step);
    this.tell(words(step.what));
  }
}
