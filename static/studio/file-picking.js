/* Files that somebody chooses, drops or pastes, before the part is here that takes them in (files.js). */

import { writes } from "./boot.js";
import { STORY } from "./fold.js";
import { part } from "./lazy.js";
import { selected } from "./navigation.js";
import { draft } from "./store.js";

// Named one by one, not image/*: phones then hand over JPEG instead of HEIC.
const FILMS = "video/mp4,video/quicktime,video/webm";
const EITHER = `image/jpeg,image/png,image/webp,image/avif,image/heic,image/gif,${FILMS}`;

const files = part("files");

/** Asks the device for pictures and films and takes them in; or for one film.
    @param {string | null} id
    @param {"film"} [only] */
export function pickMedia(id, only) {
  // At once, without a part that may have to be fetched: later the browser no longer lets a page ask.
  const input = Object.assign(document.createElement("input"), {
    type: "file",
    accept: only ? FILMS : EITHER,
    multiple: !only,
    hidden: true,
  });
  input.onchange = () => takeFiles([...(input.files ?? [])], id);
  document.body.append(input); // else the browser may forget it, and what somebody still chooses
  input.click();
}

/** @param {File[]} chosen
    @param {string | null} id */
export function takeFiles(chosen, id) {
  const from = selected;
  files.run((part) => part.takeFiles(chosen, id, from));
}

/** Files may fall on this page: the editor's own, or the one in the stage.
    @param {Document} page */
export function takeDrops(page) {
  page.addEventListener("dragover", (event) => {
    if (writes) event.preventDefault();
  });
  page.addEventListener("drop", dropped);
}

/** @param {DragEvent} event */
function dropped(event) {
  if (!writes || event.defaultPrevented || !event.dataTransfer?.files.length) return;
  event.preventDefault();
  const scene = draft.scene(selected);
  const isMeant = /** @type {Element} */ (event.target).closest(".media-field");
  takeFiles([...event.dataTransfer.files], scene && (isMeant || !scene.still) ? scene.id : null);
}

/** @param {ClipboardEvent} event */
export function pasted(event) {
  const chosen = [...(event.clipboardData?.files || [])];
  if (!chosen.length || !writes || selected === STORY) return;
  event.preventDefault();
  const target = selected;
  files.run((part) => part.takePasted(chosen, target));
}

/** Goes on with what an earlier tab of this story left.
    @param {import("./upload-list.js").Entry[]} entries */
export function resumeUploads(entries) {
  if (entries.length) files.get({ patient: true }).then((part) => part.resume(entries));
}

/** A new scene has its lasting name: its files know it from now on. Resolves once they are kept under it.
    @param {string} from */
export function renameTarget(from) {
  return files.here?.uploader.retarget(from, draft.nameOf(from)); // without the part there are no files
}
