/* Undo and redo of what an author did in this tab: each step knows how to go back and how to go on again. */

const DEPTH = 100;

export class Undo {
  constructor(tell) {
    this.tell = tell;
    this.done = [];
    this.undone = [];
  }

  did(what, back, again) {
    this.done.push({ what, back, again });
    if (this.done.length > DEPTH) this.done.shift();
    this.undone = [];
  }

  /** A field got another value; several changes of one field in a row are one step. */
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
    );
    this.done.at(-1).key = key;
  }

  /** The field was left: what is typed in it next is a step of its own. */
  close() {
    if (this.done.length) this.done.at(-1).closed = true;
  }

  back() {
    this.step(this.done, this.undone, "back", "Undone");
  }
  again() {
    this.step(this.undone, this.done, "again", "Redone");
  }

  step(from, to, way, word) {
    const step = from.pop();
    if (!step) return;
    step[way]();
    step.closed = true;
    to.push(step);
    this.tell(`${word}: ${step.what}.`);
  }
}
