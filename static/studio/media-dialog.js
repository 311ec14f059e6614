/* The dialog with the media of the workspace, to choose one for a scene. */

import { closeDialog, dialogEnd, drawDialog, showDialog } from "./dialogs.js";
import { setFields } from "./editing.js";
import { html, nothing } from "./lit.js";
import { fieldsOf } from "./media-fields.js";
import { api } from "./session.js";
import { draft } from "./store.js";
import { t } from "./words.js";

/** @typedef {import("./fold.js").Media} Media */

const START = { scene: "", media: /** @type {Media[] | null} */ (null), cursor: "", trouble: "", asks: false };
let { ...state } = START;

/** @param {string} scene */
export async function openMedia(scene) {
  state = { ...START, scene };
  showDialog(dialog);
  await more();
}

/** One page at a time; whoever opens the dialog again begins anew. */
async function more() {
  const mine = state;
  if (mine.asks) return;
  Object.assign(mine, { asks: true, trouble: "" });
  const query = new URLSearchParams({ workspaceId: draft.story.workspaceId, limit: "24" });
  if (mine.cursor) query.set("cursor", mine.cursor);
  try {
    const { data } = await api.call("GET", `/media?${query}`);
    mine.media = [...(mine.media || []), ...data.items];
    mine.cursor = data.nextCursor;
  } catch (error) {
    mine.trouble = error.message;
  }
  mine.asks = false;
  drawDialog();
}

/** @param {Media} media */
function take(media) {
  setFields(state.scene, fieldsOf(media), media.kind === "film" ? t("Film") : t("Picture"));
  closeDialog();
}

function dialog() {
  const { media, cursor, trouble } = state;
  return html`<h2 id="dialog-title">${t("Media")}</h2>
    ${trouble ? html`<p class="fault">${trouble}</p>` : nothing}
    ${media === null && !trouble ? html`<p>${t("Looking…")}</p>` : nothing}
    ${
      media?.length === 0
        ? html`<p>${t("Nothing here yet. What you add to a scene of any capsule is kept here.")}</p>`
        : nothing
    }
    <ul class="library">${(media || []).map(
      (each) => html`<li>
      <button class="library-item" type="button" @click=${() => take(each)}>
        ${
          each.thumbnailUrl
            ? html`<img src=${each.thumbnailUrl} alt="" loading="lazy">`
            : html`<span class="thumb-empty">${each.kind === "film" ? t("film") : t("picture")}</span>`
        }
        <span>${each.filename}</span></button></li>`,
    )}</ul>
    ${
      cursor || trouble
        ? html`<button class="pill" type="button" @click=${more}>${trouble ? t("Try again") : t("More")}</button>`
        : nothing
    }${dialogEnd()}`;
}
