/* Two people changed the same field: both texts, and three ways on. The rest goes on saving. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";
import { STORY } from "./draft.js";
import { addScene } from "./scenes.js";

const NAMES = { title: "heading", text: "text", alt: "alternative text", summary: "sentence under the title" };

const shown = new WeakSet(); // conflicts whose cards were brought into view

export function conflictCard(studio, target) {
  const fields = studio.draft.conflicts.get(studio.draft.nameOf(target));
  if (!fields) return nothing;
  bringIntoView(studio, fields);
  return Object.entries(fields).map(
    ([field, { mine, theirs, by }]) => html`
    <section class="card conflict" aria-label="Two versions">
      <h3>${whoChanged(studio, by, target === STORY && field === "title" ? "title" : NAMES[field] || field)}</h3>
      <p class="conflict-label">${by?.id === studio.user ? "In the other tab" : "Theirs"}, which is saved</p>
      <blockquote dir="auto">${compared(theirs, mine)}</blockquote>
      <p class="conflict-label">${by?.id === studio.user ? "Here" : "Yours"}, kept in the history</p>
      <blockquote dir="auto">${compared(mine, theirs)}</blockquote>
      <div class="button-row">
        <button class="pill" type="button" @click=${() => resolve(studio.draft, target, field, mine)}>Keep mine</button>
        <button class="pill" type="button" @click=${() => resolve(studio.draft, target, field, theirs)}>
          Take theirs</button>
        ${
          target !== STORY && field === "text"
            ? html`<button class="pill" type="button"
          @click=${() => both(studio, target, field, mine, theirs)}>Keep both: mine as a new scene</button>`
            : nothing
        }
      </div>
    </section>`,
  );
}

function whoChanged(studio, by, what) {
  if (by?.id === studio.user) return `You changed the ${what} in another tab`;
  return `${by?.name ?? "Somebody else"} changed the ${what} too`;
}

/** A card stands above all fields: whoever types in one further down would not see that it came. */
function bringIntoView(studio, fields) {
  if (shown.has(fields)) return;
  shown.add(fields);
  requestAnimationFrame(() => document.querySelector(".conflict")?.scrollIntoView({ block: "nearest" }));
  studio.say("This was changed elsewhere, too. Both versions are above the fields.");
}

function resolve(draft, target, field, value) {
  const fields = { ...draft.conflicts.get(target) };
  delete fields[field];
  if (Object.keys(fields).length) draft.conflicts.set(target, fields);
  else draft.conflicts.delete(target);
  draft.edit(target, { [field]: value });
}

function both(studio, target, field, mine, theirs) {
  resolve(studio.draft, target, field, theirs);
  addScene(studio, target, { [field]: mine });
}

/** The text, with the words marked that the other one does not have in that place. */
export function compared(text, other) {
  if (typeof text !== "string") return JSON.stringify(text);
  const [words, others] = [text.split(/(\s+)/), String(other).split(/(\s+)/)];
  const kept = common(words, others);
  return words.map((word, index) => (kept.has(index) || !word.trim() ? word : html`<mark>${word}</mark>`));
}

/** Positions in `one` of a longest run of words that both have in the same order. */
function common(one, two) {
  const rows = Array.from({ length: one.length + 1 }, () => new Uint16Array(two.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = two.length - 1; j >= 0; j -= 1) {
      rows[i][j] = one[i] === two[j] ? rows[i + 1][j + 1] + 1 : Math.max(rows[i + 1][j], rows[i][j + 1]);
    }
  }
  const kept = new Set();
  for (let i = 0, j = 0; i < one.length && j < two.length; ) {
    if (one[i] === two[j]) {
      kept.add(i);
      i += 1;
      j += 1;
    } else if (rows[i + 1][j] >= rows[i][j + 1]) i += 1;
    else j += 1;
  }
  return kept;
}
