/* The card of the link as chat apps draw it where it is shared: on a phone, and on a wide screen. */

import { urls } from "./boot.js";
import { html } from "./lit.js";
import { pictureOf } from "./pictures.js";
import { redraw } from "./redraw.js";
import { draft } from "./store.js";
import { t } from "./words.js";

/**
 * @typedef {object} Card
 * @property {string} title
 * @property {string} opening
 * @property {string} picture its address
 * @property {string} alt
 * @property {[number, number]} [focus] where the picture is not cut to the card yet
 * @property {string[]} [changes] for readers, by the publish of a preview
 * @property {string} [embed] HTML, of what is live
 */

/** @type {Map<string, Card | undefined>} by address */
const known = new Map();

/** What the service says of a card; undefined until it has.
    @param {string} url */
export function cardAt(url) {
  if (!known.has(url)) {
    known.set(url, undefined);
    ask(url).catch(() => known.delete(url)); // asked again when the page is drawn again
  }
  return known.get(url);
}

/** What is live has changed.
    @param {string} url */
export const forgetCard = (url) => known.delete(url);

/** @param {string} url */
async function ask(url) {
  const response = await fetch(url, { headers: { Accept: "application/json" } });
  if (!response.ok) throw response;
  known.set(url, await response.json());
  redraw();
}

/** The card as far as this page can tell, until the service has made its picture.
    @returns {Card} */
function guess() {
  const { story, scenes } = draft;
  const cover = scenes.find(({ id }) => id === story.cover) ?? scenes[0];
  const opening = scenes.find(({ text }) => text.trim())?.text ?? "";
  return {
    title: story.title || t("Untitled"),
    opening,
    picture: (cover && pictureOf(cover)) || "",
    alt: "",
    focus: cover?.focus,
  };
}

/** @param {Card | undefined} told */
export function linkCards(told) {
  return html`<div class="link-cards" role="group" aria-label=${t("The link where it is shared")}>
    ${figure(told, "phone", t("On a phone"))}${figure(told, "wide", t("On a wide screen"))}</div>`;
}

/** @param {Card | undefined} told
    @param {"phone" | "wide"} size
    @param {string} words */
function figure(told, size, words) {
  return html`<figure class="on-${size}">${linkCard(told)}<figcaption>${words}</figcaption></figure>`;
}

/** @param {Card | undefined} told */
export function linkCard(told) {
  const { title, opening, picture, alt, focus: [x, y] = [0.5, 0.5] } = told ?? guess();
  const image = picture
    ? html`<img src=${picture} alt=${alt} width="1200" height="630"
        .style=${`--x: ${x * 100}%; --y: ${y * 100}%`}>`
    : html`<span class="no-picture"></span>`;
  return html`<article class="link-card" aria-busy=${!told}>
    ${image}
    <div><small>${new URL(urls.app).host}</small><b dir="auto">${title}</b><p dir="auto">${opening}</p></div>
  </article>`;
}
