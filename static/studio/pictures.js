/* The picture of a scene for lists, fields and the stage: as this device has it until the service's rendition of it is
   decoded, so that it is never gone for a moment. */

import { part } from "./lazy.js";
import { uploads } from "./upload-list.js";

const files = part("files"); // without it nothing is shown from this device

/** What is shown of a medium, by its id. Not in the draft, whose rows the service's answers replace. The address of a
    file costs nothing, so it is never taken back: an older drawing may still show it.
    @type {Map<string, string>} */
const shown = new Map();

/** @param {string} id
    @param {string | null | undefined} url what is shown until its rendition is decoded */
export function showFor(id, url) {
  if (url) shown.set(id, url);
}

/** @param {import("./fold.js").Scene} scene */
export function pictureOf({ id, still, film }) {
  const coming = uploads.localUrlFor(id);
  if (coming || !still) return coming || (film && shown.get(film.id));
  const { thumbnailUrl } = still;
  const now = shown.get(still.id) ?? (film?.posterId === still.id ? shown.get(film.id) : undefined);
  if (now && thumbnailUrl && now !== thumbnailUrl) files.here?.decode(still.id, thumbnailUrl);
  return now ?? thumbnailUrl;
}
