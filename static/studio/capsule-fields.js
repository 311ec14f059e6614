/* The fields of the whole capsule. */

import { languages, writes } from "./boot.js";
import { chooseCover, setFields } from "./editing.js";
import { field, problem } from "./fields.js";
import { isUntitled, STORY } from "./fold.js";
import { part } from "./lazy.js";
import { html, nothing } from "./lit.js";
import { live } from "./live.js";
import { pictureOf } from "./pictures.js";
import { draft } from "./store.js";
import { nameOf } from "./strip.js";
import { t } from "./words.js";

const looks = part("looks");

export function capsuleFields() {
  const { story } = draft;
  document.title = `${story.title || t("Untitled")} · ${t("Studio")}`;
  return html`
    ${field(story, { name: "title", words: t("Title"), focused: replaceUntitled })}
    ${field(story, { name: "summary", words: t("One sentence under the title"), rows: 2 })}
    ${field(story, { name: "author", words: t("Author"), hint: t("Shown under the title") })}
    <label class="field"><span>${t("Language")}</span>
      <select class="input" id="field-language" ?disabled=${!writes}
        @change=${({ target }) => setFields(STORY, { language: target.value }, t("Language"))}>
        ${languages.map(
          ([tag, name]) => html`<option value=${tag} .selected=${tag === story.language}>${name}</option>`,
        )}
      </select></label>
    ${problem(STORY, "language")}
    <fieldset class="choices" ?disabled=${!writes}>
      <legend>${t("Cover")}</legend>
      <div class="covers">
        ${draft.scenes.length ? coverChoice(t("The first scene"), draft.scenes[0], null) : nothing}
        ${draft.scenes.map((scene, index) => coverChoice(`${index + 1}. ${nameOf(scene)}`, scene, scene.id))}
      </div>
      ${problem(STORY, "cover")}
    </fieldset>
    ${looks.use()?.capsuleLook()}
    ${
      story.capsuleId
        ? html`
      ${field(story, { name: "editionLabel", words: t("Name of this edition, as readers see it") })}
      <label class="choice"><input type="checkbox" .checked=${story.shown} ?disabled=${!writes}
        @change=${({ target }) => setFields(STORY, { shown: target.checked }, t("Shown to readers"))}>
        ${t("Readers can switch to this edition")}</label>`
        : nothing
    }
    ${live().panel()}`;
}

/** One picture that lists and link previews can show.
    @param {string} words
    @param {import("./fold.js").Scene} scene whose picture it is
    @param {string | null} id null: whichever scene is the first */
function coverChoice(words, scene, id) {
  const url = pictureOf(scene);
  const [x, y] = scene.focus;
  return html`<label class="cover-choice">
    <input type="radio" name="cover" value=${id ?? ""} .checked=${id === (draft.story.cover ?? null)}
      @change=${() => chooseCover(id)}>
    ${
      url
        ? html`<img src=${url} alt="" loading="lazy" .style=${`--x: ${x * 100}%; --y: ${y * 100}%`}>`
        : html`<span class="thumb-empty">${t("No picture")}</span>`
    }
    <span class="cover-words">${words}</span></label>`;
}

/** The title that a new capsule comes with is there to be written over.
    @param {{currentTarget: HTMLInputElement}} event */
function replaceUntitled({ currentTarget }) {
  if (isUntitled(currentTarget.value)) currentTarget.select();
}
