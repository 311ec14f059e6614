/* Where one is in the editor, and how one gets elsewhere. */

import { STORY } from "./fold.js";
import { part } from "./lazy.js";
import { redraw, redrawNow } from "./redraw.js";
import { draft, saver, undo } from "./store.js";

const SCENES = "scenes"; // the address of the list of scenes on a phone

const capsuleFields = part("capsule-fields");
const looks = part("looks");
/** @type {Record<string, { get: () => Promise<unknown> }>} What brings the fields that lie folded in the inspector. */
const FOLDED = { focus: part("focus"), place: looks, size: looks, fit: looks, trim: looks };
/** @type {((id: string) => void)[]} */
const followers = [];

/** What is selected: a scene, by the name that it had then, or STORY. */
export let selected = draft.scenes[0]?.id ?? STORY;

let lastScene = selected;
/** @type {string | null} */
let wanted = null;

/** @param {(id: string) => void} act is called with what is selected now */
export function onSelected(act) {
  followers.push(act);
}

/** @param {string} id */
export function select(id) {
  selected = draft.nameOf(id);
  undo.close();
  const address = document.body.dataset.open === "inspector" ? `${selected}.` : selected;
  if (location.hash.slice(1) !== address) history.pushState(null, "", `#${address}`);
  saver.now();
  arrive();
}

function arrive() {
  if (selected !== STORY) lastScene = selected;
  for (const act of followers) act(selected);
  redraw();
}

/** From the list of scenes: on a phone, where the list covers all, straight to the fields.
    @param {string} id */
export function choose(id) {
  if (document.body.dataset.open === "strip") open(id);
  else select(id);
}

/** Whoever writes the title goes on to the words of a scene.
    @param {number} index */
export function selectAt(index) {
  const { scenes } = draft;
  const next = scenes[Math.max(0, Math.min(scenes.length - 1, index))];
  if (!next) return;
  if (selected === STORY && document.activeElement?.matches("#inspector [data-field]")) open(next.id, "text");
  else select(next.id);
}

/** From one scene to another; but whoever has gone elsewhere meanwhile stays there, or his words would go astray.
    @param {string} from
    @param {string} to */
export function goOn(from, to) {
  if (draft.nameOf(selected) === draft.nameOf(from)) select(to);
}

/** The address says what is open: `#story`, `#<scene>`, `#<scene>.<field>`. */
export function follow() {
  const [id, name] = location.hash.slice(1).split(".");
  const known = id === STORY || draft.scene(id);
  if (known) selected = draft.nameOf(id);
  const fields = known && name !== undefined ? "inspector" : "";
  document.body.dataset.open = id === SCENES ? "strip" : fields;
  arrive();
  if (known && name) focusField(name);
  else if (fields) focusDone();
}

/** @param {string} id */
export function open(id, name = "") {
  location.hash = `${draft.nameOf(id)}.${name}`;
  follow();
}

/** Back to the stage of a phone. It shows a scene: after the fields of the whole capsule the scene before them. */
export function closeInspector() {
  document.body.dataset.open = "";
  if (selected === STORY) selected = (draft.scene(lastScene) ?? draft.scenes[0])?.id ?? STORY;
  history.replaceState(null, "", `#${draft.nameOf(selected)}`);
  arrive();
}

/** On a phone the list of scenes has an address, so that the way back closes it and stays in the editor. */
export function openOrder() {
  location.hash = document.body.dataset.open === "strip" ? draft.nameOf(selected) : SCENES;
}

/** The address names the selected scene as the service does. */
export function adoptName() {
  const was = selected;
  selected = draft.nameOf(was);
  if (selected !== was) history.replaceState(null, "", location.hash.replace(was, selected));
}

/** On a phone the fields cover what had the focus; the keyboard stays away until a field is touched. */
function focusDone() {
  redrawNow();
  /** @type {HTMLElement | null} */ (document.querySelector("#inspector .back-to-stage"))?.focus();
}

/** @param {string} name */
export async function focusField(name) {
  await (selected === STORY ? capsuleFields : FOLDED[name])?.get().catch(() => {});
  redrawNow();
  const key = CSS.escape(name);
  /** @type {HTMLElement | null} */
  const element =
    document.getElementById(`field-${name}`) ||
    document.querySelector(`#inspector [data-field="${key}"], #inspector [name="${key}"]`);
  element?.closest("details")?.setAttribute("open", "");
  element?.focus();
  element?.scrollIntoView({ block: "center" });
  element?.classList.add("led-to");
  setTimeout(() => element?.classList.remove("led-to"), 2000);
}

// --- the focus in the strip, whose scenes are drawn later than keys come

/** @param {string} id */
export function focusInStrip(id) {
  wanted = draft.nameOf(id);
  redraw();
}

/** The scene that gets the focus with the next drawing. */
export const focusComing = () => wanted;

/** Gives the focus that was asked for, once the strip is drawn. */
export function focusStrip() {
  if (!wanted) return;
  const thumb = document.querySelector(`#strip [data-scene="${CSS.escape(draft.nameOf(wanted))}"]`);
  /** @type {HTMLElement | null} */ (thumb)?.focus();
  wanted = null;
}
