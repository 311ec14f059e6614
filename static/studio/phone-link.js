/* The dialog with a link that a phone opens to send pictures and films. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";

export class PhoneLink {
  constructor(dialogs) {
    Object.assign(this, { dialogs, studio: dialogs.studio });
  }

  async open() {
    Object.assign(this, { link: null, trouble: "" });
    this.dialogs.show("phone");
    const { id, workspaceId } = this.studio.draft.story;
    try {
      const body = { workspaceId, storyId: id };
      this.link = (await this.studio.api.call("POST", "/uploads/links", { body })).data;
    } catch (error) {
      this.trouble = error.message;
    }
    this.dialogs.draw();
  }

  dialog() {
    return html`<h2 id="dialog-title">From your phone</h2>
      ${this.trouble ? html`<p class="fault">${this.trouble}</p>` : nothing}
      ${
        this.link
          ? html`<p>Open this link on your phone. What you send there appears in the library.</p>
        <img class="qr" src="${this.studio.urls.qr}?${new URLSearchParams({ url: this.link.url })}"
          alt="QR code of the link" width="220" height="220">
        <p class="field"><input class="input" readonly .value=${this.link.url} aria-label="The link"
          @focus=${({ target }) => target.select()}></p>
        <p class="hint">It works for one hour and ten files, without signing in.</p>`
          : nothing
      }${this.dialogs.end()}`;
  }
}
