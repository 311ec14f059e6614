/* What an author can open, by button, menu or key. What is opened is fetched when first needed. */

import { check } from "./check.js";
import { part } from "./lazy.js";

const live = part("live");
const preview = part("preview");

export function openCheck() {
  check.ask();
  part("checklist").run((part) => part.openChecklist());
}

/** @param {Event} [event] */
export function openPublish(event) {
  event?.preventDefault();
  check.ask();
  part("publishing").run((part) => part.openPublish());
}

/** `leaving`: the question whether to unpublish it, at once. */
export const openVisibility = (leaving = false) => live.run((part) => part.openVisibility(leaving));

/** @param {Event} event */
export function openPreview(event) {
  event.preventDefault();
  const page = window.open("", "capsules-preview"); // at once: later the browser takes it for an advertisement
  preview.run((part) => part.openPreview(page));
  preview.asked?.catch(() => page?.location.host || page?.close()); // an older preview stays
}

export const retryPreview = () => preview.run((part) => part.retry());
export const openShortcuts = () => part("shortcuts-list").run((part) => part.openShortcuts());
