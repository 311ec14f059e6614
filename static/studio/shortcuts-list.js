/* The list of the editor's keys. */

import { dialogEnd, showDialog } from "./dialogs.js";
import { html } from "./lit.js";
import { t } from "./words.js";

const KEYS = [
  [t("Ctrl S"), t("Save now")],
  [t("Ctrl Z"), t("Undo")],
  [t("Ctrl Shift Z"), t("Redo")],
  [t("Ctrl Enter"), t("Publish")],
  [t("Esc"), t("Close, or cancel a drag")],
  ["?", t("This list")],
  [t("In the list of scenes"), ""],
  [t("Arrows, Home, End"), t("Go to a scene")],
  [t("Enter"), t("Edit its text")],
  ["N", t("New scene")],
  ["D", t("Duplicate")],
  [t("Delete"), t("Delete")],
  [t("Alt Shift arrows"), t("Move the scene")],
  ["M", t("Move to a position")],
];

const rows = KEYS.map(([key, what]) =>
  what
    ? html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`
    : html`<dt class="keys-part">${key}</dt>
      <dd class="visually-hidden">${t("The keys below")}</dd>`,
);

export const openShortcuts = () =>
  showDialog(() => html`<h2 id="dialog-title">${t("Keyboard")}</h2><dl class="keys">${rows}</dl>${dialogEnd()}`);
