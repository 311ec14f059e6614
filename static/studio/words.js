/* What the editor says: aloud to assistive technology, and in a line at the foot. Methods of the studio. */

import { html, nothing, render } from "../vendor/lit-html-3.3.3.js";

const place = (id) => document.getElementById(id);

export const words = {
  say(words) {
    place("polite").textContent = words;
  },

  announceState() {
    const { state } = this.saver;
    const loud = ["held", "offline", "signed-out", "trouble", "read-only", "gone"].includes(state);
    place("assertive").textContent = loud ? (place("bar").querySelector(".save-state")?.textContent.trim() ?? "") : "";
  },

  toast(words, action, act) {
    const toast = place("toast");
    render(
      html`${words} ${
        action
          ? html`<button class="linklike" type="button"
      @click=${() => {
        act();
        render(nothing, toast);
      }}>${action}</button>`
          : nothing
      }`,
      toast,
    );
    this.say(words);
    clearTimeout(this.fading);
    this.fading = setTimeout(() => render(nothing, toast), 10000);
  },
};
