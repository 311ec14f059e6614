/* The sums of publishing/looks.py, and of `side_of` in publishing/pages/views.py, so that the stage shows a look at
   once and the editor can say what becomes of an accent. */

import { lengthOf } from "./lengths.js";

const DARK = ["night", "ink"];
/** @type {Record<string, number>} */
const GROUNDS = { night: 0.055, ink: 0.03, day: 0.62, paper: 0.58 };
const CONTRAST = 4.8;
const STEPS = 50;
const [FEW, MANY] = [48, 320];
const LOW = 0.62;

/** An accent as it is shown on a theme: itself, or what it becomes until it can be read.
    @param {string} accent
    @param {string} theme */
export function legible(accent, theme) {
  const target = DARK.includes(theme) ? 255 : 0;
  const own = partsOf(accent);
  let mixed = own;
  for (let step = 0; step <= STEPS; step += 1) {
    mixed = own.map((part) => Math.round(part + ((target - part) * step) / STEPS));
    if (contrast(luminance(mixed.map(rounded)), GROUNDS[theme]) >= CONTRAST) break;
  }
  return `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** Whether dark letters stand out from a colour better than white ones.
    @param {string} colour */
export function isBright(colour) {
  return luminance(partsOf(colour)) > 0.18;
}

/** Red, green and blue of "#rrggbb".
    @param {string} colour */
export const partsOf = (colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/** As the classes of looks.css have it, in steps of eight.
    @param {number} part */
export const rounded = (part) => part - (part % 8) + 4;

/** Where words stand that have no place of their own: opposite the focus.
    @param {{place?: string, focus: number[]}} scene */
export const placeOf = ({ place = "auto", focus }) => (place !== "auto" ? place : focus[1] > LOW ? "high" : "low");

/** @param {{size?: string, text: string}} scene */
export function sizeOf({ size = "auto", text }) {
  if (size !== "auto") return size;
  const words = text.trim();
  const length = lengthOf(words);
  if (length <= FEW && !words.includes("\n")) return "large";
  return length > MANY ? "small" : "usual";
}

/** The side that the focus leaves free for words, in the direction of the page.
    @param {{focus: number[]}} scene
    @param {boolean} isMirrored */
export const sideOf = ({ focus: [x] }, isMirrored) => ((isMirrored ? 1 - x : x) < 0.47 ? "end" : "start");

/** @param {number[]} parts */
function luminance(parts) {
  const [red, green, blue] = parts.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {number} one
    @param {number} other */
const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
