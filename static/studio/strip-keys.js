/* The keys of the strip, while it has the focus. */

import { writes } from "./boot.js";
import { part } from "./lazy.js";
import { focusComing, focusField, focusInStrip, selectAt, selected } from "./navigation.js";
import { addScene, duplicateScene, moveScene, removeScene } from "./scene-commands.js";
import { draft } from "./store.js";

const moveDialog = part("move-dialog");

/** @type {Record<string, number>} */
const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
/** @type {Record<string, (id: string) => void>} */
const KEYS = {
  Home: () => selectAt(0),
  End: () => selectAt(Infinity),
  Enter: () => focusField("text"),
  " ": () => focusField("text"),
  n: addScene,
  d: duplicateScene,
  m: (id) => moveDialog.run((part) => part.askPosition(id)),
  Delete: removeScene,
  Backspace: removeScene,
};

/** @param {KeyboardEvent & {target: Element}} event */
export function onKey(event) {
  const { key, altKey } = event;
  // Keys come faster than the page is drawn: the focus may be on its way to a scene that was named meanwhile.
  /** @type {HTMLElement | null} */
  const thumb = event.target.closest("[data-scene]");
  const id = draft.nameOf(focusComing() || thumb?.dataset.scene || "");
  const place = draft.placeOf(id);
  if (place < 0 || event.ctrlKey || event.metaKey) return;
  const step = STEPS[key];
  if (altKey && event.shiftKey) {
    if (!step || !writes) return;
    event.preventDefault();
    moveScene(id, place + step);
    return;
  }
  const act = step ? () => selectAt(place + step) : KEYS[key];
  const goes = step || key === "Home" || key === "End";
  if (!act || altKey || !(writes || goes || key === "Enter")) return;
  event.preventDefault();
  act(id);
  if (goes) focusInStrip(selected);
}
