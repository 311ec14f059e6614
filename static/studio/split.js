/* Makes scenes of a text that is too long for one: offered at the field, shown before it is done, and undoable. */

import { toast } from "./announcements.js";
import { limits, writes } from "./boot.js";
import { pieces } from "./cut.js";
import { closeDialog, dialogEnd, showDialog } from "./dialogs.js";
import { SCREEN } from "./lengths.js";
import { html, nothing } from "./lit.js";
import { focusField } from "./navigation.js";
import { add, remove, restore } from "./scene-changes.js";
import { draft, undo } from "./store.js";
import { plural, t } from "./words.js";

/** @typedef {import("./fold.js").Scene} Scene */

const LENGTHS = [SCREEN, 700, 2000]; // characters: the shortest scenes of which there is room for all

/** The texts that a scene's text would become; null where there is nothing to part, or no room for so many scenes.
    @param {Scene} scene */
function partsOf({ text }) {
  const { scenes: room, scene: longest } = limits;
  for (const most of LENGTHS) {
    const made = pieces(text, { most, limit: longest.text });
    if (made.length < 2) return null;
    if (draft.scenes.length + made.length - 1 <= room) return made;
  }
  return null;
}

/** Under the text of a scene, where it would make several.
    @param {Scene} scene */
export function splitOffer(scene) {
  const made = partsOf(scene);
  if (!made || !writes) return nothing;
  return html`<button class="linklike" type="button" @click=${() => showDialog(() => question(scene.id))}>
    ${plural("Make 1 scene of it…", "Make {n} scenes of it…", made.length)}</button>`;
}

/** @param {string} id */
function question(id) {
  const scene = draft.scene(id);
  const made = scene && partsOf(scene);
  if (!made)
    return html`<h2 id="dialog-title">${t("Make scenes of it")}</h2><p>${t("There is nothing to part.")}</p>
    ${dialogEnd()}`;
  const go = () => {
    closeDialog();
    makeScenes(scene, made);
  };
  const count = made.length;
  return html`<h2 id="dialog-title">${plural("Make 1 scene of this text?", "Make {n} scenes of this text?", count)}</h2>
    <p>${t("One paragraph each; long ones are parted between sentences. The picture stays with the first.")}</p>
    <ol class="split-parts">${made.map((text) => html`<li dir="auto">${text}</li>`)}</ol>
    <div class="button-row dialog-end">
      <button class="pill" type="button" @click=${closeDialog}>${t("Cancel")}</button>
      <button class="pill pill-accent" type="button" @click=${go}>
        ${plural("Make 1 scene", "Make {n} scenes", count)}</button></div>`;
}

/** The scene keeps the first text, a finale the last; the others become scenes beside it. One step of undo.
    @param {Scene} scene
    @param {string[]} made */
function makeScenes(scene, made) {
  const { id, text: before } = scene;
  const own = scene.finale ? made.at(-1) : made[0];
  let behind = scene.finale ? (draft.scenes[draft.scenes.indexOf(scene) - 1]?.id ?? null) : scene.id;
  const ids = (scene.finale ? made.slice(0, -1) : made.slice(1)).map((text) => {
    behind = add(draft, behind, { animation: "auto", text });
    return behind;
  });
  draft.edit(id, { text: own });
  undo.did(
    t("Make scenes of a text"),
    () => {
      for (const each of [...ids].reverse()) remove(draft, each);
      draft.edit(id, { text: before });
    },
    () => {
      for (const each of ids) restore(draft, each);
      draft.edit(id, { text: own });
    },
  );
  const words = plural("1 scene made of the text.", "{n} scenes made of the text.", made.length);
  toast(words, t("Undo"), () => undo.back());
  focusField("text"); // what was pressed is no more
}
