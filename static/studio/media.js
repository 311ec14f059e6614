/* The picture and the film of a scene: dropped, pasted, chosen from the device, the library, or sent from a phone. */

import { writes } from "./boot.js";
import { problem } from "./fields.js";
import { pickMedia } from "./file-picking.js";
import { part } from "./lazy.js";
import { html, nothing } from "./lit.js";
import { pictureOf } from "./pictures.js";
import { withoutPicture } from "./strip.js";
import { uploads } from "./upload-list.js";
import { t } from "./words.js";

const mediaDialog = part("media-dialog");
const phoneLink = part("phone-link");
const uploading = part("uploading");

/** @param {string} id */
const openMedia = (id) => mediaDialog.run((part) => part.openMedia(id));
const openPhoneLink = () => phoneLink.run((part) => part.openPhoneLink());

/** @param {import("./fold.js").Scene} scene */
export function mediaField(scene) {
  const entries = uploads.of(scene.id);
  const others = uploads.fromElsewhere(scene.id);
  const url = pictureOf(scene);
  return html`
    <section class="media-field" aria-label=${t("Picture and film")}>
      ${
        url
          ? html`<img class="media-thumb" src=${url} alt="" width=${scene.still?.width ?? nothing}
              height=${scene.still?.height ?? nothing}>`
          : html`<div class="media-thumb media-none">${withoutPicture(scene)}</div>`
      }
      ${
        writes
          ? html`<div class="button-row">
        <button class="pill" type="button" id="field-still" @click=${() => pickMedia(scene.id)}>
          ${scene.still ? t("Replace picture") : t("Add a picture")}</button>
        <button class="pill" type="button" @click=${() => pickMedia(scene.id, "film")}>
          ${scene.film ? t("Replace film") : t("Add a film")}</button>
        <button class="pill" type="button" @click=${() => openMedia(scene.id)}>${t("Media")}</button>
        <button class="pill wide-only" type="button" @click=${openPhoneLink}>${t("From your phone")}</button>
      </div>`
          : nothing
      }
      ${scene.film ? uploading.use()?.filmOf(scene) : nothing}
      ${entries.length ? uploading.use()?.progress(entries) : nothing}
      ${others.length ? uploading.use()?.fromElsewhere(others) : nothing}
      ${problem(scene.id, "still")}${problem(scene.id, "film")}
    </section>`;
}
