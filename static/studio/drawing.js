/* How the editor's page is drawn from what is known: methods of the studio. */

import { html, nothing, render } from "../vendor/lit-html-3.3.3.js";
import { bar, footBar } from "./bar.js";
import { STORY } from "./draft.js";
import { inspector, turn } from "./inspector.js";
import { strip } from "./strip.js";

const drawn = new Set();

/** Where a part of the page is drawn. What stands there without script goes when it is drawn first, and not before. */
function place(id) {
  const element = document.getElementById(id);
  if (!drawn.has(id)) element.replaceChildren();
  drawn.add(id);
  return element;
}

/** Gives a field another text; a caret in it stays between the same letters. */
function replace(element, value, typed) {
  const { value: before, selectionStart, selectionEnd } = element;
  element.value = value;
  if (!typed) return;
  let alike = 0;
  while (alike < before.length && before[alike] === value[alike]) alike += 1;
  const place = (at) => (at <= alike ? at : Math.max(alike, at + value.length - before.length));
  element.setSelectionRange(place(selectionStart), place(selectionEnd));
}

export const drawing = {
  draw() {
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = null;
      this.drawNow();
    });
  },

  drawBar() {
    render(bar(this), place("bar"));
  },

  drawNow() {
    this.drawBar();
    render(strip(this), place("strip"));
    render(inspector(this), place("inspector"));
    render(footBar(this), place("foot"));
    render(this.stageHead(), place("stage-head"));
    render(this.begun() ? nothing : this.parts.use("start")?.stageStart(this), place("stage-start"));
    this.dialogs?.draw();
    this.fillFields();
    if (this.focusStrip) {
      document.querySelector(`#strip [data-scene="${CSS.escape(this.draft.nameOf(this.focusStrip))}"]`)?.focus();
      this.focusStrip = null;
    }
  },

  /** Puts values into the fields. News reach the one that somebody types in too, or the next key would undo them; but
      not a composed letter half way. */
  fillFields() {
    const row = this.selected === STORY ? this.draft.story : this.draft.scene(this.selected);
    for (const element of place("inspector").querySelectorAll("input[data-field], textarea[data-field]")) {
      if (element.type === "checkbox") continue;
      const value = row?.[element.dataset.field] ?? "";
      const typed = element === document.activeElement && element.dataset.of === row?.id;
      if (typed && this.composing) continue;
      element.dataset.of = row?.id;
      if (element.value !== value) replace(element, value, typed);
    }
  },

  /** Whether there is a picture already, so that the first step needs no words. */
  begun() {
    return !this.writes || this.uploads.all.size > 0 || this.draft.scenes.some(({ still, film }) => still || film);
  },

  stageHead() {
    const { stage, draft } = this;
    const place = draft.scenes.findIndex(({ id }) => id === draft.nameOf(this.selected)) + 1;
    return html`
      <div class="segmented" role="group" aria-label="Shown as">${Object.entries(stage.devices).map(
        ([device, { name }]) => html`
        <button type="button" aria-pressed=${stage.device === device}
          @click=${() => stage.choose(device)}>${name}</button>`,
      )}</div>
      ${turn(this, html`<span>${place || "–"} / ${draft.scenes.length}</span>`)}
      ${this.writes ? nothing : html`<p class="hint">${this.whyNot}</p>`}`;
  },
};
