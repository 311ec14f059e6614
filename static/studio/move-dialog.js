/* The dialog that asks to which position a scene is moved. */

import { closeDialog, showDialog } from "./dialogs.js";
import { html } from "./lit.js";
import { moveScene } from "./scene-commands.js";
import { draft } from "./store.js";
import { t } from "./words.js";

/** @param {string} id */
export function askPosition(id) {
  showDialog(() => question(id));
}

/** @param {string} id */
function question(id) {
  const { scenes } = draft;
  const now = scenes.findIndex((scene) => scene.id === draft.nameOf(id)) + 1;
  /** @param {Event} event */
  const go = (event) => {
    event.preventDefault();
    const to = Number(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("place"));
    closeDialog();
    moveScene(id, to - 1);
  };
  return html`<form @submit=${go}><h2 id="dialog-title">${t("Move scene {place}", { place: now })}</h2>
    <label class="field">${t("To position, 1 to {count}", { count: scenes.length })}
      <input class="input" type="number" name="place" min="1" max=${scenes.length} .value=${String(now)}
        required autofocus></label>
    <div class="button-row dialog-end"><button class="pill" type="button" @click=${closeDialog}>${t("Cancel")}</button>
      <button class="pill pill-accent">${t("Move")}</button></div></form>`;
}
