/* The parts that the editor needs only once somebody does something: each is fetched when it is first asked for, and
   all of them after the first touch of the page, so that an author who goes offline later has them. */

const PARTS = {
  checklist: () => import("./checklist.js"),
  conflict: () => import("./conflict.js"),
  actions: () => import("./actions.js"),
  dialogs: () => import("./dialogs.js"),
  drag: () => import("./drag.js"),
  files: () => import("./files.js"),
  focus: () => import("./focus.js"),
  live: () => import("./live.js"),
  merging: () => import("./merging.js"),
  menus: () => import("./menus.js"),
  preview: () => import("./preview.js"),
  publishing: () => import("./publishing.js"),
  refusals: () => import("./refusals.js"),
  scenes: () => import("./scenes.js"),
  split: () => import("./split.js"),
  stageText: () => import("./stage-text.js"),
  start: () => import("./start.js"),
  story: () => import("./story.js"),
  transfer: () => import("./transfer.js"),
  uploading: () => import("./uploading.js"),
};
const AGAIN = 3000; // ms between two tries of what has to come in the end

export class Parts {
  /** `arrived` is called when a part is there. */
  constructor(arrived) {
    Object.assign(this, { arrived, here: {}, asked: {} });
    const touched = new AbortController();
    for (const hand of ["pointermove", "pointerdown", "keydown"]) {
      addEventListener(hand, () => touched.abort() || this.warm(), { signal: touched.signal, passive: true });
    }
    addEventListener("online", () => arrived());
  }

  /** The part where it is there; else undefined, and the page is drawn again when it has arrived. */
  use(name) {
    if (!this.here[name]) this.get(name).catch(() => {});
    return this.here[name];
  }

  /** The part. Where there is no connection it throws, or, if `patient`, asks until there is one. */
  async get(name, { patient = false } = {}) {
    for (;;) {
      try {
        this.asked[name] ??= this.load(name);
        return await this.asked[name];
      } catch (error) {
        if (!patient) throw error;
        await new Promise((then) => {
          setTimeout(then, AGAIN);
        });
      }
    }
  }

  async load(name) {
    try {
      this.here[name] = await PARTS[name]();
    } catch {
      delete this.asked[name];
      throw new Error("This part of the editor could not be loaded. Check the connection and try again.");
    }
    this.arrived();
    return this.here[name];
  }

  async warm() {
    for (const name of Object.keys(PARTS)) await this.get(name).catch(() => {});
  }
}
