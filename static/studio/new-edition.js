/* The form of a new edition: the chosen language names it, where nobody has typed another name. */

/** @param {string} id */
const field = (id) => /** @type {HTMLInputElement} */ (document.getElementById(id));
const language = /** @type {HTMLSelectElement} */ (document.getElementById("language"));

const given = { label: "", name: "" };

/** @param {"label" | "name"} id
    @param {string} words */
function fill(id, words) {
  if (field(id).value && field(id).value !== given[id]) return;
  field(id).value = words;
  given[id] = words;
}

language.addEventListener("change", () => {
  fill("label", language.value && language.selectedOptions[0].text);
  fill("name", language.value.toLowerCase());
});
