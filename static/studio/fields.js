/* One field of the inspector: its label, its hint, and what the service has against it. */

import { limits, writes } from "./boot.js";
import { leaveField, type } from "./editing.js";
import { STORY } from "./fold.js";
import { messageOf } from "./held-fields.js";
import { html, nothing } from "./lit.js";
import { draft } from "./store.js";
import { plural } from "./words.js";

/**
 * @typedef {object} Look how a field is shown
 * @property {string} name
 * @property {string} words
 * @property {number} [rows] of a field for several lines
 * @property {string} [hint]
 * @property {import("./lit.js").Content} [offer]
 * @property {Listener} [focused]
 */

/** One text field; what is typed goes into the draft at once.
    @param {import("./fold.js").Row} row
    @param {Look} look */
export function field(row, { name, words, rows, hint, offer, focused }) {
  const target = row === draft.story || row.workspaceId ? STORY : row.id;
  const id = `field-${name}`;
  /** @param {{currentTarget: HTMLInputElement}} event */
  const typed = ({ currentTarget }) => type(target, name, currentTarget.value, words);
  const fault = faultOf(target, name);
  const notes = `${id}-hint${fault ? ` ${id}-fault` : ""}`;
  const common = { id, name, notes, typed, focused, invalid: Boolean(fault) };
  return html`<div class="field">
    <label for=${id}>${words}</label>
    ${rows ? area(common, rows) : line(common)}
    <p class="hint" id="${id}-hint">${hint || ""}</p>
    ${fault ? html`<p class="fault" id="${id}-fault">${fault}</p>` : nothing}
    ${offer || nothing}
  </div>`;
}

// `data-field` names what drawing.js writes into it. No maxlength: browsers cut pasted words with it, in silence.
/** @typedef {(event: {currentTarget: HTMLInputElement}) => void} Listener */
/** @typedef {{id: string, name: string, notes: string, invalid: boolean}} Named */
/** @typedef {Named & {typed: Listener, focused?: Listener}} Common */

/** @param {Common} common
    @param {number} rows */
const area = ({ id, name, notes, typed, invalid }, rows) => html`
  <textarea class="input" id=${id} data-field=${name} rows=${rows} dir="auto" ?readonly=${!writes}
    aria-describedby=${notes} aria-invalid=${invalid} @input=${typed} @blur=${leaveField}></textarea>`;
/** @param {Common} common */
const line = ({ id, name, notes, typed, focused, invalid }) => html`
  <input class="input" id=${id} data-field=${name} dir="auto" ?readonly=${!writes}
    aria-describedby=${notes} aria-invalid=${invalid} @input=${typed} @blur=${leaveField} @focus=${focused}>`;

/** What is wrong with a field, as a person reads it; empty where nothing is.
    @param {string} target
    @param {string} name */
function faultOf(target, name) {
  const id = draft.nameOf(target);
  const most = (id === STORY ? limits.story : limits.scene)[name];
  const over = draft.excess(id, name, draft.find(id)?.[name]);
  if (!over) return messageOf(draft, id, name) ?? "";
  return plural(
    "1 character too many to be saved: there is room for {most}.",
    "{n} characters too many to be saved: there is room for {most}.",
    over,
    { most },
  );
}

/** @param {string} target
    @param {string} name */
export function problem(target, name) {
  const fault = faultOf(target, name);
  return fault ? html`<p class="fault">${fault}</p>` : nothing;
}
