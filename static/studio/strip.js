/* The strip of scenes: a listbox with one tab stop, ordered by pointer, by touch, by keys and by buttons. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";
import { onKey } from "./strip-keys.js";

export function strip(studio) {
  const { draft, selected, writes } = studio;
  const { scenes } = draft;
  return html`
    <div class="strip-head">
      <h2 class="small-head">Scenes</h2>
      ${
        writes
          ? html`<button class="icon-button" type="button" title="New scene" aria-label="New scene"
        @click=${() => studio.addScene()}>+</button>`
          : nothing
      }
    </div>
    <button class="thumb thumb-story" type="button" aria-pressed=${selected === "story"}
      @click=${() => studio.choose("story")}><span class="thumb-words">The whole capsule</span></button>
    <ol class="thumbs" role="listbox" aria-label="Scenes" aria-orientation="vertical"
      @keydown=${(event) => onKey(studio, event)}>
      ${scenes.map((scene, index) => thumb(studio, scene, index))}
    </ol>
    ${
      writes
        ? html`<button class="thumb thumb-add" type="button" @click=${() => studio.addScene()}>Add a scene</button>`
        : nothing
    }`;
}

function thumb(studio, scene, index) {
  const { draft, selected, writes } = studio;
  const current = scene.id === draft.nameOf(selected);
  const stop = current || (!index && selected === "story"); // the strip is one stop of the Tab key
  const percent = percentOf(scene);
  const missing = studio.check.missingIn(scene, index).length;
  const others = studio.pulse.othersIn(scene.id);
  return html`
    <li class="thumb" role="option" data-scene=${scene.id} tabindex=${stop ? 0 : -1}
      aria-selected=${current} @click=${() => studio.choose(scene.id)}
      @pointerdown=${(event) => writes && studio.drag(event, (place) => studio.moveTo(scene.id, place))}>
      <span class="thumb-number">${aside("Scene")}${index + 1}${aside(`of ${draft.scenes.length}:`)}</span>
      ${picture(studio, scene)}
      <span class="thumb-words">${nameOf(scene)}</span>
      <span class="thumb-badges">
        ${percent === null ? nothing : html`<span class="thumb-badge">${percent} %${aside("prepared")}</span>`}
        ${missing ? html`<span class="thumb-badge thumb-missing">! ${missing}${aside("missing")}</span>` : nothing}
      </span>
      ${others.map((who) => html`<span class="thumb-who" title="${who} has this scene open">${initials(who)}</span>`)}
    </li>`;
}

const aside = (words) => html`<span class="visually-hidden"> ${words} </span>`;

function picture(studio, scene) {
  const url = studio.pictureOf(scene);
  if (!url) return html`<span class="thumb-empty">${scene.still ? "Being prepared" : "No picture"}</span>`;
  const [x, y] = scene.focus;
  return html`<img src=${url} alt="" loading="lazy" draggable="false"
    .style=${`object-position: ${x * 100}% ${y * 100}%`}>`;
}

export function nameOf(scene) {
  return scene.title || scene.text.trim().split(/\s+/).slice(0, 7).join(" ") || "No text yet";
}

export function initials(name) {
  return name
    .split(/[\s@.]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((part) => part[0].toUpperCase())
    .join("");
}

/** How far its rendering is; null where nothing is being rendered. */
export function percentOf({ rendering }) {
  const parts = [rendering?.still, rendering?.animation].filter(Boolean);
  const busy = parts.filter(({ state }) => state === "queued" || state === "running");
  if (!busy.length) return null;
  return Math.round(
    parts.reduce((sum, part) => sum + (part.state === "done" ? 100 : part.percent || 0), 0) / parts.length,
  );
}
