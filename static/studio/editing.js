/* What an author changes in fields: into the draft at once, and each change can be undone. */

import { writes } from "./boot.js";
import { STORY } from "./fold.js";
import { draft, saver, undo } from "./store.js";
import { t } from "./words.js";

/** Changes fields of a scene or of the capsule, as one step of undo.
    @param {string} target
    @param {import("./fold.js").Fields} fields
    @param {string} what */
export function setFields(target, fields, what) {
  const row = draft.find(target);
  if (!row || !writes) return;
  const before = Object.fromEntries(Object.keys(fields).map((name) => [name, row[name]]));
  draft.edit(target, fields);
  undo.did(
    what,
    () => draft.edit(target, before),
    () => draft.edit(target, fields),
  );
}

/** A key was typed in a field; what is typed in a row is one step of undo.
    @param {string} target
    @param {string} name
    @param {string} value
    @param {string} words */
export function type(target, name, value, words) {
  const before = draft.find(target)?.[name];
  draft.edit(target, { [name]: value });
  undo.typed(words, `${target}.${name}`, before, value, (each) => draft.edit(target, { [name]: each }));
}

export function leaveField() {
  undo.close();
  saver.now();
}

/** @param {string | null} id */
export function chooseCover(id) {
  setFields(STORY, { cover: id }, t("Cover"));
}
