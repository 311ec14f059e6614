/* Publishing from the editor: what a publish would do, and the way to the moment when it is live. */

import { allTaken } from "./all-saved.js";
import { isUpToDate } from "./bar.js";
import { claims, shares, urls } from "./boot.js";
import { check } from "./check.js";
import { showDialog } from "./dialogs.js";
import { forgetCard } from "./link-card.js";
import { live } from "./live.js";
import { receive } from "./merging.js";
import { patiently, rest } from "./patience.js";
import { pulse } from "./presence.js";
import { PublishDialog } from "./publish-dialog.js";
import { forgetCopying } from "./publish-done.js";
import { redraw } from "./redraw.js";
import { api, storyPath } from "./session.js";
import { draft, saver } from "./store.js";
import { uploads } from "./upload-list.js";

/** @typedef {{mode: string, premiereEmailModes: string[]}} Mode */
/** @typedef {{recipients: number}} Mail */
/** @typedef {{publicationModes: Mode[], suggestedSlug: string, currentSlug: string | null, link: string,
      premiere: Mail, alongside: string[]}} Options */
/** @typedef {{number: number, state: string, percent: number}} Preview */

export class Publishing {
  /** @type {"idle" | "asking" | "working" | "done"} */
  step = "idle";
  /** @type {Record<string, string>} */
  faults = {};
  problem = "";
  waits = false;
  /** @type {Options | null} */
  options = null;
  /** @type {Preview | null} */
  built = null;
  /** @type {{faults: import("./check.js").Fault[]} | null} */
  readiness = null;
  /** @type {{url: string} | null} */
  result = null;
  /** @type {string | null} how subscribers are told */
  mode = null;
  agreed = false; // that the old link stops working
  slug = "";
  brand = "";
  unlisted = false;
  shares = shares;
  lastShares = shares; // as readers have it
  claims = claims;
  again = false;
  asks = 0; // how often what a publish would do was asked for: only the last answer says something
  form = new PublishDialog(this);

  get state() {
    return live().state;
  }

  show() {
    showDialog(() => this.form.dialog());
  }

  /** What is live where readers get the draft as it is; else what a publish would do, or how far it is. */
  open() {
    if (this.step === "working") return this.show();
    if (draft.story.takenDown) return location.assign(urls.publish); // which says why, and what can still be done
    if (!isUpToDate()) return this.ask();
    this.result = null;
    this.finish();
    return this.show();
  }

  async ask() {
    Object.assign(this, { step: "asking", options: null, built: null, faults: {}, problem: "", waits: false });
    Object.assign(this, { mode: null, agreed: false, asks: this.asks + 1 });
    const { asks } = this;
    this.show();
    try {
      await this.arrivals();
      if (asks === this.asks) await this.look();
    } catch (error) {
      if (asks === this.asks) this.problem = error.message;
    }
    redraw();
  }

  /** Returns when no picture or film is on its way in any more. */
  async arrivals() {
    while (uploads.underWay) {
      redraw();
      await new Promise((then) => uploads.addEventListener("change", then, { once: true }));
    }
  }

  /** Asks what a publish would do now, and begins with the preview where nothing is missing. */
  async look() {
    const { asks } = this;
    await allTaken(saver);
    const [{ data: options }, { data: readiness }] = await Promise.all([
      api.call("GET", `${storyPath}/publication/options`),
      api.call("GET", `${storyPath}/readiness`),
    ]);
    if (asks !== this.asks) return;
    Object.assign(this, { options, readiness, slug: options.suggestedSlug });
    this.unlisted = draft.story.visibility === "unlisted";
    this.shares = this.lastShares;
    this.brand = this.lost ? this.modes[0] : (this.state.publicationMode ?? this.modes[0]);
    redraw();
    if (!this.missing.length) await this.preview();
  }

  get modes() {
    return (this.options?.publicationModes ?? []).map(({ mode }) => mode);
  }

  /** Whether its brand is no longer on offer. */
  get lost() {
    return !this.modes.includes(this.state.publicationMode ?? this.modes[0]);
  }

  get missing() {
    return check.musts(this.readiness?.faults || []);
  }

  /** How subscribers may be told under the chosen brand: a person chooses, nothing is chosen beforehand. */
  get emails() {
    const chosen = this.options?.publicationModes.find(({ mode }) => mode === this.brand);
    return chosen?.premiereEmailModes ?? [];
  }

  /** Builds the preview that will go out, and follows it until it is ready. */
  async preview() {
    const { asks } = this;
    let { data: built } = await this.patiently(() => api.call("POST", `${storyPath}/previews`));
    while (asks === this.asks) {
      this.built = built;
      redraw();
      if (built.state !== "building") break;
      await rest(1);
      const path = `${storyPath}/previews/${built.number}`;
      ({ data: built } = await this.patiently(() => api.call("GET", path)));
    }
  }

  async publish() {
    if (this.emails.length && !this.mode) return;
    Object.assign(this, { step: "working", faults: {}, problem: "" });
    redraw();
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
      const publish = () => api.call("PUT", `${storyPath}/publication`, { body });
      // To ask twice for the same publication is to ask once, so a lost answer is asked for again.
      ({ data: this.result } = await this.patiently(publish));
      await this.afterwards().catch(() => {}); // it is live all the same
      this.finish();
    } catch (error) {
      Object.assign(this, { step: "asking", problem: error.message });
      for (const { path, message } of error.details || []) this.faults[path] = message;
    }
    redraw();
  }

  finish() {
    forgetCard(urls.card);
    forgetCopying();
    this.step = "done";
  }

  /** @template T
      @param {() => Promise<T>} act */
  patiently(act) {
    return patiently(act, (away) => {
      this.waits = away;
      redraw();
    });
  }

  async afterwards() {
    Object.assign(this, { lastShares: this.shares, claims: null });
    pulse.soon(0);
    const { data: story } = await api.call("GET", storyPath);
    receive(draft, { story });
    await live().lookAtPremiere();
  }
}

const publishing = new Publishing();

export const openPublish = () => publishing.open();
