/* The dialog with a link that a phone opens to send pictures and films. */

import { urls } from "./boot.js";
import { dialogEnd, drawDialog, showDialog } from "./dialogs.js";
import { html, nothing } from "./lit.js";
import { selected } from "./navigation.js";
import { api } from "./session.js";
import { draft } from "./store.js";
import { t } from "./words.js";

let link = "";
let trouble = "";
let sceneId = "";

export async function openPhoneLink() {
  link = trouble = "";
  showDialog(dialog);
  sceneId = draft.served.scenes.find(({ id }) => id === draft.nameOf(selected))?.id ?? "";
  const body = { storyId: draft.story.id, ...(sceneId && { sceneId }) };
  try {
    link = (await api.call("POST", "/uploads/links", { body })).data.url;
  } catch (error) {
    trouble = error.message;
  }
  drawDialog();
}

function dialog() {
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
