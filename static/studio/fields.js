/* One field of the inspector: its label, its hint, and what the service has against it. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";
import { STORY } from "./draft.js";

/** One text field; what is typed goes into the draft at once. */
export function field(studio, row, { name, words, rows, hint, offer, focused }) {
  const target = row === studio.draft.story || row.workspaceId ? STORY : row.id;
  const id = `field-${name}`;
  const { writes } = studio;
  const typed = ({ currentTarget }) => studio.type(target, name, currentTarget.value, words);
  const left = () => studio.leftField();
  const fault = studio.faultOf(target, name);
  const notes = `${id}-hint${fault ? ` ${id}-fault` : ""}`;
  const common = { id, name, fault, notes, typed, left, writes, focused };
  return html`<div class="field">
    <label for=${id}>${words}</label>
    ${rows ? area(common, rows) : line(common)}
    <p class="hint" id="${id}-hint">${hint || ""}</p>
    ${fault ? html`<p class="fault" id="${id}-fault">${fault}</p>` : nothing}
    ${offer || nothing}
  </div>`;
}

// `data-field` names what drawing.js writes into it. No maxlength: browsers cut pasted words with it, in silence.
const area = ({ id, name, fault, notes, typed, left, writes }, rows) => html`
  <textarea class="input" id=${id} data-field=${name} rows=${rows} dir="auto" ?readonly=${!writes}
    aria-describedby=${notes} aria-invalid=${Boolean(fault)} @input=${typed} @blur=${left}></textarea>`;
const line = ({ id, name, fault, notes, typed, left, writes, focused }) => html`
  <input class="input" id=${id} data-field=${name} dir="auto" ?readonly=${!writes}
    aria-describedby=${notes} aria-invalid=${Boolean(fault)} @input=${typed} @blur=${left} @focus=${focused}>`;

export function problem(studio, target, name) {
  const fault = studio.faultOf(target, name);
  return fault ? html`<p class="fault">${fault}</p>` : nothing;
}
