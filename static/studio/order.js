/* Where scenes come: which scene another one stands behind. */

/** @typedef {{id: string, finale?: boolean}} Ordered */

/** Where a new scene goes that somebody adds at another one, or at none: behind it, but before a finale that is last.
    `after` is the scene that it stands behind, null where it is the first; `place` is counted from 0.
    @param {Ordered[]} scenes
    @param {string} other */
export function placeOfNew(scenes, other) {
  const place = scenes.findIndex(({ id }) => id === other);
  let behind = place < 0 ? scenes.length - 1 : place;
  if (scenes[behind]?.finale) behind -= 1;
  return { after: scenes[behind]?.id ?? null, place: behind + 1 };
}

/** How a scene comes to a place, and back: what it stands behind before and after. Null where it is there already.
    @param {Ordered[]} scenes
    @param {string} id
    @param {number} place */
export function moveTo(scenes, id, place) {
  const from = scenes.findIndex((scene) => scene.id === id);
  const to = Math.max(0, Math.min(scenes.length - 1, place));
  if (from < 0 || from === to) return null;
  const others = scenes.filter((scene) => scene.id !== id);
  /** @param {number} position */
  const behind = (position) => others[position - 1]?.id ?? null;
  return { from, to, before: behind(from), after: behind(to) };
}
