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
    this.state = "saved"; // saved, waiting, saving, offline, signed-out, trouble, read-only, gone
    this.reason = "";
    this.failures = 0;
    this.busy = null;
    draft.addEventListener("change", ({ detail }) => this.note(detail));
    addEventListener("online", () => this.now());
    addEventListener("pagehide", () => this.leave());
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.now();
    });
  }

  /** A change was made: it goes into the journal first, then, after a moment, to the service. */
  note(change) {
    if (change) this.journal.keep("changes", plain(change));
    this.since ??= Date.now();
    const rest = change && change.type !== "edit" ? 0 : Math.min(QUIET, this.since + LONGEST - Date.now());
    this.in(Math.max(0, rest));
    if (["saved"].includes(this.state)) this.become("waiting");
  }

  /** Adds what an earlier tab left in the journal; what the service has already falls away silently. */
  replay(entries) {
    for (const entry of entries) {
      const { story: _story, tab: _tab, ...change } = entry;
      delete change.sending;
      this.draft.changes.push(change);
    }
    for (const change of [...this.draft.changes]) {
      if (change.type === "edit" && !this.draft.rebase(change)) this.journal.forget("changes", change.id);
    }
    this.draft.say("received");
    if (!this.waits) return;
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

  /** Returns when nothing waits any more; throws where something cannot be saved now. */
  async finished() {
    this.now();
    while (this.draft.changes.length) {
      await (this.busy ||
        new Promise((then) => {
          setTimeout(then, 50);
        }));
      if (!this.busy && this.draft.changes.length && !["saved", "waiting", "saving"].includes(this.state)) {
        throw new Error(this.reason || "Some changes could not be saved.");
      }
    }
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
      for (let change = this.draft.changes[0]; change; change = this.draft.changes[0]) {
        change.sending = true;
        await this.send(change);
        this.failures = 0;
      }
      this.become("saved");
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
      this.journal.forget("changes", change.id);
      this.draft.settle(change, answer);
    } catch (error) {
      if (!(error instanceof ApiError) || ![400, 404, 409, 412, 413].includes(error.status)) throw error;
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

  async refresh() {
    const { data } = await this.api.call("GET", `${this.path}/draft`);
    this.draft.receive(data);
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
    if (state === "saved") this.reason = "";
    this.state = state;
    this.dispatchEvent(new CustomEvent("state"));
  }

  /** The page goes away: send what waits without listening for an answer; the journal has it anyway. */
  leave() {
    if (!this.api.token) return;
    let room = 60000; // browsers take 64 KiB in all
    for (const change of this.draft.changes) {
      if (change.type !== "edit" || change.sending || change.target.startsWith("new-")) continue;
      const size = JSON.stringify(change.fields).length * 3;
      if (size > room) continue;
      room -= size;
      sendEdit(this, change, { keepalive: true }).catch(() => {});
    }
  }

  get waits() {
    return this.draft.changes.length;
  }
}
