/* Which part of a film is shown: a strip of its frames with two handles, one for each end. */

import { urls, writes } from "./boot.js";
import { setFields } from "./editing.js";
import { problem } from "./fields.js";
import { html, nothing } from "./lit.js";
import { redraw } from "./redraw.js";
import { stage } from "./stage.js";
import { draft } from "./store.js";
import { t } from "./words.js";

/** @typedef {{from: number, to: number}} Part seconds of the film
    @typedef {"from" | "to"} End */

const LONGEST = 12; // seconds
const SHORTEST = 0.5;
const TITLES = { from: t("Begins"), to: t("Ends") };

/** @type {Map<string, Part>} by scene, while a handle is held */
const held = new Map();

/** The part after one of its ends was moved: the other one gives way where it would be too short or too long.
    @param {Part} part
    @param {End} end
    @param {number} value
    @param {number} seconds of the whole film
    @returns {Part} */
export function moved({ from, to }, end, value, seconds) {
  const latest = Math.floor((seconds - SHORTEST) * 10) / 10;
  const near = (/** @type {number} */ low, /** @type {number} */ each, /** @type {number} */ high) =>
    Math.round(Math.max(low, Math.min(high, each)) * 10) / 10;
  if (end === "from") {
    const start = near(0, value, latest);
    return { from: start, to: Math.min(seconds, near(start + SHORTEST, to, start + LONGEST)) };
  }
  const stop = Math.min(seconds, near(SHORTEST, value, seconds));
  return { from: Math.min(latest, near(Math.max(0, stop - LONGEST), from, stop - SHORTEST)), to: stop };
}

/** @param {{start: number, length: number} | null} trim
    @param {number} seconds
    @returns {Part} */
export function partOf(trim, seconds) {
  const { start, length } = trim ?? { start: 0, length: LONGEST };
  return { from: start, to: Math.min(seconds, start + length) };
}

/** @param {import("./fold.js").Scene} scene
    @param {import("./fold.js").Media} film */
export function trimStrip(scene, film) {
  const seconds = film.duration ?? 0;
  if (seconds < 1) return nothing;
  const part = held.get(scene.id) ?? partOf(scene.trim, seconds);
  const at = (/** @type {number} */ second) => `${(100 * second) / seconds}%`;
  const frames = `${urls.frames}?${new URLSearchParams({ film: film.id })}`;
  return html`<fieldset class="choices" ?disabled=${!writes}>
    <legend>${t("Part of the film")}</legend>
    <div class="trim" .style=${`--from: ${at(part.from)}; --to: ${at(part.to)}`}>
      <div class="trim-frames"><img src=${frames} alt="" draggable="false"><span class="trim-part"></span></div>
      ${handle(scene, part, "from", seconds)}${handle(scene, part, "to", seconds)}
    </div>
    <p class="hint">${t("{from} to {to} s: {length} of {all} seconds.", {
      from: part.from.toFixed(1),
      to: part.to.toFixed(1),
      length: (part.to - part.from).toFixed(1),
      all: seconds.toFixed(1),
    })}</p>
    ${
      scene.trim
        ? html`<button class="linklike" type="button"
            @click=${() => setFields(scene.id, { trim: null }, t("Part of the film"))}>${t("From its start")}</button>`
        : nothing
    }
    ${problem(scene.id, "trim")}
  </fieldset>`;
}

/** @param {import("./fold.js").Scene} scene
    @param {Part} part
    @param {End} end
    @param {number} seconds */
function handle(scene, part, end, seconds) {
  /** @param {HTMLInputElement} input
      @param {number} value */
  const move = (input, value) => {
    const next = moved(part, end, value, seconds);
    held.set(scene.id, next);
    input.value = String(next[end]); // where it may not go, it does not stay
    show(scene, next[end]);
    redraw();
    return next;
  };
  /** @param {HTMLInputElement} input
      @param {number} value */
  const choose = (input, value) => {
    const { from, to } = move(input, value);
    held.delete(scene.id);
    const trim = { start: from, length: Math.round((to - from) * 100) / 100 };
    setFields(scene.id, { trim }, t("Part of the film"));
  };
  return html`<input class="trim-handle trim-${end}" type="range" id=${end === "from" ? "field-trim" : "field-trim-end"}
    min="0" max=${(Math.ceil(seconds * 10) / 10).toFixed(1)} step="0.1" .value=${String(part[end])}
    aria-label=${TITLES[end]} aria-valuetext=${t("{n} seconds", { n: part[end].toFixed(1) })}
    @keydown=${(event) => stride(event, (step) => choose(event.target, part[end] + step))}
    @input=${({ target }) => move(target, Number(target.value))}
    @change=${({ target }) => choose(target, Number(target.value))}>`;
}

/** With Shift, an arrow goes a whole second.
    @param {KeyboardEvent} event
    @param {(step: number) => void} go */
function stride(event, go) {
  const forward = ["ArrowRight", "ArrowUp"].includes(event.key);
  if (!event.shiftKey || !(forward || ["ArrowLeft", "ArrowDown"].includes(event.key))) return;
  event.preventDefault();
  go(forward ? 1 : -1);
}

/** The film on the stage stands at a second, as far as the part that was rendered has it.
    @param {import("./fold.js").Scene} scene
    @param {number} second of the whole film */
function show(scene, second) {
  const video = stage.section(scene.id)?.querySelector("video");
  const begins = draft.served.scenes.find(({ id }) => id === scene.id)?.trim?.start ?? 0;
  const there = second - begins;
  if (!video || there < 0 || !(there <= video.duration)) return;
  video.pause();
  video.currentTime = there;
}
