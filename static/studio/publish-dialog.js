/* The dialog of publishing: what will happen, and afterwards that it is live. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";
import { row } from "./checklist.js";

const MODES = [
  ["FULL", "The whole story", "All texts and pictures in the email"],
  ["TEASER", "A teaser", "The opening, and a link"],
  ["OFF", "No email", "You cannot change this later: subscribers will not be told about this capsule"],
];
const people = (count) => (count === 1 ? "1 subscriber" : `${count} subscribers`);

/** `publishing` knows the state; this draws it, and passes on what is chosen. */
export class PublishDialog {
  constructor(publishing) {
    Object.assign(this, { publishing, studio: publishing.studio });
  }

  get waiting() {
    const count = this.studio.uploads.underWay;
    if (!count) return "Looking…";
    return count === 1 ? "One file is still on its way in…" : `${count} files are still on their way in…`;
  }

  dialog() {
    if (this.publishing.step === "done") return this.live();
    if (!this.publishing.options)
      return html`<h2 id="dialog-title">Publish</h2><p role="status">${this.publishing.problem || this.waiting}</p>
        ${this.studio.dialogs.end("Cancel")}`;
    const { title } = this.studio.draft.story;
    return html`
      <h2 id="dialog-title">Publish “${title || "Untitled"}”</h2>
      ${this.readinessRow()}
      ${this.linkField()}
      <fieldset class="choices"><legend>Who sees it</legend>
        ${this.choice("unlisted", false, "Everybody: on your profile and in search engines")}
        ${this.choice("unlisted", true, "Only people with the link")}
        <label class="choice"><input type="checkbox" .checked=${this.publishing.shares}
          @change=${({ target }) => {
            this.publishing.shares = target.checked;
          }}> Share buttons</label>
      </fieldset>
      ${
        this.publishing.options.whiteLabelAllowed
          ? html`<fieldset class="choices"><legend>Brand</legend>
        ${this.choice("whiteLabel", false, "With the name of this service")}
        ${this.choice("whiteLabel", true, "White label: without it; no premiere email then")}</fieldset>`
          : nothing
      }
      ${this.mailChoice()}
      ${this.publishing.problem ? html`<p class="fault" role="alert">${this.publishing.problem}</p>` : nothing}
      <div class="button-row dialog-end">
        <button class="pill" type="button" @click=${() => this.studio.closeDialogs()}>Cancel</button>
        ${this.button()}
      </div>`;
  }

  choice(name, value, words) {
    return html`<label class="choice"><input type="radio" name=${name} .checked=${this.publishing[name] === value}
      @change=${() => {
        this.publishing[name] = value;
        this.studio.draw();
      }}> ${words}</label>`;
  }

  readinessRow() {
    const { missing, built } = this.publishing;
    if (missing.length) {
      return html`<div class="fault" role="alert"><p>Some things are missing:</p>
        <ul class="rows">${missing.map((fault) => row(this.studio, fault))}</ul></div>`;
    }
    if (built?.state === "failed")
      return html`<p class="fault">Some of it could not be prepared. See the marked scenes.</p>`;
    if (!built || built.state === "building") {
      return html`<p>Preparing pictures and films: ${built?.percent ?? 0} %
        <progress max="100" value=${built?.percent ?? 0}></progress></p>`;
    }
    return html`<p class="good">Ready: ${this.studio.draft.scenes.length} scenes.</p>`;
  }

  linkField() {
    const [base] = this.publishing.options.link.split(/\/[^/]*$/);
    const { slug: fault, workspaceName: nameFault } = this.publishing.faults;
    const { claims } = this.studio;
    return html`<div class="field"><label for="publish-slug">Link</label>
      <span class="link-row"><span class="hint">${base.replace(/^https?:\/\//, "")}/</span>
        <input class="input" id="publish-slug" maxlength="50" .value=${this.publishing.slug || ""}
          aria-invalid=${Boolean(fault)}
          @input=${({ target }) => {
            this.publishing.slug = target.value;
            this.studio.draw();
          }}></span>
      ${fault ? html`<p class="fault" role="alert">${fault}</p>` : nothing}
      ${nameFault ? html`<p class="fault" role="alert">${nameFault}</p>` : nothing}
      ${claims ? html`<p class="hint">This first publish claims the name “${claims}” forever.</p>` : nothing}
      ${
        this.publishing.moved
          ? html`<label class="choice"><input type="checkbox" .checked=${this.publishing.agreed}
        @change=${({ target }) => {
          this.publishing.agreed = target.checked;
          this.studio.draw();
        }}>
        I understand that the old link and its embeds will stop working.</label>`
          : nothing
      }</div>`;
  }

  mailChoice() {
    const { premiere } = this.publishing.options;
    if (this.publishing.whiteLabel)
      return html`<p class="hint">A white-label capsule sends no email, now or later.</p>`;
    if (!premiere.modes.length) return html`<p class="hint">Publishing again sends no email.</p>`;
    return html`<fieldset class="choices">
      <legend>Email to ${people(premiere.recipients)}, about five minutes after publishing, once</legend>
      ${premiere.recipients ? nothing : html`<p class="hint">Whoever subscribes before it leaves gets it too.</p>`}
      ${MODES.map(
        ([value, words, hint]) => html`<label class="choice"><input type="radio" name="mode" value=${value}
        .checked=${this.publishing.mode === value} @change=${() => {
          this.publishing.mode = value;
          this.studio.draw();
        }}>
        <span>${words}<span class="hint">${hint}</span></span></label>`,
      )}
      ${
        this.publishing.built?.state === "ready"
          ? html`<a href="${this.studio.urls.preview}${this.publishing.built.number}?as=email"
        target="capsules-preview">See the emails</a>`
          : nothing
      }
    </fieldset>`;
  }

  button() {
    const { built, missing, mode } = this.publishing;
    const { mails } = this.publishing;
    const chooses = mails && !mode;
    const working = this.publishing.step === "working";
    const breaks = this.publishing.moved && !this.publishing.agreed;
    const off = working || chooses || missing.length || built?.state === "failed" || breaks;
    const recipients = this.publishing.options.premiere?.recipients || 0;
    let words = this.publishing.state.isPublished ? "Publish changes" : "Publish";
    if (this.publishing.waits) words = "Waiting for the connection…";
    else if (working) words = built?.state === "building" ? "Preparing…" : "Publishing…";
    else if (chooses) words = "Choose what subscribers get";
    else if (mails && mode !== "OFF" && recipients) words = `Publish and email ${recipients}`;
    return html`<button class="pill pill-accent" type="button" ?disabled=${Boolean(off)}
      @click=${() => this.publishing.publish()}>${words}</button>`;
  }

  live() {
    const link = new URL(this.publishing.result.url, this.studio.urls.app).href;
    return html`<h2 id="dialog-title">It is live</h2>
      <p><a href=${link} target="_blank">${link.replace(/^https?:\/\//, "")}</a></p>
      ${this.studio.live.mailLine()}
      <div class="button-row dialog-end">
        <button class="pill" type="button" @click=${() => this.studio.live.copy(link)}>Copy link</button>
        ${
          navigator.share
            ? html`<button class="pill" type="button"
          @click=${() => this.share(link)}>Share</button>`
            : nothing
        }
        <button class="pill pill-accent" type="button" @click=${() => this.studio.closeDialogs()}>Done</button>
      </div>`;
  }

  share(link) {
    navigator.share({ title: this.studio.draft.story.title, url: link }).catch(() => {}); // the person thought better
  }
}
