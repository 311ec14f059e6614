/* Makes scenes of a text that is too long for one: offered at the field, shown before it is done, and undoable. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";
import { pieces, SCREEN } from "./cut.js";
import { add, remove, restore } from "./scenes.js";

const LENGTHS = [SCREEN, 700, 2000]; // characters: the shortest scenes of which there is room for all

/** The texts that a scene's text would become; null where there is nothing to part, or no room for so many scenes. */
function parts(draft, { text }) {
  const { scenes: room, scene } = draft.limits;
  for (const most of LENGTHS) {
    const made = pieces(text, { most, limit: scene.text });
    if (made.length < 2) return null;
    if (draft.scenes.length + made.length - 1 <= room) return made;
  }
  return null;
}

/** Under the text of a scene, where it would make several. */
export function splitOffer(studio, scene) {
  const made = parts(studio.draft, scene);
  if (!made || !studio.writes) return nothing;
  return html`<button class="linklike" type="button" @click=${() => studio.openSplit(scene.id)}>
    Make ${made.length} scenes of it…</button>`;
}

export class Split {
  constructor(dialogs) {
    Object.assign(this, { dialogs, studio: dialogs.studio });
  }

  open(id) {
    this.scene = this.studio.draft.nameOf(id);
    this.dialogs.show("split");
  }

  dialog() {
    const { draft } = this.studio;
    const scene = draft.scene(this.scene);
    const made = scene && parts(draft, scene);
    if (!made)
      return html`<h2 id="dialog-title">Make scenes of it</h2><p>There is nothing to part.</p>
      ${this.dialogs.end()}`;
    const go = () => {
      this.dialogs.close();
      makeScenes(this.studio, scene.id, made);
    };
    return html`<h2 id="dialog-title">Make ${made.length} scenes of this text?</h2>
      <p>One paragraph each; long ones are parted between sentences. The picture stays with the first.</p>
      <ol class="split-parts">${made.map((text) => html`<li dir="auto">${text}</li>`)}</ol>
      <div class="button-row dialog-end">
        <button class="pill" type="button" @click=${() => this.dialogs.close()}>Cancel</button>
        <button class="pill pill-accent" type="button" @click=${go}>Make ${made.length} scenes</button></div>`;
  }
}

/** The scene keeps the first text, a finale the last; the others become scenes beside it. One step of undo. */
export function makeScenes(studio, id, made) {
  const { draft } = studio;
  const scene = draft.scene(id);
  const before = scene.text;
  const own = scene.finale ? made.at(-1) : made[0];
  let behind = scene.finale ? (draft.scenes[draft.scenes.indexOf(scene) - 1]?.id ?? null) : scene.id;
  const ids = (scene.finale ? made.slice(0, -1) : made.slice(1)).map((text) => {
    behind = add(draft, behind, { animation: "auto", text });
    return behind;
  });
  draft.edit(id, { text: own });
  studio.undo.did(
    "Make scenes of a text",
    () => {
      for (const each of [...ids].reverse()) remove(draft, each);
      draft.edit(id, { text: before });
    },
    () => {
      for (const each of ids) restore(draft, each);
      draft.edit(id, { text: own });
    },
  );
  studio.toast(`${made.length} scenes made of the text.`, "Undo", () => studio.undo.back());
}
