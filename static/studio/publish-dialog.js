/* The dialog of publishing: what will happen, and afterwards that it is live. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";
import { isUpToDate, publishWords } from "./bar.js";
import { row } from "./checklist.js";
import { people } from "./live.js";

const LONGEST = 50; // characters of a link
const tooLong = (slug) =>
  slug?.length > LONGEST ? `${slug.length - LONGEST} too many: a link has at most ${LONGEST} characters.` : "";

/** `publishing` knows the state; this draws it, and passes on what is chosen. */
export class PublishDialog {
  constructor(publishing) {
    Object.assign(this, { publishing, studio: publishing.studio });
  }

  get heading() {
    const name = `“${this.studio.draft.story.title || "Untitled"}”`;
    if (isUpToDate(this.studio)) return `Link and brand of ${name}`;
    return this.publishing.state.isPublished ? `Publish the changes to ${name}` : `Publish ${name}`;
  }

  get waiting() {
    const count = this.studio.uploads.underWay;
    if (!count) return "Looking…";
    return count === 1 ? "One file is still on its way in…" : `${count} files are still on their way in…`;
  }

  dialog() {
    if (this.publishing.step === "done") return this.live();
    if (!this.publishing.options)
      return html`<h2 id="dialog-title">${this.heading}</h2>
        <p role="status">${this.publishing.problem || this.waiting}</p>
        ${this.studio.dialogs.end("Cancel")}`;
    const { brands, readers } = this.studio.choices;
    return html`
      <h2 id="dialog-title">${this.heading}</h2>
      ${this.readinessRow()}
      ${this.linkField()}
      <fieldset class="choices"><legend>Who sees it</legend>
        ${readers.map(([value, words]) => this.choice("unlisted", value === "unlisted", words))}
        <label class="choice"><input type="checkbox" .checked=${this.publishing.shares}
          @change=${({ target }) => {
            this.publishing.shares = target.checked;
          }}> Share buttons</label>
      </fieldset>
      ${
        this.publishing.options.publicationModes.length > 1
          ? html`<fieldset class="choices"><legend>Brand</legend>
        ${brands.map(([value, words]) => this.choice("brand", value, words))}</fieldset>`
          : nothing
      }
      ${this.publishing.lost ? html`<p class="hint">${this.studio.choices.lostBrand}</p>` : nothing}
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
      return html`<p class="fault">Some pictures or films could not be processed. See the marked scenes.</p>`;
    if (!built) return html`<p role="status">Looking at the draft…</p>`;
    if (built.state === "building") {
      return html`<p>Preparing pictures and films: ${built.percent} %
        <progress max="100" value=${built.percent}></progress></p>`;
    }
    return html`<p class="good">Ready: ${this.studio.draft.scenes.length} scenes.</p>`;
  }

  linkField() {
    const [base] = this.publishing.options.link.split(/\/[^/]*$/);
    const { slug: slugFault, workspaceName: nameFault } = this.publishing.faults;
    const fault = slugFault ?? tooLong(this.publishing.slug);
    return html`<div class="field"><label for="publish-slug">Link</label>
      <span class="link-row"><span class="hint">${base.replace(/^https?:\/\//, "")}/</span>
        <input class="input" id="publish-slug" .value=${this.publishing.slug || ""}
          aria-invalid=${Boolean(fault)}
          @input=${({ target }) => {
            this.publishing.slug = target.value;
            this.studio.draw();
          }}></span>
      ${fault ? html`<p class="fault" role="alert">${fault}</p>` : nothing}
      ${nameFault ? html`<p class="fault" role="alert">${nameFault}</p>` : nothing}
      ${this.claim()}
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

  /** The first publish decides the beginning of all links. */
  claim() {
    const { claims, urls } = this.studio;
    if (!claims) return nothing;
    return html`<p class="hint">All links of this workspace will begin with /${claims}/. This first publish decides
      that forever. ${
        urls.settings
          ? html`<a href=${urls.settings}>Change “${claims}” first</a>`
          : "Until then an owner can change it in the settings of the workspace."
      }</p>`;
  }

  mailChoice() {
    const { options, emails, brand } = this.publishing;
    const { premiere } = options;
    const words = this.studio.choices;
    if (!emails.length) return html`<p class="hint">${words.noEmail[brand]}</p>`;
    return html`<fieldset class="choices">
      <legend>Email to ${people(premiere.recipients)}, about five minutes after publishing, once</legend>
      <p class="hint">${premiere.recipients ? "" : "Nobody has subscribed yet. Who does until then gets it."}</p>
      ${words.emails
        .filter(([value]) => emails.includes(value))
        .map(
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
    const { built, missing, mode, emails } = this.publishing;
    const chooses = emails.length && !mode;
    const working = this.publishing.step === "working";
    const breaks = this.publishing.moved && !this.publishing.agreed;
    const off =
      working || chooses || missing.length || built?.state === "failed" || breaks || tooLong(this.publishing.slug);
    const recipients = this.publishing.options.premiere?.recipients || 0;
    let words = isUpToDate(this.studio) ? "Publish again" : publishWords(this.studio);
    if (this.publishing.waits) words = "Waiting for the connection…";
    else if (working) words = built?.state === "building" ? "Preparing…" : "Publishing…";
    else if (chooses) words = "Choose what subscribers get";
    else if (emails.length && mode !== "OFF" && recipients) words = `Publish and email ${recipients}`;
    return html`<button class="pill pill-accent" type="button" ?disabled=${Boolean(off)}
      @click=${() => this.publishing.publish()}>${words}</button>`;
  }

  live() {
    const { result, state } = this.publishing;
    const link = new URL(result?.url ?? state.url, this.studio.urls.app).href;
    const heading = result && this.publishing.again ? "The changes are live" : "It is live";
    return html`<h2 id="dialog-title">${heading}</h2>
      <p><a href=${link} target="_blank">${link.replace(/^https?:\/\//, "")}</a></p>
      ${result ? nothing : html`<p>Readers get the draft as it is now.</p>`}
      ${this.studio.live.mailLine()}
      <div class="button-row dialog-end">
        <button class="pill" type="button" @click=${() => this.studio.live.copy(link)}>Copy link</button>
        ${
          navigator.share
            ? html`<button class="pill" type="button"
          @click=${() => this.share(link)}>Share</button>`
            : nothing
        }
        ${
          result
            ? nothing
            : html`<button class="pill" type="button" @click=${() => this.publishing.ask()}>
          Change link or brand</button>`
        }
        <button class="pill pill-accent" type="button" @click=${() => this.studio.closeDialogs()}>Done</button>
      </div>`;
  }

  share(link) {
    navigator.share({ title: this.studio.draft.story.title, url: link }).catch(() => {}); // the person thought better
  }
}
