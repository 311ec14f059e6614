/* The dialog that moves the capsule to the trash. */

import { allSaved } from "./all-saved.js";
import { urls } from "./boot.js";
import { closeDialog, drawDialog, showDialog } from "./dialogs.js";
import { html, nothing } from "./lit.js";
import { api, storyPath } from "./session.js";
import { draft, saver } from "./store.js";
import { t } from "./words.js";

let trouble = "";
let isAsked = false; // of the service

export function askForTrash() {
  trouble = "";
  isAsked = false;
  showDialog(question);
}

function question() {
  const { publication } = draft.story;
  return html`<h2 id="dialog-title">${t("Move to trash?")}</h2>
    ${
      publication?.isPublished
        ? html`<p>${t(
            "It is live at {link}; it will be unpublished, its link opens nothing, and the " +
              "address stays reserved for 30 days.",
            { link: publication.url },
          )}</p>`
        : nothing
    }
    <p>${t("You can restore it for 30 days.")}</p>
    ${trouble ? html`<p class="fault" role="alert">${trouble}</p>` : nothing}
    <div class="button-row dialog-end">
      <button class="pill" type="button" @click=${closeDialog}>${t("Keep it")}</button>
      <button class="pill pill-danger" type="button" ?disabled=${isAsked}
        @click=${moveToTrash}>${t("Move to trash")}</button></div>`;
}

async function moveToTrash() {
  const live = draft.story.publication?.isPublished;
  isAsked = true;
  drawDialog();
  try {
    await allSaved(saver);
    await api.call("DELETE", `${storyPath}${live ? "?unpublish=true" : ""}`);
    location.assign(`${urls.list}?trashed=${draft.story.id}`);
  } catch (error) {
    isAsked = false;
    trouble = error.message;
    drawDialog();
  }
}
