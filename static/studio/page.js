/* The page of the editor, drawn from what is known. */

import { bar, footBar } from "./bar.js";
import { whyNot, writes } from "./boot.js";
import { element } from "./element.js";
import { STORY } from "./fold.js";
import { inspector, turn } from "./inspector.js";
import { part } from "./lazy.js";
import { html, nothing, render } from "./lit.js";
import { focusStrip, selected } from "./navigation.js";
import { isComposing } from "./service-news.js";
import { stage } from "./stage.js";
import { draft } from "./store.js";
import { strip } from "./strip.js";
import { uploads } from "./upload-list.js";
import { t } from "./words.js";

/** @typedef {HTMLInputElement | HTMLTextAreaElement} Field */

const caret = part("caret");
const firstStep = part("first-step");
const drawn = new Set();

/** Draws a part of the page. What stands there without script goes when it is drawn first, and not before.
    @param {string} id
    @param {import("./lit.js").Content} content */
function draw(id, content) {
  const place = element(id);
  if (!drawn.has(id)) place.replaceChildren();
  drawn.add(id);
  render(content, place);
}

export const drawBar = () => draw("bar", bar());

export function drawPage() {
  drawBar();
  draw("strip", strip());
  draw("inspector", inspector());
  draw("foot", footBar());
  draw("stage-head", stageHead());
  draw("stage-start", begun() ? nothing : firstStep.use()?.stageStart());
  fillFields();
  focusStrip();
}

/** Puts values into the fields. News reach the one that somebody types in too, or the next key would undo them; but
    not a composed letter half way. */
function fillFields() {
  const row = selected === STORY ? draft.story : draft.scene(selected);
  /** @type {NodeListOf<Field>} */
  const fields = element("inspector").querySelectorAll("input[data-field], textarea[data-field]");
  for (const field of fields) {
    if (field.type === "checkbox") continue;
    const value = row?.[field.dataset.field ?? ""] ?? "";
    const typed = field === document.activeElement && field.dataset.of === row?.id;
    if (typed && isComposing) continue;
    field.dataset.of = row?.id;
    if (field.value === value) continue;
    if (typed && caret.here) caret.here.replace(field, value);
    else field.value = value;
  }
  /** @type {NodeListOf<HTMLInputElement>} */
  const movements = element("inspector").querySelectorAll("[name=animation]");
  // What a person chose in vain goes back: lit sets only what it drew otherwise before.
  for (const movement of movements) movement.checked = movement.value === row?.animation;
}

/** Whether there is a picture already, so that the first step needs no words. */
const begun = () => !writes || uploads.areComing || draft.scenes.some(({ still, film }) => still || film);

function stageHead() {
  const place = draft.placeOf(selected) + 1;
  return html`
    <div class="segmented" role="group" aria-label=${t("Shown as")}>${Object.entries(stage.devices).map(
      ([device, { name }]) => html`
      <button type="button" aria-pressed=${stage.device === device}
        @click=${() => stage.choose(device)}>${name}</button>`,
    )}</div>
    ${turn(html`<span>${place || "–"} / ${draft.scenes.length}</span>`)}
    ${writes ? nothing : html`<p class="hint">${whyNot}</p>`}`;
}
