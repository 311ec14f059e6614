/* Markup inside a sentence of ours. */

/** A sentence in the language of the page, as content, with values where its places are.
    @param {string} words
    @param {Record<string, import("./lit.js").Content>} values */
export const around = (words, values) => words.split(/{(\w+)}/).map((part, at) => (at % 2 ? values[part] : part));
