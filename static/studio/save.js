/* Saving: one request at a time for a story, soon after the last key, and again and again until the service has it.
   A session must never conflict with itself, so a second save leaves only when the first was answered.
   Its states are in save-states.js, those of a change in change-states.js. */

import { ApiError } from "./api.js";
import { enter, leftBehind } from "./change-states.js";
import { needed, plain, sendChange, sendLast } from "./edit-requests.js";
import { homeless } from "./held-fields.js";
import { part } from "./lazy.js";
import { afterFailure } from "./save-states.js";
import { drop, settle } from "./settling.js";

/** @typedef {import("./fold.js").Change} Change */

const QUIET = 800; // ms after the last key
const LONGEST = 5000; // ms that a change waits while somebody goes on typing
const SLOW = 400; // ms

const merging = part("merging");
const refusals = part("refusals");

export class Saver extends EventTarget {
  /** @type {import("./save-states.js").State} */
  state = "saved";
  reason = "";
  failures = 0;
  turns = 0; // how often what is saved, or waits to be, became another
  behind = false; // whether the service may have more than this page was made with
  /** @type {number | null} */
  since = null; // when the first of what waits was changed
  /** @type {Promise<void> | null} */
  busy = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;
  /** @type {((from: string) => unknown) | undefined} keeps the files of a scene under its lasting name */
  renamed;

  /** @param {{api: import("./api.js").Api, draft: import("./draft.js").Draft,
        journal: Pick<import("./journal.js").Journal, "keep" | "forget">}} needs */
  constructor({ api, draft, journal }) {
    super();
    this.api = api;
    this.draft = draft;
    this.journal = journal;
    this.path = `/stories/${draft.served.story.id}`;
    draft.on("change", (change) => this.note(change));
    draft.on("received", () => this.storeAll());
    draft.on("settled", async (change) => {
      if (change.target.startsWith("new-")) {
        this.storeAll(); // first: its scene goes by another name now
        await this.renamed?.(change.target); // for its files, too, or a reload could not tell whose they are
      }
      this.journal.forget("changes", change.id);
    });
    addEventListener("online", () => this.now());
    addEventListener("pagehide", () => sendLast(this));
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.now();
    });
  }

  /** A change was made: it goes into the journal first, then, after a moment, to the service.
      @param {Change | undefined} change */
  note(change) {
    if (change) this.journal.keep("changes", plain(change));
    if (this.waits) {
      this.since ??= Date.now();
      const rest = change && change.type !== "edit" ? 0 : Math.min(QUIET, this.since + LONGEST - Date.now());
      this.in(Math.max(0, rest));
    }
    const next = this.waits ? "waiting" : this.atRest;
    if (["saved", "held", "waiting"].includes(this.state) && this.state !== next) this.become(next);
  }

  /** What waits, as it was fitted to what the service has. */
  storeAll() {
    for (const change of this.draft.changes) this.journal.keep("changes", plain(change));
  }

  /** Adds what an earlier tab left in the journal; what the service has already falls away silently.
      @param {Change[]} entries */
  replay(entries) {
    for (const entry of entries) this.draft.changes.push(leftBehind(entry));
    if (!entries.length) return;
    this.turns += 1;
    this.behind = true; // an earlier tab may have saved something since this page was made
    this.draft.say("received");
    this.become("saving"); // "Saved" would not be true before the service has it
    this.now();
  }

  /** @param {number} ms */
  in(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.pump(), ms);
  }

  now() {
    this.failures = 0;
    this.in(0);
  }

  pump() {
    this.busy ??= this.run().finally(() => {
      this.busy = null;
    });
  }

  async run() {
    this.since = null;
    const slow = setTimeout(() => this.become("saving"), SLOW);
    try {
      for (;;) {
        while (this.behind) await this.refresh(); // or words that an earlier tab left would replace newer ones
        const change = this.draft.changes.find(({ type }) => type !== "held");
        if (!change) break;
        enter(change, "sending");
        await this.send(change);
        this.failures = 0;
      }
      this.become(this.atRest);
    } catch (error) {
      this.failed(error);
    } finally {
      clearTimeout(slow);
      for (const change of this.draft.changes) if (change.state === "sending") enter(change, "unanswered");
    }
  }

  /** @param {Change} change */
  async send(change) {
    try {
      const answer = await sendChange(this, change);
      this.turns += 1;
      settle(this.draft, change, answer);
    } catch (error) {
      if (!(error instanceof ApiError) || ![400, 404, 409, 412, 413].includes(error.status)) throw error;
      enter(change, "unanswered"); // so that it is fitted to what the service has
      const { refused } = await needed(refusals);
      await refused(this, change, error);
    }
  }

  /** Takes what the service has, and returns whether it did: an answer from before a save would bring old words back.
      `wanted` is asked once it is there. */
  async refresh(wanted = () => true) {
    const { turns } = this;
    const [{ data }, { receive }] = await Promise.all([this.api.call("GET", `${this.path}/draft`), needed(merging)]);
    if (turns !== this.turns || !wanted()) return false;
    this.behind = false;
    receive(this.draft, data);
    this.rescue();
    return true;
  }

  /** Words that are held for a scene which somebody else has deleted are offered again, as a new scene. */
  rescue() {
    for (const change of homeless(this.draft)) {
      drop(this.draft, change);
      this.refuse(change, new ApiError(404), change.fields);
    }
  }

  /** A change is given up; `lost` is what was written in a scene that is gone.
      @param {Change} change
      @param {ApiError} error
      @param {import("./fold.js").Fields} [lost] */
  refuse(change, error, lost) {
    this.dispatchEvent(new CustomEvent("refused", { detail: { change, error, lost } }));
  }

  /** @param {unknown} error */
  failed(error) {
    if (!(error instanceof ApiError)) throw error;
    this.reason = error.message;
    const { state, wait } = afterFailure(error, this.failures);
    if (state === "offline" || state === "trouble") this.failures += 1;
    this.become(state);
    if (wait !== undefined) this.in(wait);
  }

  /** @param {import("./save-states.js").State} state */
  become(state) {
    if (["saved", "held"].includes(state)) this.reason = "";
    this.state = state;
    this.dispatchEvent(new CustomEvent("state"));
  }

  /** How many changes the service does not have yet; without those that it does not take as they are. */
  get waits() {
    return this.draft.changes.filter(({ type }) => type !== "held").length;
  }

  /** The state once nothing waits. */
  get atRest() {
    return this.draft.held.length ? "held" : "saved";
  }
}
