/* Publishing from the editor: what a publish would do, and the way to the moment when it is live. */

import { allTaken } from "./all-saved.js";
import { ApiError } from "./api.js";
import { isUpToDate } from "./bar.js";
import { live } from "./live.js";
import { receive } from "./merging.js";
import { PublishDialog } from "./publish-dialog.js";

const TRIES = 12; // while the service is away: about two minutes
const LONGEST = 15; // seconds between two tries

const rest = (seconds) =>
  new Promise((then) => {
    setTimeout(then, seconds * 1000);
  });

export class Publishing {
  constructor(studio) {
    this.studio = studio;
    this.live = live(studio);
    this.path = this.live.path;
    this.step = "idle"; // idle, asking, working, done
    this.faults = {};
    this.form = new PublishDialog(this);
  }

  get api() {
    return this.studio.api;
  }
  get state() {
    return this.live.state;
  }

  dialog() {
    return this.form.dialog();
  }

  /** What is live where readers get the draft as it is; else what a publish would do. */
  open() {
    if (!isUpToDate(this.studio)) return this.ask();
    Object.assign(this, { step: "done", result: null });
    return this.studio.showDialog("publish");
  }

  async ask() {
    Object.assign(this, {
      step: "asking",
      options: null,
      built: null,
      faults: {},
      problem: "",
      waits: false,
      mode: null,
      agreed: false,
    });
    this.studio.showDialog("publish");
    try {
      await this.arrivals();
      await this.look();
    } catch (error) {
      this.problem = error.message;
    }
    this.studio.draw();
  }

  /** Returns when no picture or film is on its way in any more. */
  async arrivals() {
    const { uploads } = this.studio;
    while (uploads.underWay) {
      this.studio.draw();
      await new Promise((then) => uploads.addEventListener("change", then, { once: true }));
    }
  }

  /** Asks what a publish would do now, and begins with the preview where nothing is missing. */
  async look() {
    await allTaken(this.studio.saver);
    const [{ data: options }, { data: readiness }] = await Promise.all([
      this.api.call("GET", `${this.path}/publication/options`),
      this.api.call("GET", `${this.path}/readiness`),
    ]);
    Object.assign(this, { options, readiness, slug: this.state.slug || options.suggestedSlug });
    const level = this.studio.draft.story.visibility;
    Object.assign(this, { unlisted: level === "unlisted", shares: this.studio.shares });
    const modes = options.publicationModes.map(({ mode }) => mode);
    this.lost = !modes.includes(this.state.publicationMode ?? modes[0]);
    this.brand = this.lost ? modes[0] : (this.state.publicationMode ?? modes[0]);
    if (!this.missing.length) this.preview();
  }

  get missing() {
    return (this.readiness?.faults || []).filter(({ path }) => path !== "preview");
  }

  /** How subscribers may be told under the chosen brand: a person chooses, nothing is chosen beforehand. */
  get emails() {
    const chosen = this.options?.publicationModes.find(({ mode }) => mode === this.brand);
    return chosen?.premiereEmailModes ?? [];
  }

  get moved() {
    return this.state.isPublished && this.state.slug !== this.slug;
  }

  /** Builds the preview that will go out, and follows it until it is ready. */
  async preview() {
    const { data: built } = await this.patiently(() => this.api.call("POST", `${this.path}/previews`));
    this.built = built;
    while (this.built.state === "building") {
      this.studio.draw();
      await rest(1);
      const asked = () => this.api.call("GET", `${this.path}/previews/${built.number}`);
      ({ data: this.built } = await this.patiently(asked));
    }
    this.studio.draw();
    return this.built;
  }

  async publish() {
    if (this.emails.length && !this.mode) return;
    this.step = "working";
    this.faults = {};
    this.problem = "";
    this.studio.draw();
    const body = {
      slug: this.slug,
      unlisted: this.unlisted,
      showSocialShare: this.shares,
      publicationMode: this.brand,
      ...(this.emails.length ? { premiereEmailMode: this.mode } : {}),
    };
    try {
      if (this.built?.state === "building" || !this.built) await this.preview();
      this.again = this.state.isPublished; // not what the answer says: a repeated call finds it published already
      this.result = await this.put(body);
      await this.afterwards();
      this.step = "done";
    } catch (error) {
      this.step = "asking";
      this.problem = error.message;
      for (const { path, message } of error.details || []) this.faults[path] = message;
    }
    this.studio.draw();
  }

  /** Publishes. To ask twice for the same publication is to ask once, so a lost answer is asked for again. */
  async put(body) {
    return (await this.patiently(() => this.api.call("PUT", `${this.path}/publication`, { body }))).data;
  }

  /** Waits where something is busy as long as the service says, and through a lost connection; then goes on. */
  async patiently(act) {
    for (let failures = 0; ; failures += 1) {
      try {
        const answer = await act();
        this.waits = false;
        return answer;
      } catch (error) {
        const busy = (error.status === 423 || error.status === 429) && error.retryAfter;
        const away = error instanceof ApiError && (error.status === 0 || error.status >= 500);
        this.waits = away && failures < TRIES;
        if (!busy && !this.waits) throw error;
        this.studio.draw();
        await rest(error.retryAfter ?? Math.min(LONGEST, 2 ** failures));
      }
    }
  }

  async afterwards() {
    const { data: story } = await this.api.call("GET", this.path);
    receive(this.studio.draft, { story });
    this.studio.shares = this.shares;
    this.studio.claims = null;
    this.studio.pulse.soon(0);
    await this.live.lookAtPremiere();
  }
}
