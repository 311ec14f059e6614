/* The fields of the whole capsule. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";
import { STORY } from "./draft.js";
import { field, problem } from "./fields.js";
import { live } from "./live.js";

export function storyFields(studio) {
  const { draft, writes } = studio;
  const { story } = draft;
  return html`
    ${field(studio, story, { name: "title", words: "Title", focused: replaceUntitled })}
    ${field(studio, story, { name: "summary", words: "One sentence under the title", rows: 2 })}
    ${field(studio, story, { name: "author", words: "Author", hint: "Shown under the title" })}
    <label class="field"><span>Language</span>
      <select class="input" id="field-language" ?disabled=${!writes}
        @change=${({ target }) => studio.set(STORY, { language: target.value }, "Language")}>
        ${studio.languages.map(
          ([tag, name]) => html`<option value=${tag} ?selected=${tag === story.language}>${name}</option>`,
        )}
      </select></label>
    ${problem(studio, STORY, "language")}
    <label class="field"><span>Cover</span>
      <select class="input" data-field="cover" ?disabled=${!writes}
        @change=${({ target }) => studio.chooseCover(target.value || null)}>
        <option value="" ?selected=${!story.cover}>The first scene</option>
        ${draft.scenes.map(
          (scene, index) => html`<option value=${scene.id} ?selected=${scene.id === story.cover}>
          ${index + 1}. ${scene.title || scene.text.slice(0, 40) || "Scene"}</option>`,
        )}
      </select></label>
    ${
      story.capsuleId
        ? html`
      ${field(studio, story, { name: "editionLabel", words: "Name of this edition, as readers see it" })}
      <label class="choice"><input type="checkbox" .checked=${story.shown} ?disabled=${!writes}
        @change=${({ target }) => studio.set(STORY, { shown: target.checked }, "Shown to readers")}>
        Readers can switch to this edition</label>`
        : nothing
    }
    ${live(studio).panel()}`;
}

/** The title that a new capsule comes with is there to be written over. */
function replaceUntitled({ currentTarget }) {
  if (currentTarget.value === "Untitled") currentTarget.select();
}
