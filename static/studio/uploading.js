/* A scene's files on their way in, how far its picture is, and the still of its film. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";
import { percentOf } from "./strip.js";

export const progress = (studio, entries) => entries.map((entry) => progressOf(studio, entry));

function progressOf(studio, entry) {
  const { uploads } = studio;
  if (entry.state === "refused") {
    return html`<p class="fault" role="alert">${entry.name}: ${entry.error}
      <button class="linklike" type="button" @click=${() => uploads.cancel(entry)}>Dismiss</button></p>`;
  }
  return html`<p class="hint upload">${entry.name}: ${stateOf(entry)}
    ${
      entry.waits && entry.why
        ? html`<button class="linklike" type="button" @click=${() => entry.again()}>Try again</button>`
        : nothing
    }
    <progress max="100" value=${entry.percent}>${entry.percent} %</progress>
    <button class="linklike" type="button" @click=${() => uploads.cancel(entry)}>Cancel</button></p>`;
}

function stateOf({ waits, why, state, percent }) {
  if (waits) return why ? `not here yet. ${why} It is tried again by itself.` : "waits for the connection";
  return state === "checking" ? "is being checked" : `${percent} %`;
}

export function stillFromFilm(studio, scene) {
  const longest = Math.min(12, scene.film.duration || 12);
  const take = (at) => studio.with("files", (part) => part.takeStill(studio, scene, at));
  return html`<label class="slider"><span>Still from the film</span>
    <input type="range" min="0" max=${longest} step="0.1" .value=${String(longest / 10)}
      @change=${({ target }) => take(Number(target.value))}></label>`;
}

export function rendering(studio, scene) {
  const percent = percentOf(scene);
  const failed = [scene.rendering?.still, scene.rendering?.animation].find((part) => part?.state === "failed");
  if (failed) {
    return html`<p class="fault">${failed.error}
      ${
        studio.writes
          ? html`<button class="linklike" type="button" @click=${() => studio.retry()}>Try again</button>`
          : nothing
      }</p>`;
  }
  if (percent === null) return nothing;
  return html`<p class="hint">The picture is being prepared: ${percent} %. You can go on writing.
    <progress max="100" value=${percent}>${percent} %</progress></p>`;
}
