/* On plain pages: buttons that copy a text or hand a link to another app. Without this script they are not there. */

import { t } from "./words.js";

const SHOWN = 2500; // ms
const said = document.createElement("p");
said.className = "visually-hidden";
said.setAttribute("role", "status");
document.body.append(said);

/** @param {HTMLElement} button
    @param {string} words for a moment in place of its own */
function tell(button, words) {
  button.dataset.words ??= button.textContent ?? "";
  button.textContent = words;
  said.textContent = words;
  setTimeout(() => {
    button.textContent = button.dataset.words ?? "";
    said.textContent = "";
  }, SHOWN);
}

/** @param {HTMLElement} button */
async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? "");
    tell(button, t("Copied"));
  } catch {
    tell(button, t("Your browser did not allow copying."));
  }
}

/** @param {string} selector
    @returns {NodeListOf<HTMLElement>} */
const all = (selector) => document.querySelectorAll(selector);

for (const button of all("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}
for (const button of all("[data-share]")) {
  button.hidden = !("share" in navigator);
  button.addEventListener("click", () => {
    const { share: url, title } = button.dataset;
    navigator.share({ title, url }).catch(() => {}); // the person thought better
  });
}
