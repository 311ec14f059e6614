/* Our words in the language of the page, which brings them along where it is not English (config/words/scripts.py).
   `{name}` in a sentence is the place of a value. */

/** @typedef {Record<string, string | number>} Values */

const lang = `${document.documentElement.lang}-u-nu-latn`; // the digits 0 to 9, as on every page
const forms = new Intl.PluralRules(lang); // once: to make one takes longer than all else of a sentence
/** @type {Record<string, any>} a sentence; or its forms, by the categories of Intl.PluralRules */
const catalogue = {};
for (const each of document.querySelectorAll("[data-words]"))
  Object.assign(catalogue, JSON.parse(each.textContent ?? ""));

/** @param {string} words
    @param {Values} [values] */
export const t = (words, values) => put(catalogue[words] ?? words, values);

/** `many` has the number at `{n}`.
    @param {string} one
    @param {string} many
    @param {number} n
    @param {Values} [values] */
export const plural = (one, many, n, values) =>
  put(catalogue[one]?.[forms.select(n)] ?? (n === 1 ? one : many), { n, ...values });

/** Numbers are written as the language has them; places without a value stay.
    @param {string} words
    @param {Values} values */
const put = (words, values = {}) =>
  words.replace(/{(\w+)}/g, (place, name) => values[name]?.toLocaleString(lang) ?? place);
