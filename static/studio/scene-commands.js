/* What an author can have done with scenes, by button, menu or key. What does it is fetched when first needed. */

import { part } from "./lazy.js";
import { selected } from "./navigation.js";

const scenes = part("scenes");
const dragging = part("drag");

export function addScene() {
  const from = selected;
  scenes.run((part) => part.addScene(from));
}

/** @param {string} id */
export const removeScene = (id) => scenes.run((part) => part.removeScene(id));
/** @param {string} id */
export const duplicateScene = (id) => scenes.run((part) => part.duplicateScene(id));

/** Moves a scene to a place, counted from 0.
    @param {string} id
    @param {number} place */
export const moveScene = (id, place) => scenes.run((part) => part.moveScene(id, place));

/** What was written in a scene that is gone meanwhile is kept in a new one.
    @param {import("./fold.js").Fields} fields */
export const keepWords = (fields) => scenes.run((part) => part.keepWords(fields));

/** @param {PointerEvent} event
    @param {HTMLElement} item
    @param {(place: number) => void} drop */
export function dragScene(event, item, drop) {
  const released = new AbortController(); // who has let go before the part arrived only clicked
  for (const end of ["pointerup", "pointercancel"]) {
    addEventListener(end, () => released.abort(), { once: true, signal: released.signal });
  }
  dragging.run(({ drag }) => released.signal.aborted || drag(event, item, drop));
}
