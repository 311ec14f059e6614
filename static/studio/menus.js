/* What the menus of the editor and of a scene hold. */

import { urls, writes } from "./boot.js";
import { openCheck, openPreview, openShortcuts, openVisibility } from "./dialog-commands.js";
import { chooseCover } from "./editing.js";
import { html, nothing } from "./lit.js";
import { askPosition } from "./move-dialog.js";
import { duplicateScene, removeScene } from "./scene-commands.js";
import { draft, undo } from "./store.js";
import { askForTrash } from "./trash-dialog.js";
import { t } from "./words.js";

/** @param {(event: Event) => void} act */
const close = (act) => (/** @type {Event & {target: Element}} */ event) => {
  /** @type {HTMLElement | null} */ (event.target.closest("[popover]"))?.hidePopover();
  act(event);
};

/** @param {import("./fold.js").Scene} scene */
export function sceneMenu(scene) {
  return html`
    <button role="menuitem" type="button" @click=${close(() => duplicateScene(scene.id))}>${t("Duplicate")}</button>
    <button role="menuitem" type="button" @click=${close(() => askPosition(scene.id))}>${t("Move to…")}</button>
    <button role="menuitem" type="button" @click=${close(() => chooseCover(scene.id))}>${t("Use as cover")}</button>
    <button role="menuitem" type="button" @click=${close(() => removeScene(scene.id))}>${t("Delete scene")}</button>`;
}

export function moreMenu() {
  /** @param {string} words
      @param {(event: Event) => void} act
      @param {boolean} [off] */
  const item = (words, act, off) =>
    html`<button role="menuitem" type="button" ?disabled=${off} @click=${close(act)}>${words}</button>`;
  return html`
    ${
      writes
        ? html`<div class="narrow-only">${item(t("Undo"), () => undo.back(), !undo.done.length)}
      ${item(t("Redo"), () => undo.again(), !undo.undone.length)}</div>`
        : nothing
    }
    ${item(t("Check what is missing"), openCheck)}
    <a role="menuitem" href=${urls.preview} target="capsules-preview"
      @click=${close(openPreview)}>${t("Preview")}</a>
    ${urls.history ? html`<a role="menuitem" href=${urls.history}>${t("History")}</a>` : nothing}
    ${urls.editions ? html`<a role="menuitem" href=${urls.editions}>${t("Editions")}</a>` : nothing}
    ${
      writes && draft.story.publication?.isPublished
        ? html`${item(t("Who can see it"), () => openVisibility())}
      ${draft.story.shown && draft.story.capsuleId ? nothing : item(t("Unpublish"), () => openVisibility(true))}`
        : nothing
    }
    ${item(t("Keyboard"), openShortcuts)}
    ${writes ? item(t("Move to trash"), askForTrash) : nothing}`;
}
