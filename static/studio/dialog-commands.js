/* What an author can open, by button, menu or key. What is opened is fetched when first needed. */

import { check } from "./check.js";
import { part } from "./lazy.js";

const checklist = part("checklist");
const live = part("live");
const preview = part("preview");
const publishing = part("publishing");
const shortcuts = part("shortcuts-list");

export function openCheck() {
  check.ask();
  checklist.run((part) => part.openChecklist());
}

/** @param {Event} [event] */
export function openPublish(event) {
  event?.preventDefault();
  check.ask();
  publishing.run((part) => part.openPublish());
}

/** `leaving`: the question whether to unpublish it, at once. */
export const openVisibility = (leaving = false) => live.run((part) => part.openVisibility(leaving));

/** @param {Event} event */
export function openPreview(event) {
  event.preventDefault();
  const page = window.open("", "capsules-preview"); // at once: later the browser takes it for an advertisement
  preview.run((part) => part.openPreview(page));
}

export const retryPreview = () => preview.run((part) => part.retry());
export const openShortcuts = () => shortcuts.run((part) => part.openShortcuts());
