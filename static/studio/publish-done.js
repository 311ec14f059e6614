/* What is live: its card, and the ways to pass it on. */

import { say } from "./announcements.js";
import { urls } from "./boot.js";
import { closeDialog } from "./dialogs.js";
import { cardAt, linkCard } from "./link-card.js";
import { html, nothing } from "./lit.js";
import { live } from "./live.js";
import { redraw } from "./redraw.js";
import { draft } from "./store.js";
import { t } from "./words.js";

/** @type {string} the text that was copied last, or why it was not */
let copied = "";
let refused = false;

/** Of the last copying nothing is said when the dialog opens again. */
export function forgetCopying() {
  [copied, refused] = ["", false];
}

/** @param {import("./publishing.js").Publishing} publishing */
export function done(publishing) {
  const { result, state, again } = publishing;
  const link = new URL(result?.url ?? state.url, urls.app).href;
  const card = cardAt(urls.card);
  return html`<h2 id="dialog-title">${result && again ? t("The changes are live") : t("It is live")}</h2>
    ${doneWords(publishing)}
    <div class="live-share">${linkCard(card)}${waysOn(link)}${code(link)}</div>
    ${embed(card?.embed)}
    <div class="button-row dialog-end">
      ${
        result
          ? nothing
          : html`<button class="pill" type="button" @click=${() => publishing.ask()}>
        ${t("Change how it is published")}</button>`
      }
      <button class="pill pill-accent" type="button" @click=${closeDialog}>${t("Done")}</button>
    </div>`;
}

/** @param {string} link */
const waysOn = (link) => html`<div class="live-link">
  <p><a href=${link} target="_blank">${bare(link)}</a></p>
  ${live().mailLine()}
  <div class="button-row">
    <a class="pill" href=${link} target="_blank">${t("Open")}</a>
    ${copyButton(t("Copy link"), link)}
    ${
      "share" in navigator
        ? html`<button class="pill" type="button" @click=${() => share(link)}>${t("Share")}</button>`
        : nothing
    }
  </div>
  ${refused ? html`<p class="fault" role="alert">${t("Your browser did not allow copying.")}</p>` : nothing}</div>`;

/** @param {import("./publishing.js").Publishing} publishing */
function doneWords({ result, again }) {
  if (!result) return html`<p>${t("Readers get the draft as it is now.")}</p>`;
  return again ? html`<p>${t("Readers get them from now on.")}</p>` : nothing;
}

/** @param {string} link */
const bare = (link) => link.replace(/^https?:\/\//, "");

/** @param {string} link */
const code = (link) => html`<figure class="link-code">
  <img class="qr" src="${urls.qr}?${new URLSearchParams({ url: link })}"
    alt=${t("QR code of {link}", { link: bare(link) })} width="160" height="160">
  <figcaption>${t("See it on a phone: point its camera here")}</figcaption></figure>`;

/** Its line is there before the service has said it, so that the dialog does not grow.
    @param {string} [markup] */
const embed = (markup) => html`<details class="publish-more"><summary>${t("Embed code")}</summary>
  <textarea class="input code" readonly rows="5" spellcheck="false" dir="ltr" aria-label=${t("Embed code")}
    .value=${markup ?? ""} @focus=${({ target }) => target.select()}></textarea>
  <div class="button-row">${copyButton(t("Copy embed code"), markup)}</div></details>`;

/** @param {string} words
    @param {string | undefined} text */
const copyButton = (words, text) => html`<button class="pill" type="button" ?disabled=${!text}
  @click=${() => text && copy(text)}>${copied === text ? t("Copied") : words}</button>`;

/** Said on the button: a line at the foot of the page would stand beneath the dialog.
    @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    [copied, refused] = [text, false];
    say(t("Copied"));
  } catch {
    refused = true;
  }
  redraw();
}

/** @param {string} link */
function share(link) {
  navigator.share({ title: draft.story.title, url: link }).catch(() => {}); // the person thought better
}
