/* The dialog of publishing: what will happen, and afterwards that it is live. */

import { isUpToDate, publishWords } from "./bar.js";
import { choices, urls } from "./boot.js";
import { row } from "./checklist.js";
import { closeDialog, dialogEnd } from "./dialogs.js";
import { isUntitled } from "./fold.js";
import { cardAt, linkCards } from "./link-card.js";
import { html, nothing } from "./lit.js";
import { open } from "./navigation.js";
import { done } from "./publish-done.js";
import { isMoved, linkField, tooLong } from "./publish-link.js";
import { more } from "./publish-more.js";
import { redraw } from "./redraw.js";
import { draft } from "./store.js";
import { uploads } from "./upload-list.js";
import { onTheirWayIn } from "./upload-words.js";
import { plural, t } from "./words.js";

/** `publishing` knows the state; this draws it, and passes on what is chosen. */
export class PublishDialog {
  /** @param {import("./publishing.js").Publishing} publishing */
  constructor(publishing) {
    this.publishing = publishing;
  }

  get heading() {
    const title = draft.story.title || t("Untitled");
    if (isUpToDate()) return t("Link and brand of “{title}”", { title });
    return this.publishing.state.isPublished
      ? t("Publish changes to “{title}”", { title })
      : t("Publish “{title}”", { title });
  }

  get waiting() {
    const count = uploads.underWay;
    if (!count) return t("Looking…");
    return onTheirWayIn(count);
  }

  dialog() {
    if (this.publishing.step === "done") return done(this.publishing);
    if (!this.publishing.options)
      return html`<h2 id="dialog-title">${this.heading}</h2>
        <p role="status">${this.publishing.problem || this.waiting}</p>
        ${dialogEnd(t("Cancel"))}`;
    return html`
      <h2 id="dialog-title">${this.heading}</h2>
      ${this.publishing.missing.length ? nothing : linkCards(this.card)}
      ${isUntitled(draft.story.title) ? this.untitled() : nothing}
      ${this.readinessRow()}
      ${linkField(this.publishing)}
      ${this.publishing.lost ? html`<p class="hint">${choices.lostBrand}</p>` : nothing}
      ${this.mailChoice()}
      ${more(this.publishing)}
      ${this.publishing.options.alongside.map((sentence) => html`<p>${sentence}</p>`)}
      ${this.publishing.problem ? html`<p class="fault" role="alert">${this.publishing.problem}</p>` : nothing}
      <div class="button-row dialog-end">
        <button class="pill" type="button" @click=${closeDialog}>${t("Cancel")}</button>
        ${this.button()}
      </div>`;
  }

  /** What the link would show; undefined until the preview is ready and the service has said so. */
  get card() {
    const { built } = this.publishing;
    return built?.state === "ready" ? cardAt(`${urls.preview}${built.number}/card`) : undefined;
  }

  /** Nothing forbids it, and hardly anybody wants it. */
  untitled() {
    const words = t("It has no title: readers and subscribers would see “Untitled”.");
    const give = () => {
      closeDialog();
      open("story", "title");
    };
    return html`<p class="fault">${words}
      <button class="linklike" type="button" @click=${give}>${t("Add a title")}</button></p>`;
  }

  readinessRow() {
    const { missing, built, problem } = this.publishing;
    if (missing.length) {
      return html`<div class="fault" role="alert"><p>${t("Some things are missing:")}</p>
        <ul class="rows">${missing.map(row)}</ul></div>`;
    }
    if (built?.state === "failed")
      return html`<p class="fault">${t("Some pictures or films could not be processed. See the marked scenes.")}</p>`;
    if (!built) return problem ? nothing : html`<p role="status">${t("Looking at the draft…")}</p>`;
    if (built.state === "building") {
      return html`<p>${t("Preparing pictures and films: {percent} %", { percent: built.percent })}
        <progress max="100" value=${built.percent}></progress></p>`;
    }
    if (this.publishing.state.isPublished && !isUpToDate()) return this.changes();
    return html`<p class="good">${plural("Ready: 1 scene.", "Ready: {n} scenes.", draft.scenes.length)}</p>`;
  }

  /** What a publish changes for readers. */
  changes() {
    const lines = this.card?.changes;
    if (!lines?.length) return html`<p>${t("Readers get this instead of what is live now.")}</p>`;
    return html`<p>${t("What changes for readers:")}</p><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
  }

  mailChoice() {
    const { options, emails, brand } = this.publishing;
    const premiere = options?.premiere;
    if (!emails.length) return html`<p class="hint">${choices.noEmail[draft.story.shown ? "EDITION" : brand]}</p>`;
    return html`<fieldset class="choices">
      <legend>${emailTo(premiere?.recipients)}</legend>
      <p class="hint">${premiere?.recipients ? "" : t("Nobody has subscribed yet. Who does until then gets it.")}</p>
      ${choices.emails
        .filter(([value]) => emails.includes(value))
        .map(
          ([value, words, hint]) => html`<label class="choice"><input type="radio" name="mode" value=${value}
        .checked=${this.publishing.mode === value} @change=${() => {
          this.publishing.mode = value;
          redraw();
        }}>
        <span>${words}<span class="hint">${hint}</span></span></label>`,
        )}
      ${
        this.publishing.built?.state === "ready"
          ? html`<a href="${urls.preview}${this.publishing.built.number}?as=email"
        target="capsules-preview">${t("See the emails")}</a>`
          : nothing
      }
    </fieldset>`;
  }

  button() {
    const { built, missing, mode, emails } = this.publishing;
    const chooses = emails.length && !mode;
    const working = this.publishing.step === "working";
    const breaks = isMoved(this.publishing) && !this.publishing.agreed;
    const off = working || missing.length || built?.state === "failed" || breaks || tooLong(this.publishing.slug);
    const recipients = this.publishing.options?.premiere?.recipients || 0;
    let words = isUpToDate() ? t("Publish again") : publishWords();
    if (this.publishing.waits) words = t("Waiting for the connection…");
    else if (working) words = built?.state === "building" ? t("Preparing…") : t("Publishing…");
    else if (chooses) words = t("Choose what subscribers get");
    else if (emails.length && mode !== "OFF" && recipients) words = t("Publish and email {n}", { n: recipients });
    return html`<button class="pill pill-accent" type="button" ?disabled=${Boolean(off)}
      @click=${() => (chooses ? toEmailChoice() : this.publishing.publish())}>${words}</button>`;
  }
}

/** On a phone the choice may lie below the edge of the dialog, or under the buttons at its foot. */
function toEmailChoice() {
  const first = /** @type {HTMLElement} */ (document.querySelector("dialog [name=mode]"));
  first.closest("fieldset")?.scrollIntoView({ block: "center" });
  first.focus({ preventScroll: true });
}

/** @param {number | undefined} count */
const emailTo = (count) =>
  count
    ? plural(
        "Email to 1 subscriber, about five minutes after publishing, once",
        "Email to {n} subscribers, about five minutes after publishing, once",
        count,
      )
    : t("Email to the subscribers, about five minutes after publishing, once");
