/* The focus of a picture in numbers: from the left and from the top, each from 0 to 1. */

/** @typedef {[x: number, y: number]} Point */

/** @param {number} part */
const round = (part) => Math.round(Math.max(0, Math.min(1, part)) * 1000) / 1000;

/** Where in a box a pointer is.
    @param {{left: number, top: number, width: number, height: number}} box
    @param {number} x
    @param {number} y
    @returns {Point} */
export const pointIn = ({ left, top, width, height }, x, y) => [round((x - left) / width), round((y - top) / height)];

/** A tenth on, as an arrow has it; undefined for other keys. Up is less from the top, and more on a lying slider.
    @param {Point} focus
    @param {0 | 1} axis
    @param {string} key
    @returns {Point | undefined} */
export function stepped([x, y], axis, key) {
  const down = axis ? 0.1 : -0.1;
  /** @type {Record<string, number>} */
  const steps = { ArrowLeft: -0.1, ArrowRight: 0.1, ArrowDown: down, ArrowUp: -down };
  const step = steps[key];
  if (!step) return undefined;
  return axis ? [x, round(y + step)] : [round(x + step), y];
}
