/* What the editor says: aloud to assistive technology, and in a line at the foot. */

import { element } from "./element.js";
import { html, nothing, render } from "./lit.js";

/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading;

/** @param {string} words */
export function say(words) {
  element("polite").textContent = words;
}

/** Says aloud that something cannot be saved; the other states are only shown.
    @param {string} state */
export function announceState(state) {
  const loud = !["saved", "waiting", "saving"].includes(state);
  element("assertive").textContent = loud
    ? (element("bar").querySelector(".save-state")?.textContent?.trim() ?? "")
    : "";
}

/** @param {string} words
    @param {string} [action]
    @param {() => void} [act] */
export function toast(words, action, act) {
  const toast = element("toast");
  const take = () => {
    act?.();
    render(nothing, toast);
  };
  render(
    html`${words} ${action ? html`<button class="linklike" type="button" @click=${take}>${action}</button>` : nothing}`,
    toast,
  );
  say(words);
  clearTimeout(fading);
  fading = setTimeout(() => render(nothing, toast), 10000);
}
