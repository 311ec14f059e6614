/* A scene's files on their way in, how far its picture is, and the still of its film. */

import { writes } from "./boot.js";
import { retryPreview } from "./dialog-commands.js";
import { part } from "./lazy.js";
import { html, nothing } from "./lit.js";
import { focusField } from "./navigation.js";
import { percentOf } from "./strip.js";
import { uploads } from "./upload-list.js";
import { sizeWords, timeLeft } from "./upload-words.js";
import { t } from "./words.js";

const files = part("files"); // only a hand on this page or a file on its way needs it

/** @typedef {import("./upload-list.js").Entry} Entry */
/** @typedef {import("./fold.js").Scene} Scene */

/** @param {Entry[]} entries */
export const progress = (entries) => entries.map(progressOf);

/** @param {Entry} entry */
function progressOf(entry) {
  if (entry.state === "refused") {
    return html`<p class="fault" role="alert">${entry.name}: ${entry.error}
      <button class="linklike" type="button" @click=${() => cancel(entry)}>${t("Dismiss")}</button></p>`;
  }
  return html`<p class="hint upload">${t("{name}, {size}: {state}", {
    name: entry.name,
    size: sizeWords(entry.file.size),
    state: stateOf(entry),
  })}
    ${
      entry.waits && entry.why
        ? html`<button class="linklike" type="button" @click=${() => entry.again?.()}>${t("Try again")}</button>`
        : nothing
    }
    <progress max="100" value=${entry.percent}>${entry.percent} %</progress>
    <button class="linklike" type="button" @click=${() => cancel(entry)}>${t("Cancel")}</button></p>`;
}

/** Files that another tab or device sends to a scene, or sent before it was closed.
    @param {import("./upload-list.js").Coming[]} others */
export const fromElsewhere = (others) =>
  others.map(
    ({ filename, state, percent }) => html`<p class="hint upload">${
      state === "checking"
        ? t("{name} is being checked. It appears in this scene by itself.", { name: filename })
        : t("{name} is on its way: {percent} is here. It appears in this scene by itself.", {
            name: filename,
            percent: `${percent} %`,
          })
    }
    <progress max="100" value=${percent}>${percent} %</progress></p>`,
  );

/** @param {Entry} entry */
const cancel = (entry) => files.run(({ uploader }) => uploader.cancel(entry));

/** @param {Entry} entry */
function stateOf({ waits, why, state, percent, file, sent = 0, from = 0, began = 0 }) {
  if (waits)
    return why ? t("not here yet. {why} It is tried again by itself.", { why }) : t("waits for the connection");
  if (state === "checking") return t("is being checked");
  return [`${percent} %`, timeLeft({ size: file.size, sent, from, began }, Date.now())].filter(Boolean).join(", ");
}

/** What the bar says while files are on their way and all else is saved. */
export function onTheirWay() {
  const sending = [...uploads.all.values()].filter(({ state }) => state === "sending");
  if (!sending.length) return t("Checking…");
  if (sending.every(({ waits }) => waits)) return t("Waiting to send");
  const all = sending.reduce((total, { file }) => total + file.size, 0);
  const there = sending.reduce((total, { sent = 0 }) => total + sent, 0);
  return t("Sending {percent} %", { percent: Math.floor((100 * there) / Math.max(1, all)) });
}

/** @param {Scene} scene */
export function filmOf(scene) {
  const { filename = "", duration } = scene.film ?? {};
  const seconds = duration ?? 0;
  return html`
    <p class="hint">${
      seconds
        ? t("Film: {name}, {seconds} s", { name: filename, seconds: seconds.toFixed(1) })
        : t("Film: {name}", { name: filename })
    }</p>
    ${seconds > 12 && !scene.trim && scene.animation === "film" ? onlyItsBeginning() : nothing}
    ${writes ? stillFromFilm(scene) : nothing}`;
}

const onlyItsBeginning = () =>
  html`<p class="hint">${t("Only the first 12 seconds are shown.")} ${
    writes
      ? html`<button class="linklike" type="button"
        @click=${() => focusField("trim")}>${t("Choose another part")}</button>`
      : nothing
  }</p>`;

/** @param {Scene} scene */
function stillFromFilm(scene) {
  const at = scene.still?.takenAt ?? scene.trim?.start ?? 0;
  return html`<label class="slider"><span>${t("Still from the film")}</span>
    <input type="range" min="0" max=${scene.film?.duration || 12} step="0.1" .value=${String(at)}
      aria-valuetext=${t("{n} seconds", { n: at.toFixed(1) })}
      @change=${({ target }) => {
        const back = () => Object.assign(target, { value: at }); // lit sets only what it drew otherwise before
        files.run(({ takeStill }) => takeStill(scene, Number(target.value), back));
        files.asked?.catch(back);
      }}></label>`;
}

/** @param {Scene} scene */
export function rendering(scene) {
  const percent = percentOf(scene);
  const failed = [scene.rendering?.still, scene.rendering?.animation].find((part) => part?.state === "failed");
  if (failed) {
    return html`<p class="fault">${failed.error}
      ${
        writes
          ? html`<button class="linklike" type="button" @click=${() => retryPreview()}>${t("Try again")}</button>`
          : nothing
      }</p>`;
  }
  if (percent === null) return nothing;
  return html`<p class="hint">${t("The picture is being prepared: {percent} %. You can go on writing.", { percent })}
    <progress max="100" value=${percent}>${percent} %</progress></p>`;
}
