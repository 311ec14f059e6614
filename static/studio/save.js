/* Saving: one request at a time for a story, soon after the last key, and again and again until the service has it.

   A session must never conflict with itself, so a second save leaves only when the first was answered. */

import { ApiError } from "./api.js";
import { plain, sendEdit } from "./requests.js";

const QUIET = 800; // ms after the last key
const LONGEST = 5000; // ms that a change waits while somebody goes on typing
const BACKOFF = [1, 2, 4, 8, 15, 30]; // seconds after the 1st, 2nd … failure

export class Saver extends EventTarget {
  constructor({ api, draft, journal, parts }) {
    super();
    Object.assign(this, { api, draft, journal, parts });
    this.path = `/stories/${draft.served.story.id}`;
    this.state = "saved"; // saved, waiting, saving, held, offline, signed-out, trouble, read-only, gone
    this.reason = "";
    this.failures = 0;
    this.turns = 0; // how often what is saved, or waits to be, became another
    this.busy = null;
    draft.addEventListener("change", ({ detail }) => this.note(detail));
    draft.addEventListener("received", () => this.storeAll());
    draft.addEventListener("settled", ({ detail }) => {
      if (detail.target.startsWith("new-")) this.storeAll(); // first: its scene goes by another name now
      this.journal.forget("changes", detail.id);
    });
    addEventListener("online", () => this.now());
    addEventListener("pagehide", () => this.leave());
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.now();
    });
  }

  /** A change was made: it goes into the journal first, then, after a moment, to the service. */
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

  /** Adds what an earlier tab left in the journal; what the service has already falls away silently. */
  replay(entries) {
    for (const entry of entries) this.draft.changes.push({ ...entry, sent: true }); // perhaps
    if (!entries.length) return;
    this.turns += 1;
    this.behind = true; // an earlier tab may have saved something since this page was made
    this.draft.say("received");
    this.become("saving"); // "Saved" would not be true before the service has it
    this.now();
  }

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
    return this.busy;
  }

  async run() {
    this.since = null;
    const slow = setTimeout(() => this.become("saving"), 400); // a word that flickers says nothing
    try {
      for (;;) {
        while (this.behind) await this.refresh(); // or words that an earlier tab left would replace newer ones
        const change = this.draft.changes.find(({ type }) => type !== "held");
        if (!change) break;
        change.sending = change.sent = true;
        await this.send(change);
        this.failures = 0;
      }
      this.become(this.atRest);
    } catch (error) {
      this.failed(error);
    } finally {
      clearTimeout(slow);
      for (const change of this.draft.changes) delete change.sending;
    }
  }

  async send(change) {
    try {
      const answer = await (change.type === "edit" ? sendEdit(this, change) : this.sendDeed(change));
      this.turns += 1;
      this.draft.settle(change, answer);
    } catch (error) {
      if (!(error instanceof ApiError) || ![400, 404, 409, 412, 413].includes(error.status)) throw error;
      delete change.sending; // so that it is fitted to what the service has
      const { refused } = await this.part("refusals");
      await refused(this, change, error);
    }
  }

  async sendDeed(change) {
    const { SEND } = await this.part("actions");
    return SEND[change.type](this, change);
  }

  /** A part of the editor; without it nothing is lost, and saving tries again as after any lost connection. */
  part(name) {
    return this.parts.get(name).catch(() => {
      throw new ApiError(0);
    });
  }

  /** Takes what the service has, and returns whether it did: an answer from before a save would bring old words back.
      `wanted` is asked once it is there. */
  async refresh(wanted = () => true) {
    const { turns } = this;
    const [{ data }, { receive }] = await Promise.all([
      this.api.call("GET", `${this.path}/draft`),
      this.part("merging"),
    ]);
    if (turns !== this.turns || !wanted()) return false;
    this.behind = false;
    receive(this.draft, data);
    this.rescue();
    return true;
  }

  /** Words that are held for a scene which somebody else has deleted are offered again, as a new scene. */
  rescue() {
    const { draft } = this;
    const gone = ({ target }) => !draft.find(target) && !draft.removed.has(target);
    for (const change of draft.changes.filter((each) => each.type === "held" && gone(each))) {
      draft.drop(change);
      this.dispatchEvent(
        new CustomEvent("refused", { detail: { change, error: new ApiError(404), lost: change.fields } }),
      );
    }
  }

  failed(error) {
    if (!(error instanceof ApiError)) throw error;
    this.reason = error.message;
    if (error.status === 401) this.become("signed-out");
    else if (error.status === 403) this.become("read-only");
    else if (error.status === 404) this.become("gone");
    else {
      const wait = error.retryAfter ?? BACKOFF[Math.min(this.failures, BACKOFF.length - 1)];
      this.failures += 1;
      this.become(error.status === 0 ? "offline" : "trouble");
      this.in(wait * 1000);
      return;
    }
    if (error.status === 401) this.in(5000); // somebody signs in again in another tab
  }

  become(state) {
    if (["saved", "held"].includes(state)) this.reason = "";
    this.state = state;
    this.dispatchEvent(new CustomEvent("state"));
  }

  /** The page goes away: send what waits without listening for an answer; the journal has it anyway. */
  leave() {
    if (!this.api.token) return;
    let room = 60000; // browsers take 64 KiB in all
    for (const change of this.draft.changes) {
      const [first] = this.draft.editsOf(change.target); // the next ones stand on it
      if (change !== first || change.sent || change.target.startsWith("new-")) continue;
      const size = JSON.stringify(change.fields).length * 3;
      if (size > room) continue;
      room -= size;
      sendEdit(this, change, { keepalive: true }).catch(() => {});
    }
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
