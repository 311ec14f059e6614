/* What the menus of the editor and of a scene hold. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";

const close = (act) => (event) => {
  event.target.closest("[popover]")?.hidePopover();
  act(event);
};

export function sceneMenu(studio, scene) {
  return html`
    <button role="menuitem" type="button" @click=${close(() => studio.duplicateScene(scene.id))}>Duplicate</button>
    <button role="menuitem" type="button" @click=${close(() => studio.askPlace(scene.id))}>Move to…</button>
    <button role="menuitem" type="button" @click=${close(() => studio.chooseCover(scene.id))}>Use as cover</button>
    <button role="menuitem" type="button" @click=${close(() => studio.removeScene(scene.id))}>Delete scene</button>`;
}

export function moreMenu(studio) {
  const { urls, writes, undo, draft } = studio;
  const item = (words, act, off) =>
    html`<button role="menuitem" type="button" ?disabled=${off} @click=${close(act)}>${words}</button>`;
  return html`
    ${
      writes
        ? html`<div class="narrow-only">${item("Undo", () => undo.back(), !undo.done.length)}
      ${item("Redo", () => undo.again(), !undo.undone.length)}</div>`
        : nothing
    }
    ${item("Check what is missing", () => studio.openCheck())}
    <a role="menuitem" href=${urls.preview} target="capsules-preview"
      @click=${close((event) => studio.openPreview(event))}>Preview</a>
    ${urls.history ? html`<a role="menuitem" href=${urls.history}>History</a>` : nothing}
    ${urls.editions ? html`<a role="menuitem" href=${urls.editions}>Editions</a>` : nothing}
    ${
      writes && draft.story.publication?.isPublished
        ? html`${item("Who can see it", () => studio.openVisibility())}
      ${draft.story.shown && draft.story.capsuleId ? nothing : item("Unpublish", () => studio.openVisibility(true))}`
        : nothing
    }
    ${item("Keyboard", () => studio.showDialog("keys"))}
    ${writes ? item("Move to trash", () => studio.showDialog("trash")) : nothing}`;
}
