/* The look of the capsule, and of the words and the picture of one scene. */

import { legible } from "./accent.js";
import { writes } from "./boot.js";
import { setFields } from "./editing.js";
import { problem } from "./fields.js";
import { STORY } from "./fold.js";
import { html, nothing } from "./lit.js";
import { draft } from "./store.js";
import { trimStrip } from "./trim.js";
import { t } from "./words.js";

const THEMES = [
  ["night", t("Night")],
  ["day", t("Day")],
  ["paper", t("Paper")],
  ["ink", t("Ink")],
];
const FACES = [
  ["serif", t("Serif")],
  ["sans", t("Sans")],
  ["slab", t("Slab")],
];
const PLACES = [
  ["auto", t("Opposite the focus")],
  ["top", t("At the top")],
  ["middle", t("In the middle")],
  ["bottom", t("At the bottom")],
];
const SIZES = [
  ["auto", t("By their length")],
  ["large", t("Large")],
  ["small", t("Small")],
];
const FITS = [
  ["auto", t("By its shape")],
  ["cover", t("Fill the screen")],
  ["contain", t("Stand whole")],
];
const USUAL = "#c8553d"; // where the picker of an accent begins

/** How the words of a scene stand, and its picture or film.
    @param {import("./fold.js").Scene} scene */
export function sceneLook(scene) {
  /** @param {string} name
      @param {string} words
      @param {string[][]} choices */
  const one = (name, words, choices) => {
    /** @param {string} value */
    const choose = (value) => setFields(scene.id, { [name]: value }, words);
    return html`${choice(`field-${name}`, words, choices, scene[name] ?? "auto", choose)}
      ${problem(scene.id, name)}`;
  };
  return html`
    ${one("place", t("Place of the words"), PLACES)}
    ${one("size", t("Size of the words"), SIZES)}
    ${one("fit", scene.film ? t("Film") : t("Picture"), FITS)}
    ${scene.film && scene.animation === "film" ? trimStrip(scene, scene.film) : nothing}`;
}

/** @param {string} id
    @param {string} words
    @param {string[][]} choices
    @param {string} chosen
    @param {(value: string) => void} choose */
const choice = (id, words, choices, chosen, choose) => html`
  <label class="field"><span>${words}</span>
    <select class="input" id=${id} ?disabled=${!writes} @change=${({ target }) => choose(target.value)}>
      ${choices.map(([value, name]) => html`<option value=${value} .selected=${value === chosen}>${name}</option>`)}
    </select></label>`;

/** Theme, typeface and accent of the capsule. */
export function capsuleLook() {
  const { look } = draft.story;
  if (!look) return nothing;
  /** Changes a part of the look as it is by now: what was chosen before may not be drawn yet.
      @param {import("./fold.js").Fields} part
      @param {string} what */
  const set = (part, what) => setFields(STORY, { look: { ...draft.story.look, ...part } }, what);
  return html`<fieldset class="choices" ?disabled=${!writes}>
    <legend>${t("Look")}</legend>
    <div class="swatches">${THEMES.map(
      ([value, name]) => html`<label class="swatch swatch-${value}">
        <input type="radio" name="theme" value=${value} .checked=${look.theme === value}
          @change=${() => set({ theme: value }, t("Theme"))}> ${name}</label>`,
    )}</div>
    ${choice("field-face", t("Typeface"), FACES, look.face, (face) => set({ face }, t("Typeface")))}
    <label class="field"><span>${t("Accent")}</span>
      <input class="accent-picker" type="color" id="field-accent" .value=${look.accent ?? USUAL}
        @change=${({ target }) => set({ accent: target.value }, t("Accent"))}></label>
    ${
      look.accent
        ? html`<p class="hint">${wordsOn(look.accent, look.theme)}</p>
          <button class="linklike" type="button" @click=${() => set({ accent: null }, t("Accent"))}>
            ${t("The theme's own accent")}</button>`
        : html`<p class="hint">${t("The theme's own accent.")}</p>`
    }
    ${problem(STORY, "look")}
    <p class="hint">${t("Readers see a new look after the next publish.")}</p>
  </fieldset>`;
}

/** @param {string} accent
    @param {string} theme */
function wordsOn(accent, theme) {
  const shown = legible(accent, theme);
  if (shown === accent.toLowerCase()) return t("Shown as it is.");
  return ["night", "ink"].includes(theme)
    ? t("Lightened to {shown}, so that it can be read.", { shown })
    : t("Darkened to {shown}, so that it can be read.", { shown });
}
