/* Which fields of a scene a picture or a film goes into. */

/** @param {import("./fold.js").Media} media
    @returns {import("./fold.js").Fields} */
export function fieldsOf(media) {
  return media.kind === "film" ? { film: media, animation: "film" } : { still: media };
}
