/* The strip of scenes: a listbox with one tab stop, ordered by pointer, by touch, by keys and by buttons. */

import { writes } from "./boot.js";
import { check } from "./check.js";
import { html, nothing } from "./lit.js";
import { choose, selected } from "./navigation.js";
import { pictureOf } from "./pictures.js";
import { pulse } from "./presence.js";
import { addScene, dragScene, moveScene } from "./scene-commands.js";
import { draft } from "./store.js";
import { onKey } from "./strip-keys.js";
import { uploads } from "./upload-list.js";
import { t } from "./words.js";

/** @typedef {import("./fold.js").Scene} Scene */

export function strip() {
  return html`
    <div class="strip-head">
      <h2 class="small-head">${t("Scenes")}</h2>
      ${
        writes
          ? html`<button class="icon-button" type="button" title=${t("New scene")} aria-label=${t("New scene")}
        @click=${addScene}>+</button>`
          : nothing
      }
    </div>
    <button class="thumb thumb-story" type="button" aria-pressed=${selected === "story"}
      @click=${() => choose("story")}><span class="thumb-words">${t("The whole capsule")}</span></button>
    <ol class="thumbs" role="listbox" aria-label=${t("Scenes")} aria-orientation="vertical"
      @keydown=${onKey}>
      ${draft.scenes.map(thumb)}
    </ol>
    ${
      writes
        ? html`<button class="thumb thumb-add" type="button" @click=${addScene}>${t("Add a scene")}</button>`
        : nothing
    }`;
}

/** @param {Scene} scene
    @param {number} index */
function thumb(scene, index) {
  const current = scene.id === draft.nameOf(selected);
  const stop = current || (!index && selected === "story"); // the strip is one stop of the Tab key
  const percent = percentOf(scene);
  const missing = check.missingIn(scene, index).length;
  const others = pulse.othersIn(scene.id);
  const [before, behind] = t("Scene {place} of {count}:", { count: draft.scenes.length }).split("{place}");
  return html`
    <li class="thumb" role="option" data-scene=${scene.id} tabindex=${stop ? 0 : -1}
      aria-selected=${current} @click=${() => choose(scene.id)}
      @pointerdown=${(event) => writes && dragScene(event, event.currentTarget, (place) => moveScene(scene.id, place))}>
      <span class="thumb-number">${aside(before)}${index + 1}${aside(behind)}</span>
      ${picture(scene)}
      <span class="thumb-words">${nameOf(scene)}</span>
      <span class="thumb-badges">
        ${percent === null ? nothing : html`<span class="thumb-badge">${percent} %${aside(t("prepared"))}</span>`}
        ${missing ? html`<span class="thumb-badge thumb-missing">! ${missing}${aside(t("missing"))}</span>` : nothing}
      </span>
      ${others.map(
        (name) => html`
      <span class="thumb-who" title=${t("{name} has this scene open", { name })}>${initials(name)}</span>`,
      )}
    </li>`;
}

/** @param {string} words */
const aside = (words) => html`<span class="visually-hidden"> ${words} </span>`;

/** @param {Scene} scene */
function picture(scene) {
  const url = pictureOf(scene);
  if (!url) return html`<span class="thumb-empty">${withoutPicture(scene)}</span>`;
  const [x, y] = scene.focus;
  return html`<img src=${url} alt="" loading="lazy" draggable="false"
    .style=${`--x: ${x * 100}%; --y: ${y * 100}%`}>`;
}

/** What stands where the picture of a scene will be.
    @param {Scene} scene */
export function withoutPicture({ id, still }) {
  if (still) return t("Being prepared");
  return uploads.fromElsewhere(id).length ? t("On its way") : t("No picture");
}

/** @param {Scene} scene */
export function nameOf(scene) {
  return scene.title || scene.text.trim().split(/\s+/).slice(0, 7).join(" ") || t("No text yet");
}

/** @param {string} name */
export function initials(name) {
  return name
    .split(/[\s@.]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((part) => part[0].toUpperCase())
    .join("");
}

/** @param {import("./fold.js").Rendering | null} part */
export const isBusy = (part) => part?.state === "queued" || part?.state === "running";

/** How far its rendering is; null where nothing is being rendered.
    @param {Scene} scene */
export function percentOf({ rendering }) {
  const parts = [rendering?.still, rendering?.animation].filter((part) => part != null);
  if (!parts.some(isBusy)) return null;
  return Math.round(
    parts.reduce((sum, part) => sum + (part.state === "done" ? 100 : part.percent || 0), 0) / parts.length,
  );
}
