/* The dialog of the library: media of the workspace, for a scene. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";

export class Library {
  constructor(dialogs) {
    Object.assign(this, { dialogs, studio: dialogs.studio });
  }

  async open(scene) {
    Object.assign(this, { scene, media: null, cursor: null, trouble: "" });
    this.dialogs.show("library");
    await this.moreMedia();
  }

  async moreMedia() {
    const { workspaceId } = this.studio.draft.story;
    const query = new URLSearchParams({ workspaceId, limit: 24, ...(this.cursor ? { cursor: this.cursor } : {}) });
    try {
      const { data } = await this.studio.api.call("GET", `/media?${query}`);
      this.media = [...(this.media || []), ...data.items];
      this.cursor = data.nextCursor;
    } catch (error) {
      this.trouble = error.message;
    }
    this.dialogs.draw();
  }

  dialog() {
    const take = (media) => {
      const fields = media.kind === "film" ? { film: media, animation: "film" } : { still: media };
      this.studio.set(this.scene, fields, media.kind === "film" ? "Film" : "Picture");
      this.dialogs.close();
    };
    return html`<h2 id="dialog-title">Library</h2>
      ${this.trouble ? html`<p class="fault">${this.trouble}</p>` : nothing}
      ${this.media === null ? html`<p>Looking…</p>` : nothing}
      ${
        this.media?.length === 0
          ? html`<p>Nothing here yet. What you add to a scene of any capsule is kept here.</p>`
          : nothing
      }
      <ul class="library">${(this.media || []).map(
        (media) => html`<li>
        <button class="library-item" type="button" @click=${() => take(media)}>
          ${
            media.thumbnailUrl
              ? html`<img src=${media.thumbnailUrl} alt="" loading="lazy">`
              : html`<span class="thumb-empty">${media.kind}</span>`
          }
          <span>${media.filename}</span></button></li>`,
      )}</ul>
      ${
        this.cursor ? html`<button class="pill" type="button" @click=${() => this.moreMedia()}>More</button>` : nothing
      }${this.dialogs.end()}`;
  }
}
