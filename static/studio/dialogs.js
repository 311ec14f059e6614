/* The editor's dialogs. One is open at a time; the browser gives the focus back when it closes. */

import { element } from "./element.js";
import { html, render } from "./lit.js";
import { onDraw } from "./redraw.js";
import { t } from "./words.js";

const dialog = /** @type {HTMLDialogElement} */ (element("dialog"));
/** @type {(() => import("./lit.js").Content) | null} what draws the dialog that is open */
let content = null;

dialog.addEventListener("close", () => {
  if (dialog.open) return; // another one was opened before the browser told
  content = null;
  coverStage(false);
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) closeDialog();
});
onDraw(drawDialog);

/** @param {() => import("./lit.js").Content} draw */
export function showDialog(draw) {
  content = draw;
  drawDialog();
  if (!dialog.open) {
    dialog.showModal();
    // Its buttons are seen wherever it is scrolled: where one of them has the focus, it is read from its beginning. So
    // is a list of what to do, whose first row has it, and what is live, whose link has it.
    if (document.activeElement?.closest(".dialog-end, .rows, .live-share")) dialog.scrollTop = 0;
  }
  coverStage(true);
}

export function closeDialog() {
  if (dialog.open) dialog.close();
}

export function drawDialog() {
  if (content) render(content(), dialog);
}

/** The page in the frame takes no focus while a dialog is open.
    @param {boolean} covered */
function coverStage(covered) {
  element("stage").inert = covered;
}

export const dialogEnd = (words = t("Close")) => html`<div class="button-row dialog-end">
  <button class="pill" type="button" @click=${closeDialog}>${words}</button></div>`;
