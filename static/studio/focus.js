/* The point of a picture that every crop keeps: by a click, a drag, two sliders or nine presets. */

import { setFields } from "./editing.js";
import { problem } from "./fields.js";
import { pointIn, stepped } from "./focus-point.js";
import { html, nothing } from "./lit.js";
import { pictureOf } from "./pictures.js";
import { t } from "./words.js";

/** @typedef {import("./fold.js").Scene} Scene */
/** @typedef {[x: number, y: number]} Point */
/** @typedef {(focus: Point) => void} Commit */

/** @type {[words: string, left: number, top: number][]} */
const PRESETS = [
  [t("top left"), 0.2, 0.2],
  [t("top centre"), 0.5, 0.2],
  [t("top right"), 0.8, 0.2],
  [t("middle left"), 0.2, 0.5],
  [t("middle centre"), 0.5, 0.5],
  [t("middle right"), 0.8, 0.5],
  [t("bottom left"), 0.2, 0.8],
  [t("bottom centre"), 0.5, 0.8],
  [t("bottom right"), 0.8, 0.8],
];

/** @param {Scene} scene */
export function focusPicker(scene) {
  const url = pictureOf(scene);
  const [x, y] = scene.focus;
  const style = `object-position: ${x * 100}% ${y * 100}%`;
  /** @type {Commit} */
  const commit = (focus) => setFields(scene.id, { focus }, t("Focus"));
  /** @param {string} words
      @param {0 | 1} axis */
  const slider = (words, axis) => html`
    <label class="slider"><span>${words}</span>
      <input type="range" id=${axis ? nothing : "field-focus"} min="0" max="100" step="1"
        .value=${String(Math.round(scene.focus[axis] * 100))}
        @keydown=${(event) => stride(event, commit, scene, axis)}
        @change=${({ target }) =>
          commit(axis ? [x, Number(target.value) / 100] : [Number(target.value) / 100, y])}></label>`;
  return html`
    <div class="focus-picture" @pointerdown=${(event) => follow(event, commit)}>
      ${
        url
          ? html`<img src=${url} alt="" draggable="false">`
          : html`<p class="hint">${t("The picture is being prepared.")}</p>`
      }
      <span class="focus-point" .style=${`left: ${x * 100}%; top: ${y * 100}%`}></span>
    </div>
    ${url ? crops(url, style) : nothing}
    ${slider(t("From the left"), 0)}${slider(t("From the top"), 1)}
    <div class="focus-presets" role="group" aria-label=${t("Presets")}>
      ${PRESETS.map(
        ([words, left, top]) => html`
        <button class="icon-button" type="button" aria-label=${words} title=${words}
          aria-pressed=${x === left && y === top} @click=${() => commit([left, top])}></button>`,
      )}
    </div>
    ${problem(scene.id, "focus")}`;
}

/** Follows the pointer over the picture; the draft changes when it is let go.
    @param {PointerEvent & {currentTarget: HTMLElement}} start
    @param {Commit} commit */
function follow(start, commit) {
  if (start.button) return;
  start.preventDefault();
  const box = start.currentTarget;
  const point = /** @type {HTMLElement} */ (box.querySelector(".focus-point"));
  /** @param {PointerEvent} event */
  const at = ({ clientX, clientY }) => pointIn(box.getBoundingClientRect(), clientX, clientY);
  /** @param {PointerEvent} event */
  const show = (event) => {
    const [x, y] = at(event);
    point.style.setProperty("left", `${x * 100}%`);
    point.style.setProperty("top", `${y * 100}%`);
  };
  show(start);
  box.setPointerCapture(start.pointerId);
  box.onpointermove = show;
  box.onpointerup = (event) => {
    box.onpointermove = box.onpointerup = null;
    commit(at(event));
  };
}

/** Arrows alone are the slider's own: by one percent.
    @param {KeyboardEvent} event
    @param {Commit} commit
    @param {Scene} scene
    @param {0 | 1} axis */
function stride(event, commit, scene, axis) {
  const focus = event.shiftKey && stepped(scene.focus, axis, event.key);
  if (!focus) return;
  event.preventDefault();
  commit(focus);
}

/** How the picture is cut on a wide and on a tall screen.
    @param {string} url
    @param {string} style */
const crops = (url, style) => html`
  <div class="focus-crops" aria-hidden="true">
    <img class="crop-wide" src=${url} alt="" .style=${style}><img class="crop-tall" src=${url} alt="" .style=${style}>
  </div>`;
