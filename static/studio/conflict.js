/* Two people changed the same field (merging.js finds it): both texts, and three ways on. The rest goes on saving. */

import { say } from "./announcements.js";
import { user } from "./boot.js";
import { STORY } from "./fold.js";
import { html, nothing } from "./lit.js";
import { focusField } from "./navigation.js";
import { addScene } from "./scenes.js";
import { draft } from "./store.js";
import { t } from "./words.js";
import { common } from "./words-in-common.js";

/** @typedef {import("./fold.js").Person | undefined} Writer */

/** @type {Record<string, string>} */
const NAMES = {
  title: t("heading"),
  text: t("text"),
  alt: t("alternative text"),
  summary: t("sentence under the title"),
  author: t("author"),
  language: t("language"),
  cover: t("cover"),
  look: t("look"),
  editionLabel: t("name of this edition"),
  still: t("picture"),
  film: t("film"),
  animation: t("movement"),
  focus: t("focus"),
  trim: t("part of the film"),
  place: t("place of the words"),
  size: t("size of the words"),
  fit: t("fit"),
  finale: t("finale"),
};

const shown = new WeakSet(); // conflicts whose cards were brought into view

/** @param {string} target */
export function conflictCard(target) {
  const fields = draft.conflicts.get(draft.nameOf(target));
  if (!fields) return nothing;
  bringIntoView(fields);
  return Object.entries(fields).map(
    ([field, { mine, theirs, by }]) => html`
    <section class="card conflict" aria-label=${t("Two versions")}>
      <h3>${whoChanged(by, target === STORY && field === "title" ? t("title") : NAMES[field] || field)}</h3>
      <p class="conflict-label">${
        by?.id === user ? t("In the other tab, which is saved") : t("Theirs, which is saved")
      }</p>
      <blockquote dir="auto">${compared(theirs, mine)}</blockquote>
      <p class="conflict-label">${
        by?.id === user ? t("Here, kept in the history") : t("Yours, kept in the history")
      }</p>
      <blockquote dir="auto">${compared(mine, theirs)}</blockquote>
      <div class="button-row">
        <button class="pill" type="button" @click=${() => resolve(target, field, mine)}>${t("Keep mine")}</button>
        <button class="pill" type="button" @click=${() => resolve(target, field, theirs)}>
          ${t("Take theirs")}</button>
        ${
          target !== STORY && field === "text"
            ? html`<button class="pill" type="button"
          @click=${() => both(target, field, mine, theirs)}>${t("Keep both: mine as a new scene")}</button>`
            : nothing
        }
      </div>
    </section>`,
  );
}

/** @param {Writer} by
    @param {string} what */
function whoChanged(by, what) {
  if (by?.id === user) return t("You changed the {what} in another tab", { what });
  return by?.name
    ? t("{name} changed the {what} too", { name: by.name, what })
    : t("Somebody else changed the {what} too", { what });
}

/** A card stands above all fields: whoever types in one further down would not see that it came.
    @param {object} fields */
function bringIntoView(fields) {
  if (shown.has(fields)) return;
  shown.add(fields);
  requestAnimationFrame(() => document.querySelector(".conflict")?.scrollIntoView({ block: "nearest" }));
  say(t("This was changed elsewhere, too. Both versions are above the fields."));
}

/** @param {string} target
    @param {string} field
    @param {any} value */
function resolve(target, field, value) {
  const fields = { ...draft.conflicts.get(target) };
  delete fields[field];
  if (Object.keys(fields).length) draft.conflicts.set(target, fields);
  else draft.conflicts.delete(target);
  draft.edit(target, { [field]: value });
  focusField(field); // the button that was pressed goes
}

/** @param {string} target
    @param {string} field
    @param {any} mine
    @param {any} theirs */
function both(target, field, mine, theirs) {
  resolve(target, field, theirs);
  addScene(target, { [field]: mine });
  focusField(field);
}

/** The text, with the words marked that the other one does not have in that place.
    @param {unknown} text
    @param {unknown} other */
function compared(text, other) {
  if (typeof text !== "string") return JSON.stringify(text);
  const [words, others] = [text.split(/(\s+)/), String(other).split(/(\s+)/)];
  const kept = common(words, others);
  return words.map((word, index) => (kept.has(index) || !word.trim() ? word : html`<mark>${word}</mark>`));
}
