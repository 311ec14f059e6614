/* What a capsule must have before it can be published, and what would make it better. The service judges; what is
   empty because somebody has only just begun is counted once they have gone on, or ask for it. */

import { element } from "./element.js";
import { onSelected, selected } from "./navigation.js";
import { redraw } from "./redraw.js";
import { api, storyPath } from "./session.js";
import { draft } from "./store.js";
import { uploads } from "./upload-list.js";

/** @typedef {{path: string, message: string, sceneId?: string}} Fault */
/** @typedef {import("./fold.js").Scene} Scene */

const PICTURE = ["still", "animation"];

class Check {
  /** @type {Fault[]} */
  faults = [];
  /** @type {Fault[]} */
  advice = [];
  known = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;
  /** Whether somebody has asked what is missing: then everything counts. */
  isAsked = false;
  /** The scenes that ought to be finished: those that had something in them when the page was opened, and those that
      somebody has begun and left. */
  due = new Set(
    draft.scenes.filter(({ title, text, still, film }) => title || text || still || film).map(({ id }) => id),
  );

  /** Somebody asks what is missing. */
  ask() {
    this.isAsked = true;
    this.refresh();
  }

  /** Asks the service again; several calls in a row ask once. */
  refresh() {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      try {
        const { data } = await api.call("GET", `${storyPath}/readiness`);
        this.faults = data.faults;
        this.advice = data.advice;
        this.known = true;
        redraw();
      } catch {
        // Without an answer the old list stays; the state of saving tells what is wrong.
      }
    }, 300);
  }

  /** What this tab can see at once is missing in a scene, before the service has said so.
      @param {Scene} scene
      @param {number} index */
  missingIn(scene, index) {
    const missing = [];
    if (!scene.text.replace(/[\s\u200b-\u200d\u2060\ufeff]/g, "")) missing.push("text");
    if (!scene.still && !uploads.of(scene.id).length) missing.push("still");
    if (!scene.finale && scene.animation === "none") missing.push("animation");
    if (scene.finale && index < draft.scenes.length - 1) missing.push("finale");
    return missing.filter((what) => !this.isYetToCome(scene, what));
  }

  /** Whether nothing is missing, not even what is on its way. */
  get isReady() {
    return this.known && this.faults.every(({ path }) => path === "preview");
  }

  /** The faults that an author can mend; a file that is on its way comes by itself, and what
      only a new preview mends is not their work. */
  get musts() {
    return this.faults.filter(({ path, sceneId }) => path !== "preview" && !isOnItsWay(sceneId, whatOf(path)));
  }

  /** Those that are more than what nobody has come to yet. */
  get counted() {
    return this.musts.filter(({ path, sceneId = "" }) => {
      const scene = draft.scene(sceneId);
      return scene ? !this.isYetToCome(scene, whatOf(path)) : path !== "scenes" || draft.scenes.some(this.isDue);
    });
  }

  /** Whether it is empty only because nobody has come to it yet.
      @param {Scene} scene
      @param {string} what */
  isYetToCome(scene, what) {
    const isEmpty = what === "text" || (PICTURE.includes(what) && !scene.still && !uploads.of(scene.id).length);
    return isEmpty && !this.isDue(scene);
  }

  /** @param {Scene} scene */
  isDue = ({ id }) => this.isAsked || [...this.due].some((each) => draft.nameOf(each) === id);
}

/** @param {string} path */
const whatOf = (path) => path.split(".").at(-1) ?? "";

/** @param {string | undefined} id
    @param {string} what */
const isOnItsWay = (id, what) =>
  id !== undefined &&
  PICTURE.includes(what) &&
  (uploads.of(id).some(({ state }) => state !== "refused") || uploads.fromElsewhere(id).length > 0);

export const check = new Check();

/** @type {string} the scene that somebody writes in */
let written = "";

/** The scene whose field has the focus is begun; it is due once another one is selected. */
function follow() {
  const { activeElement } = document;
  if (written && draft.nameOf(written) !== draft.nameOf(selected)) check.due.add(written);
  if (element("inspector").contains(activeElement) && activeElement?.matches("[data-field]")) written = selected;
}

element("inspector").addEventListener("focusin", follow);
onSelected(follow); // a field may keep the focus from scene to scene
