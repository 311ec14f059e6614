/* What an author changes, and what a scene is known by: methods of the studio. */

import { STORY } from "./draft.js";

export const edits = {
  set(target, fields, what) {
    const row = this.draft.find(target);
    if (!row || !this.writes) return;
    const before = Object.fromEntries(Object.keys(fields).map((name) => [name, row[name]]));
    this.draft.edit(target, fields);
    this.undo.did(
      what,
      () => this.draft.edit(target, before),
      () => this.draft.edit(target, fields),
    );
  },

  type(target, name, value, words) {
    const before = this.draft.find(target)?.[name];
    this.draft.edit(target, { [name]: value });
    this.undo.typed(words, `${target}.${name}`, before, value, (each) => this.draft.edit(target, { [name]: each }));
  },

  leftField() {
    this.undo.close();
    this.saver.now();
  },

  faultOf(target, name) {
    const id = this.draft.nameOf(target);
    const most = this.draft.limits[id === STORY ? STORY : "scene"]?.[name];
    const over = this.draft.excess(id, name, this.draft.find(id)?.[name]);
    if (!over) return this.draft.messageOf(id, name) ?? "";
    const count = over === 1 ? "1 character" : `${over.toLocaleString("en")} characters`;
    return `${count} too many to be saved: there is room for ${most.toLocaleString("en")}.`;
  },

  chooseCover(id) {
    this.set(STORY, { cover: id }, "Cover");
  },

  /** The picture of a scene for lists and fields: from this device until the service has it. */
  pictureOf(scene) {
    return this.uploads.localUrlFor(scene.id) || scene.still?.localUrl || scene.still?.thumbnailUrl;
  },
};
