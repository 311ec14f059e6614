/* What a capsule must have before it can be published, and what would make it better. The service judges. */

import { redraw } from "./redraw.js";
import { api, storyPath } from "./session.js";
import { draft } from "./store.js";
import { uploads } from "./upload-list.js";

/** @typedef {{path: string, message: string, sceneId?: string}} Fault */

class Check {
  /** @type {Fault[]} */
  faults = [];
  /** @type {Fault[]} */
  advice = [];
  known = false;
  /** @type {string | undefined} why it is not known */
  trouble;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;
  /** Whether what is missing is shown: not while a capsule is begun, until somebody asks. */
  isTold = draft.scenes.some(({ title, text, still, film }) => title || text || still || film);

  /** Somebody asks what is missing. */
  ask() {
    this.isTold = true;
    this.refresh();
  }

  /** Asks the service again; several calls in a row ask once, and only the answer to the last one counts. */
  refresh() {
    clearTimeout(this.timer);
    const mine = setTimeout(async () => {
      try {
        const { data } = await api.call("GET", `${storyPath}/readiness`);
        if (mine === this.timer) Object.assign(this, data, { known: true });
      } catch (error) {
        this.trouble = error.message; // an old list stays; the state of saving tells what is wrong
      }
      redraw();
    }, 300);
    this.timer = mine;
  }

  /** What this tab can see at once is missing in a scene, before the service has said so.
      @param {import("./fold.js").Scene} scene
      @param {number} index */
  missingIn(scene, index) {
    if (!this.isTold) return [];
    const missing = [];
    if (!scene.text.replace(/[\s\u200b-\u200d\u2060\ufeff]/g, "")) missing.push("text");
    if (!scene.still && !uploads.of(scene.id).length) missing.push("still");
    if (!scene.finale && scene.animation === "none" && scene.still) missing.push("animation");
    if (scene.finale && index < draft.scenes.length - 1) missing.push("finale");
    return missing;
  }

  /** What an author can mend. What only a new preview mends is not their work, and a scene without a picture needs that
      alone: the camera then moves over it. */
  musts(faults = this.faults) {
    return faults.filter(({ path, sceneId = "" }) => {
      const scene = draft.scene(sceneId);
      return path.endsWith(".animation") ? scene?.still || scene?.animation === "film" : path !== "preview";
    });
  }

  get counted() {
    return this.isTold ? this.musts().length : 0;
  }
}

export const check = new Check();
