/* How long a text is for a screen. */

export const SCREEN = 280; // characters that fit on a screen

/** @param {string} text */
export const lengthOf = (text) => [...text].length;
