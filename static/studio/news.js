/* What has changed here and on the service: methods of the studio. */

export const news = {
  changed() {
    this.draw();
    this.stage.write();
    this.check.refresh();
  },

  settled(change) {
    this.pulse.saved();
    const structural = !["edit", "held"].includes(change.type);
    const shown = change.fields && ["still", "film", "animation", "finale"].some((field) => field in change.fields);
    if (structural || shown) this.stage.refresh();
    if (structural && change.target.startsWith("new-")) {
      this.uploads.retarget(change.target, this.draft.nameOf(change.target));
      this.adoptName();
    }
    this.changed();
  },

  /** A change was not taken. What was written in a scene that is gone meanwhile is kept in a new one. */
  refused({ error, lost }) {
    if (!lost || !["title", "text", "alt"].some((field) => lost[field])) this.toast(error.message);
    else this.with("scenes", (scenes) => scenes.keepWords(this, lost));
  },

  async heard() {
    const { latest } = this.pulse;
    const newer = latest.revision > this.pulse.revision && !this.saver.waits;
    const finished = this.applyRendering(latest.encodes || {});
    this.stale ||= finished || newer;
    const composed = () => !this.composing; // a letter half way stands on what its field shows
    if (this.stale && composed() && (await this.saver.refresh(composed).catch(() => false))) {
      this.stale = false; // else the next beat asks again
      if (newer) this.pulse.revision = latest.revision;
      this.stage.refresh();
      this.check.refresh();
    }
    this.live?.heard(latest.premiere);
    this.draw();
  },

  /** Progress of what is being rendered; returns whether something came to its end since the last beat. */
  applyRendering(encodes) {
    const before = this.rendering || {};
    this.rendering = encodes;
    for (const scene of this.draft.served.scenes) {
      if (encodes[scene.id]) scene.rendering = { ...scene.rendering, ...encodes[scene.id] };
    }
    this.draft.folded = null;
    return Object.keys(before).some((id) => !encodes[id]);
  },
};
