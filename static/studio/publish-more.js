/* What a publish asks for that can be decided later: who finds the capsule, its share buttons, its brand. */

import { isUpToDate } from "./bar.js";
import { choices } from "./boot.js";
import { html, nothing } from "./lit.js";
import { redraw } from "./redraw.js";
import { t } from "./words.js";

/** What was unfolded is seen whole, above the buttons of the dialog.
    @param {Event} event */
function whole({ currentTarget }) {
  const details = /** @type {HTMLDetailsElement} */ (currentTarget);
  if (details.open) details.scrollIntoView({ block: "nearest" });
}

/** Folded, unless it is what somebody came for.
    @param {import("./publishing.js").Publishing} publishing */
export function more(publishing) {
  const { brands, readers } = choices;
  return html`<details class="publish-more" ?open=${isUpToDate()}
    @toggle=${whole}>
    <summary>${t("More")} <span class="hint">${inShort(publishing)}</span></summary>
    <fieldset class="choices"><legend>${t("Who sees it")}</legend>
      ${readers.map(([value, words]) => {
        const unlisted = value === "unlisted";
        return choice("unlisted", words, publishing.unlisted === unlisted, () => {
          publishing.unlisted = unlisted;
        });
      })}
      <label class="choice"><input type="checkbox" .checked=${publishing.shares}
        @change=${({ target }) => {
          publishing.shares = target.checked;
          redraw();
        }}> ${t("Share buttons")}</label>
    </fieldset>
    ${
      (publishing.options?.publicationModes.length ?? 0) > 1
        ? html`<fieldset class="choices"><legend>${t("Brand")}</legend>
      ${brands.map(([value, words]) =>
        choice("brand", words, publishing.brand === value, () => {
          publishing.brand = value;
        }),
      )}</fieldset>`
        : nothing
    }
  </details>`;
}

/** What is chosen, in words that end at the first colon.
    @param {import("./publishing.js").Publishing} publishing */
function inShort({ unlisted, shares, brand, options }) {
  const reader = choices.readers.find(([value]) => (value === "unlisted") === unlisted);
  const chosen = choices.brands.find(([value]) => value === brand);
  const parts = [reader?.[1], shares ? t("Share buttons") : t("No share buttons")];
  if ((options?.publicationModes.length ?? 0) > 1) parts.push(chosen?.[1]);
  return parts.map((words) => words?.split(":")[0]).join(" · ");
}

/** @param {string} name
    @param {string} words
    @param {boolean} chosen
    @param {() => void} choose */
function choice(name, words, chosen, choose) {
  return html`<label class="choice"><input type="radio" name=${name} .checked=${chosen}
    @change=${() => {
      choose();
      redraw();
    }}> ${words}</label>`;
}
