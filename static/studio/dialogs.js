/* The editor's dialogs. One is open at a time; the browser gives the focus back when it closes. */

import { html, nothing, render } from "../vendor/lit-html-3.3.3.js";
import { allSaved } from "./all-saved.js";
import { checklist } from "./checklist.js";
import { KEYS } from "./keys-list.js";
import { Library } from "./library.js";
import { PhoneLink } from "./phone-link.js";
import { Split } from "./split.js";

export class Dialogs {
  constructor(studio) {
    this.studio = studio;
    this.library = new Library(this);
    this.phone = new PhoneLink(this);
    this.split = new Split(this);
    this.element = document.getElementById("dialog");
    this.element.addEventListener("close", () => {
      this.name = null;
      this.inert(false);
    });
    this.element.addEventListener("click", (event) => {
      if (event.target === this.element) this.close();
    });
  }

  show(name) {
    this.name = name;
    this.draw();
    if (!this.element.open) this.element.showModal();
    this.inert(true);
  }

  close() {
    if (this.element.open) this.element.close();
  }

  /** The page in the frame takes no focus while a dialog is open. */
  inert(on) {
    document.getElementById("stage").inert = on;
  }

  draw() {
    if (!this.name) return;
    const { studio } = this;
    const drawn = {
      publish: () => studio.publishing.dialog(),
      visibility: () => studio.live.visibilityDialog(),
      check: () => html`<h2 id="dialog-title">Check</h2>${checklist(studio)}${this.end()}`,
      keys: () => this.keys(),
      place: () => this.place(),
      library: () => this.library.dialog(),
      phone: () => this.phone.dialog(),
      split: () => this.split.dialog(),
      trash: () => this.trash(),
    }[this.name]();
    render(drawn, this.element);
  }

  end(words = "Close") {
    return html`<div class="button-row dialog-end">
      <button class="pill" type="button" @click=${() => this.close()}>${words}</button></div>`;
  }

  keys() {
    return html`<h2 id="dialog-title">Keyboard</h2><dl class="keys">${KEYS.map(([key, what]) =>
      what
        ? html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`
        : html`<dt class="keys-part">${key}</dt>
        <dd class="visually-hidden">The keys below</dd>`,
    )}</dl>${this.end()}`;
  }

  askPlace(id) {
    this.moving = id;
    this.show("place");
  }

  place() {
    const { scenes } = this.studio.draft;
    const now = scenes.findIndex(({ id }) => id === this.studio.draft.nameOf(this.moving)) + 1;
    const go = (event) => {
      event.preventDefault();
      const to = Number(new FormData(event.target).get("place"));
      this.close();
      this.studio.moveTo(this.moving, to - 1);
    };
    return html`<form @submit=${go}><h2 id="dialog-title">Move scene ${now}</h2>
      <label class="field">To position, 1 to ${scenes.length}
        <input class="input" type="number" name="place" min="1" max=${scenes.length} .value=${String(now)}
          required autofocus></label>
      <div class="button-row dialog-end"><button class="pill" type="button" @click=${() => this.close()}>Cancel</button>
        <button class="pill pill-accent">Move</button></div></form>`;
  }

  trash() {
    const { story } = this.studio.draft;
    const live = story.publication?.isPublished;
    const go = async () => {
      try {
        await allSaved(this.studio.saver);
        await this.studio.api.call("DELETE", `/stories/${story.id}${live ? "?unpublish=true" : ""}`);
        location.assign(this.studio.urls.list);
      } catch (error) {
        this.trouble = error.message;
        this.draw();
      }
    };
    return html`<h2 id="dialog-title">Move to trash?</h2>
      ${
        live
          ? html`<p>It is live at ${story.publication.url}; it will be unpublished, its link opens nothing, and the
        address stays reserved for 30 days.</p>`
          : nothing
      }
      <p>You can restore it for 30 days.</p>
      ${this.trouble ? html`<p class="fault" role="alert">${this.trouble}</p>` : nothing}
      <div class="button-row dialog-end">
        <button class="pill" type="button" @click=${() => this.close()}>Keep it</button>
        <button class="pill pill-danger" type="button" @click=${go}>Move to trash</button></div>`;
  }
}
