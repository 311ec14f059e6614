/* What is live: the link, who can see it, and the email to subscribers. None of it publishes again. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";
import { receive } from "./merging.js";

export const people = (count) => (count === 1 ? "1 subscriber" : `${count || "the"} subscribers`);

/** The one of this editor; it asks for the email the first time. */
export function live(studio) {
  if (!studio.live) {
    studio.live = new Live(studio);
    if (studio.live.state.isPublished) studio.live.lookAtPremiere().catch(() => {}); // the next pulse asks again
  }
  return studio.live;
}

class Live {
  constructor(studio) {
    this.studio = studio;
    this.path = `/stories/${studio.draft.served.story.id}`;
    setInterval(() => {
      if (this.premiere?.state === "scheduled") studio.draw();
    }, 1000);
  }

  get api() {
    return this.studio.api;
  }
  get state() {
    return this.studio.draft.story.publication || {};
  }

  async lookAtPremiere() {
    try {
      this.premiere = (await this.api.call("GET", `${this.path}/premiere`)).data;
    } catch (error) {
      if (error.status !== 404) throw error;
      this.premiere = null;
    }
    this.studio.draw();
  }

  /** The pulse says only how far the email is; what has changed is asked for. */
  heard(premiere) {
    if (premiere && (premiere.state === "sending" || premiere.state !== this.premiere?.state)) {
      this.lookAtPremiere().catch(() => {}); // the next pulse asks again
    }
  }

  async cancelMail() {
    try {
      this.premiere = (await this.api.call("DELETE", `${this.path}/premiere`)).data;
      this.studio.say("The email is cancelled.");
    } catch (error) {
      this.studio.toast(error.message);
      await this.lookAtPremiere();
    }
    this.studio.draw();
  }

  async setVisibility(level) {
    try {
      const { data: story } = await this.api.call("PUT", `${this.path}/visibility`, { body: { visibility: level } });
      receive(this.studio.draft, { story });
      this.studio.toast(level === "private" ? "Unpublished. Its address stays reserved." : "Saved for all readers.");
      this.studio.pulse.soon(0);
      await this.lookAtPremiere();
    } catch (error) {
      this.studio.toast(error.message);
    }
    this.studio.draw();
  }

  async copy(link) {
    try {
      await navigator.clipboard.writeText(link);
      this.studio.toast("Copied");
    } catch {
      this.studio.toast("Your browser did not allow copying.");
    }
  }

  mailLine() {
    const { premiere } = this;
    if (!premiere) return nothing;
    const { state, dueAt, counts, recipients, note } = premiere;
    if (state === "scheduled") {
      const left = Math.max(0, Math.round((new Date(dueAt) - this.studio.now()) / 1000));
      const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
      const timer = html`<span role="timer">${clock}</span>`;
      return html`<p class="mail-line">${
        recipients
          ? html`Email to ${people(recipients)} in ${timer}.`
          : html`Nobody has subscribed yet. Who does within ${timer} gets the email.`
      }
        <button class="linklike" type="button" @click=${() => this.cancelMail()}>Cancel the email</button>
        <span class="hint">Cancelling is final.</span></p>`;
    }
    if (state === "sending")
      return html`<p class="mail-line">Sending: ${counts?.sent ?? 0} of ${recipients} emails.</p>`;
    return note ? html`<p class="mail-line">${note}</p>` : nothing;
  }

  /** In the inspector of the whole capsule. */
  panel() {
    const { state, studio } = this;
    const { story } = studio.draft;
    if (!state.isPublished) return html`<p class="hint">Not published. Nobody but your workspace can see it.</p>`;
    const link = new URL(state.url, studio.urls.app).href;
    return html`<section class="live-panel"><h3>Live</h3>
      <p><a href=${link} target="_blank">${link.replace(/^https?:\/\//, "")}</a></p>${this.mailLine()}
      ${
        studio.writes
          ? html`<button class="pill" type="button" @click=${() => studio.openVisibility()}>
        ${studio.choices.levels.find(([level]) => level === story.visibility)?.[1]}: change</button>`
          : nothing
      }</section>`;
  }

  visibilityDialog() {
    const { story } = this.studio.draft;
    const link = this.state.url;
    if (this.confirming) {
      return html`<h2 id="dialog-title">Unpublish?</h2>
        <p>${link} will open nothing, embeds show that it is gone${
          this.premiere?.state === "scheduled" ? ", and the email that is due is not sent" : ""
        }. The address stays reserved for this capsule.</p>
        <div class="button-row dialog-end">
          <button class="pill" type="button" @click=${() => {
            this.confirming = false;
            this.studio.closeDialogs();
          }}>Keep it live</button>
          <button class="pill pill-danger" type="button" @click=${() => {
            this.confirming = false;
            this.setVisibility("private");
            this.studio.closeDialogs();
          }}>
            Unpublish</button></div>`;
    }
    const choose = (level) => {
      if (level === "private" && this.state.isPublished) {
        this.confirming = true;
        this.studio.draw();
      } else this.setVisibility(level);
    };
    return html`<h2 id="dialog-title">Who can see it</h2>
      <fieldset class="choices"><legend class="visually-hidden">Visibility</legend>
      ${this.studio.choices.levels.map(
        ([level, words, hint]) => html`<label class="choice"><input type="radio" name="visibility"
        .checked=${story.visibility === level} @change=${() => choose(level)}>
        <span>${words}<span class="hint">${hint}</span></span></label>`,
      )}
      </fieldset><p class="hint">Effective at once, without publishing again.</p>
      ${this.studio.dialogs.end()}`;
  }
}
