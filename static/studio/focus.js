/* The point of a picture that every crop keeps: by a click, a drag, two sliders or nine presets. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";

const THIRDS = [
  ["top", 0.2],
  ["middle", 0.5],
  ["bottom", 0.8],
];
const COLUMNS = [
  ["left", 0.2],
  ["centre", 0.5],
  ["right", 0.8],
];
const round = (part) => Math.round(Math.max(0, Math.min(1, part)) * 1000) / 1000;

export function focusPicker(studio, scene) {
  const url = scene.still.localUrl || scene.still.thumbnailUrl;
  const [x, y] = scene.focus;
  const style = `object-position: ${x * 100}% ${y * 100}%`;
  const commit = (focus) => studio.set(scene.id, { focus: focus.map(round) }, "Focus");
  const slider = (words, axis) => html`
    <label class="slider"><span>${words}</span>
      <input type="range" min="0" max="100" step="1" .value=${String(Math.round(scene.focus[axis] * 100))}
        @keydown=${(event) => stride(event, commit, scene, axis)}
        @change=${({ target }) => commit(axis ? [x, target.value / 100] : [target.value / 100, y])}></label>`;
  return html`
    <div class="focus-picture" @pointerdown=${(event) => follow(event, commit)}>
      ${
        url ? html`<img src=${url} alt="" draggable="false">` : html`<p class="hint">The picture is being prepared.</p>`
      }
      <span class="focus-point" .style=${`left: ${x * 100}%; top: ${y * 100}%`}></span>
    </div>
    ${url ? crops(url, style) : nothing}
    ${slider("From the left", 0)}${slider("From the top", 1)}
    <div class="focus-presets" role="group" aria-label="Presets">
      ${THIRDS.map(([row, top]) =>
        COLUMNS.map(
          ([column, left]) => html`
        <button class="icon-button" type="button" aria-label="${row} ${column}" title="${row} ${column}"
          aria-pressed=${x === left && y === top} @click=${() => commit([left, top])}></button>`,
        ),
      )}
    </div>`;
}

/** Follows the pointer over the picture; the draft changes when it is let go. */
function follow(start, commit) {
  if (start.button) return;
  start.preventDefault();
  const box = start.currentTarget;
  const point = box.querySelector(".focus-point");
  const at = (event) => {
    const { left, top, width, height } = box.getBoundingClientRect();
    return [round((event.clientX - left) / width), round((event.clientY - top) / height)];
  };
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

/** Arrows go by one percent, with Shift by ten. */
function stride(event, commit, scene, axis) {
  const step = { ArrowLeft: -0.1, ArrowDown: axis ? 0.1 : -0.1, ArrowRight: 0.1, ArrowUp: axis ? -0.1 : 0.1 }[
    event.key
  ];
  if (!step || !event.shiftKey) return;
  event.preventDefault();
  const focus = [...scene.focus];
  focus[axis] += step;
  commit(focus);
}

/** How the picture is cut on a wide and on a tall screen. */
const crops = (url, style) => html`
  <div class="focus-crops" aria-hidden="true">
    <img class="crop-wide" src=${url} alt="" .style=${style}><img class="crop-tall" src=${url} alt="" .style=${style}>
  </div>`;
