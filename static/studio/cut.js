/* Cuts a long text into texts for scenes: a paragraph each, and long paragraphs between their sentences. */

import { lengthOf, SCREEN } from "./lengths.js";

/** The texts, in order; together they have every word. `most` is how long a paragraph stays whole, `limit` what a scene
    can hold.
    @param {string} text */
export function pieces(text, { most = SCREEN, limit = 2000 } = {}) {
  const lines = text.replace(/\r\n?/g, "\n").trim();
  const border = /\n[^\S\n]*\n/.test(lines) ? /\n[^\S\n]*\n\s*/ : /\n/; // some programs part paragraphs by one line end
  const paragraphs = lines.split(border).map((paragraph) => paragraph.trim());
  return paragraphs.filter(Boolean).flatMap((paragraph) => cut(paragraph, most, limit));
}

/** @param {string} paragraph
    @param {number} most
    @param {number} limit */
function cut(paragraph, most, limit) {
  if (lengthOf(paragraph) <= most) return [paragraph];
  const made = [""];
  for (const part of sentences(paragraph).flatMap((sentence) => shorter(sentence, limit))) {
    if (made.at(-1) && lengthOf((made.at(-1) + part).trim()) > most) made.push("");
    made.push(made.pop() + part);
  }
  return made.map((each) => each.trim()).filter(Boolean);
}

/** @param {string} text */
function sentences(text) {
  return [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)].map(({ segment }) => segment);
}

/** A sentence that no scene can hold is cut between words, and a word like that anywhere.
    @param {string} sentence
    @param {number} limit */
function shorter(sentence, limit) {
  if (lengthOf(sentence.trim()) <= limit) return [sentence];
  const made = [""];
  for (const word of sentence.match(/\S+\s*|\s+/g) ?? []) {
    const letters = [...word];
    for (let at = 0; at < letters.length; at += limit) {
      const part = letters.slice(at, at + limit).join("");
      if (made.at(-1) && lengthOf((made.at(-1) + part).trim()) > limit) made.push("");
      made.push(made.pop() + part);
    }
  }
  return made;
}
