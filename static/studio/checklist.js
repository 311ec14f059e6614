/* The checklist as it is shown: every row leads to its field. */

import { check } from "./check.js";
import { closeDialog, dialogEnd, drawDialog, showDialog } from "./dialogs.js";
import { STORY } from "./fold.js";
import { html, nothing } from "./lit.js";
import { open } from "./navigation.js";
import { draft } from "./store.js";
import { uploads } from "./upload-list.js";
import { onTheirWayIn } from "./upload-words.js";
import { t } from "./words.js";

/** @typedef {import("./check.js").Fault} Fault */

export const openChecklist = () =>
  showDialog(() => html`<h2 id="dialog-title">${t("Check")}</h2>${checklist()}${dialogEnd()}`);

function checklist() {
  const { advice, known, trouble } = check;
  const musts = check.musts();
  const coming = uploads.underWay + uploads.everywhere.filter(({ id }) => !uploads.own.has(id)).length;
  if (!known && trouble)
    return html`<p class="fault" role="alert">${trouble}
      <button class="linklike" type="button" @click=${askAgain}>${t("Try again")}</button></p>`;
  if (!known) return html`<p class="hint">${t("Looking…")}</p>`;
  /** @param {Fault[]} list */
  const rows = (list) => html`<ul class="rows">${list.map(row)}</ul>`;
  return html`
    <h3>${t("To publish")}</h3>
    ${coming ? html`<p class="hint">${onTheirWayIn(coming)}</p>` : nothing}
    ${musts.length ? rows(musts) : html`<p>${t("Everything is there.")}</p>`}
    ${advice.length ? html`<h3>${t("To make it better")}</h3>${rows(advice)}` : nothing}`;
}

function askAgain() {
  check.trouble = undefined;
  check.refresh();
  drawDialog();
}

/** @param {Fault} fault */
export function row({ path, message, sceneId }) {
  const place = draft.scenes.findIndex(({ id }) => id === sceneId);
  const words = sceneId && place >= 0 ? t("Scene {place}: {message}", { place: place + 1, message }) : message;
  return html`<li><button class="row-link" type="button" @click=${() => lead(path, sceneId)}>
    ${words}</button></li>`;
}

/** @param {string} path
    @param {string | undefined} sceneId */
function lead(path, sceneId) {
  closeDialog();
  /** @type {HTMLElement | null} */
  const adds = document.querySelector(".thumb-add");
  if (path === "scenes") adds?.focus();
  else open(sceneId || STORY, path.split(".").at(-1));
}
