/* The dialog with a link that a phone opens to send pictures and films. */

import { urls } from "./boot.js";
import { dialogEnd, drawDialog, showDialog } from "./dialogs.js";
import { html, nothing } from "./lit.js";
import { selected } from "./navigation.js";
import { api } from "./session.js";
import { draft } from "./store.js";
import { t } from "./words.js";

let state = { link: "", trouble: "", sceneId: "" };

export async function openPhoneLink() {
  const sceneId = draft.served.scenes.find(({ id }) => id === draft.nameOf(selected))?.id ?? "";
  const mine = { link: "", trouble: "", sceneId }; // not that of a dialog that is opened later
  state = mine;
  showDialog(dialog);
  const body = { storyId: draft.story.id, ...(sceneId && { sceneId }) };
  try {
    mine.link = (await api.call("POST", "/uploads/links", { body })).data.url;
  } catch (error) {
    mine.trouble = error.message;
  }
  drawDialog();
}

function dialog() {
  const { link, trouble, sceneId } = state;
  return html`<h2 id="dialog-title">${t("From your phone")}</h2>
    ${trouble ? html`<p class="fault">${trouble}</p>` : nothing}
    ${
      link
        ? html`<p>${t("Open this link on your phone.")} ${
            sceneId
              ? t("The first file comes into this scene, further ones into your media.")
              : t("Files appear in your media.")
          }</p>
      <img class="qr" src="${urls.qr}?${new URLSearchParams({ url: link })}"
        alt=${t("QR code of the link")} width="220" height="220">
      <p class="field"><input class="input" readonly .value=${link} aria-label=${t("The link")}
        @focus=${({ target }) => target.select()}></p>
      <p class="hint">${t("It works for one hour and ten files, without signing in.")}</p>`
        : nothing
    }${dialogEnd()}`;
}
