/* What is live: the link, who can see it, and the email to subscribers. None of it publishes again. */

import { say, toast } from "./announcements.js";
import { choices, serviceTime, urls, writes } from "./boot.js";
import { closeDialog, dialogEnd, showDialog } from "./dialogs.js";
import { html, nothing } from "./lit.js";
import { receive } from "./merging.js";
import { pulse } from "./presence.js";
import { redraw } from "./redraw.js";
import { api, storyPath } from "./session.js";
import { draft } from "./store.js";
import { plural, t } from "./words.js";
import { around } from "./words-around.js";

/** The one of this editor; it asks for the email the first time. */
export function live() {
  if (!one) {
    one = new Live();
    if (one.state.isPublished) one.lookAtPremiere().catch(() => {}); // the next pulse asks again
  }
  return one;
}

/** `leaving`: the question whether to unpublish it, at once.
    @param {boolean} leaving */
export function openVisibility(leaving) {
  Object.assign(live(), { confirming: leaving, trouble: "" });
  showDialog(() => live().visibilityDialog());
}

/**
 * @typedef {object} Premiere the email to subscribers
 * @property {string} state
 * @property {string} dueAt
 * @property {{sent: number}} [counts]
 * @property {number} recipients
 * @property {string} note
 * @property {string} [trouble] why it could not be cancelled
 */

const NOT_YET = { isPublished: false, url: "", slug: "", publicationMode: undefined };
/** @type {Live | undefined} */
let one;

class Live {
  /** @type {Premiere | null} */
  premiere = null;
  confirming = false;
  trouble = "";
  isTold = false; // by the pulse, that there is an email

  constructor() {
    pulse.addEventListener("news", () => this.heard(pulse.latest.premiere));
    setInterval(() => {
      if (this.premiere?.state === "scheduled") redraw();
    }, 1000);
  }

  get state() {
    return draft.story.publication ?? NOT_YET;
  }

  async lookAtPremiere() {
    try {
      this.premiere = (await api.call("GET", `${storyPath}/premiere`)).data;
    } catch (error) {
      if (error.status !== 404) throw error;
      this.premiere = null;
    }
    redraw();
  }

  /** The pulse says only how far the email is; what has changed is asked for.
      @param {{state: string} | null | undefined} premiere */
  heard(premiere) {
    const isNews = premiere ? premiere.state === "sending" || premiere.state !== this.premiere?.state : this.isTold;
    this.isTold = Boolean(premiere);
    if (isNews) this.lookAtPremiere().catch(() => {}); // the next pulse asks again
  }

  async cancelMail() {
    try {
      this.premiere = (await api.call("DELETE", `${storyPath}/premiere`)).data;
      say(t("The email is cancelled."));
    } catch (error) {
      toast(error.message); // where no dialog lies over it
      await this.lookAtPremiere().catch(() => {}); // the next pulse asks again
      if (this.premiere) this.premiere.trouble = error.message;
    }
    redraw();
  }

  /** @param {string} level */
  async setVisibility(level) {
    this.trouble = "";
    try {
      const { data: story } = await api.call("PUT", `${storyPath}/visibility`, { body: { visibility: level } });
      receive(draft, { story });
      toast(level === "private" ? t("Unpublished. Its address stays reserved.") : t("Saved for all readers."));
      pulse.soon(0);
      await this.lookAtPremiere().catch(() => {}); // the next pulse asks again
    } catch (error) {
      this.trouble = error.message;
      toast(error.message); // where the dialog is closed
      const taken = document.querySelector(`dialog [name=visibility][value="${draft.story.visibility}"]`);
      if (taken instanceof HTMLInputElement) taken.checked = true; // lit sets only what it drew otherwise before
    }
    redraw();
  }

  mailLine() {
    if (!this.premiere) return nothing;
    const { state, dueAt, counts, recipients, note, trouble } = this.premiere;
    if (state === "scheduled") {
      const left = Math.max(0, Math.round((Date.parse(dueAt) - serviceTime()) / 1000));
      const time = html`<span role="timer">${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}</span>`;
      return html`<p class="mail-line">${
        recipients
          ? around(plural("Email to 1 subscriber in {time}.", "Email to {n} subscribers in {time}.", recipients), {
              time,
            })
          : around(t("Nobody has subscribed yet. Who does within {time} gets the email."), { time })
      }
        <button class="linklike" type="button" @click=${() => this.cancelMail()}>${t("Cancel the email")}</button>
        <span class="hint">${t("Cancelling is final.")}</span>
        ${trouble ? html`<b class="fault" role="alert">${trouble}</b>` : nothing}</p>`;
    }
    if (state === "sending")
      return html`<p class="mail-line">${plural(
        "Sending: {sent} of 1 email.",
        "Sending: {sent} of {n} emails.",
        recipients,
        { sent: counts?.sent ?? 0 },
      )}</p>`;
    return note ? html`<p class="mail-line">${note}</p>` : nothing;
  }

  /** In the inspector of the whole capsule. */
  panel() {
    const { state } = this;
    const { story } = draft;
    if (!state.isPublished)
      return html`<p class="hint">${t("Not published. Nobody but your workspace can see it.")}</p>`;
    const link = new URL(state.url, urls.app).href;
    const level = choices.levels.find(([value]) => value === story.visibility);
    return html`<section class="live-panel"><h3>${t("Live")}</h3>
      <p><a href=${link} target="_blank">${link.replace(/^https?:\/\//, "")}</a></p>${this.mailLine()}
      ${
        writes
          ? html`<button class="pill" type="button" @click=${() => openVisibility(false)}>
        ${t("{level}: change", { level: level?.[1] ?? "" })}</button>`
          : nothing
      }</section>`;
  }

  visibilityDialog() {
    const { story } = draft;
    const link = this.state.url;
    // Not once somebody else has unpublished it: then the choice itself is shown.
    if (this.confirming && this.state.isPublished) {
      return html`<h2 id="dialog-title">${t("Unpublish?")}</h2>
        <p>${
          this.premiere?.state === "scheduled"
            ? t("{link} will open nothing, embeds show that it is gone, and the email that is due is not sent.", {
                link,
              })
            : t("{link} will open nothing, embeds show that it is gone.", { link })
        } ${t("The address stays reserved for this capsule.")}</p>
        <div class="button-row dialog-end">
          <button class="pill" type="button" @click=${() => {
            this.confirming = false;
            closeDialog();
          }}>${t("Keep it live")}</button>
          <button class="pill pill-danger" type="button" @click=${() => {
            this.confirming = false;
            this.setVisibility("private");
            closeDialog();
          }}>
            ${t("Unpublish")}</button></div>`;
    }
    /** @param {string} level */
    const choose = (level) => {
      if (level === "private" && this.state.isPublished) {
        this.confirming = true;
        redraw();
      } else this.setVisibility(level);
    };
    return html`<h2 id="dialog-title">${t("Who can see it")}</h2>
      <fieldset class="choices"><legend class="visually-hidden">${t("Visibility")}</legend>
      ${choices.levels.map(
        ([level, words, hint]) => html`<label class="choice"><input type="radio" name="visibility" value=${level}
        .checked=${story.visibility === level} @change=${() => choose(level)}>
        <span>${words}<span class="hint">${hint}</span></span></label>`,
      )}
      </fieldset>${this.trouble ? html`<p class="fault" role="alert">${this.trouble}</p>` : nothing}
      <p class="hint">${t("Effective at once, without publishing again.")}</p>
      ${dialogEnd()}`;
  }
}
