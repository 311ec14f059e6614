/* The checklist as it is shown: every row leads to its field. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";

const FIELD = { animation: "animation", still: "still", text: "text", finale: "finale", alt: "alt", title: "title" };

export function checklist(studio) {
  const { musts, advice, known } = studio.check;
  if (!known) return html`<p class="hint">Looking…</p>`;
  const rows = (list) => html`<ul class="rows">${list.map((each) => row(studio, each))}</ul>`;
  return html`
    <h3>To publish</h3>
    ${musts.length ? rows(musts) : html`<p>Everything is there.</p>`}
    ${advice.length ? html`<h3>To make it better</h3>${rows(advice)}` : nothing}`;
}

export function row(studio, { path, message, sceneId }) {
  const place = studio.draft.scenes.findIndex(({ id }) => id === sceneId);
  const where = sceneId && place >= 0 ? `Scene ${place + 1}: ` : "";
  return html`<li><button class="row-link" type="button" @click=${() => lead(studio, path, sceneId)}>
    ${where}${message}</button></li>`;
}

function lead(studio, path, sceneId) {
  studio.closeDialogs();
  const name = path.split(".").at(-1);
  if (path === "scenes") document.querySelector(".thumb-add")?.focus();
  else studio.open(sceneId || "story", FIELD[name] || name);
}
