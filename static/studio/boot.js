/* What the page brings along for its scripts. */

/** @typedef {[value: string, words: string, hint: string]} Choice */
/**
 * @typedef {object} Boot
 * @property {import("./fold.js").Served} draft
 * @property {{story: Record<string, number>, scene: Record<string, number>, scenes: number}} limits
 * @property {import("./fold.js").EmptyScene} emptyScene
 * @property {string} person a key of whoever the page was made for
 * @property {string} user
 * @property {Record<string, string>} urls
 * @property {boolean} writes
 * @property {string} whyNot
 * @property {boolean} shares
 * @property {boolean} isChanged whether readers get something else than the draft as it was when the page was made
 * @property {string | null} claims
 * @property {{levels: Choice[], readers: Choice[], brands: Choice[], emails: Choice[], lostBrand: string,
 *   noEmail: Record<string, string>}} choices
 * @property {[tag: string, name: string][]} languages
 * @property {boolean} hasEditions
 * @property {string} now
 * @property {string} told what came of the form before this page
 */

/** @type {Boot} */
const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "");
export const { draft: served, limits, person, user, urls, writes, whyNot, shares, claims, isChanged } = boot;
export const { choices, languages, hasEditions, emptyScene, told } = boot;

const ahead = Date.parse(boot.now) - Date.now(); // the device's clock may be a day off

export const serviceTime = () => Date.now() + ahead; // ms
