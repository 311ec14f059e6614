/* What an author does with scenes: each can be undone, and is said aloud. */

import { say, toast } from "./announcements.js";
import { STORY } from "./fold.js";
import { focusInStrip, goOn, select } from "./navigation.js";
import { moveTo, placeOfNew } from "./order.js";
import { add, duplicate, move, remove, restore } from "./scene-changes.js";
import { draft, undo } from "./store.js";
import { t } from "./words.js";

/** @typedef {import("./fold.js").Fields} Fields */

/** A new scene, and the author goes there.
    @param {string} from
    @param {Fields} fields */
export function addScene(from, fields = {}) {
  goOn(from, addBehind(from, fields));
}

/** A new scene behind another one, before a finale that is last; returns its name.
    @param {string} other
    @param {Fields} fields */
export function addBehind(other, fields = {}) {
  const { after, place } = placeOfNew(draft.scenes, draft.nameOf(other));
  const id = add(draft, after, { animation: "auto", ...fields });
  undo.did(
    t("Add a scene"),
    () => remove(draft, id),
    () => restore(draft, id),
  );
  say(t("Scene {place} added.", { place: place + 1 }));
  return id;
}

/** @param {string} id */
export function removeScene(id) {
  const place = draft.placeOf(id);
  if (place < 0) return;
  remove(draft, id);
  const next = draft.scenes[Math.min(place, draft.scenes.length - 1)];
  const back = () => {
    if (!draft.scene(id)) restore(draft, id);
    select(id);
  };
  undo.did(t("Delete a scene"), back, () => remove(draft, id));
  goOn(id, next?.id ?? STORY);
  toast(t("Scene {place} deleted", { place: place + 1 }), t("Undo"), () => {
    // Of the last thing that was done only, or it would take back what was written meanwhile.
    if (undo.done.at(-1)?.back === back) undo.back();
    else back();
  });
}

/** @param {string} id */
export function duplicateScene(id) {
  const copy = duplicate(draft, id);
  undo.did(
    t("Duplicate a scene"),
    () => remove(draft, copy),
    () => restore(draft, copy),
  );
  goOn(id, copy);
}

/** Moves a scene to a place, counted from 0, and says so.
    @param {string} id
    @param {number} place */
export function moveScene(id, place) {
  const way = moveTo(draft.scenes, draft.nameOf(id), place);
  if (!way) return;
  const { from, to, before, after } = way;
  move(draft, id, after);
  undo.did(
    t("Move a scene"),
    () => move(draft, id, before),
    () => move(draft, id, after),
  );
  const places = { from: from + 1, to: to + 1, count: draft.scenes.length };
  say(t("Scene {from} moved to position {to} of {count}.", places));
  focusInStrip(id);
}

/** What was written in a scene that somebody else has deleted, as a scene of its own.
    @param {Fields} fields */
export function keepWords(fields) {
  const last = draft.scenes.findLast(({ finale }) => !finale)?.id ?? null;
  add(draft, last, { animation: "auto", ...fields });
  toast(t("Somebody deleted this scene while you wrote in it. Your words are in a new one at the end."));
}
