/* What a capsule must have before it can be published, and what would make it better. The service judges. */

export class Check {
  constructor(studio) {
    this.studio = studio;
    this.faults = [];
    this.advice = [];
    this.known = false;
  }

  /** Asks the service again; several calls in a row ask once. */
  refresh() {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      try {
        const { data } = await this.studio.api.call("GET", `/stories/${this.studio.draft.served.story.id}/readiness`);
        this.faults = data.faults;
        this.advice = data.advice;
        this.known = true;
        this.studio.draw();
      } catch {
        // Without an answer the old list stays; the state of saving tells what is wrong.
      }
    }, 300);
  }

  /** What this tab can see at once is missing in a scene, before the service has said so. */
  missingIn(scene, index) {
    const missing = [];
    if (!scene.text.replace(/[\s\u200b-\u200d\u2060\ufeff]/g, "")) missing.push("text");
    if (!scene.still && !this.studio.uploads.of(scene.id).length) missing.push("still");
    if (!scene.finale && scene.animation === "none") missing.push("animation");
    if (scene.finale && index < this.studio.draft.scenes.length - 1) missing.push("finale");
    return missing;
  }

  /** The faults that an author can mend; what only a new preview mends is no work of theirs. */
  get musts() {
    return this.faults.filter(({ path }) => path !== "preview");
  }
}
