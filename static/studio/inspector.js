/* The inspector: the fields of the selected scene, or of the whole capsule. */

import { writes } from "./boot.js";
import { setFields } from "./editing.js";
import { field, problem } from "./fields.js";
import { pickMedia } from "./file-picking.js";
import { STORY } from "./fold.js";
import { part } from "./lazy.js";
import { lengthOf, SCREEN } from "./lengths.js";
import { html, nothing } from "./lit.js";
import { mediaField } from "./media.js";
import { closeInspector, select, selectAt, selected } from "./navigation.js";
import { redraw } from "./redraw.js";
import { moveScene } from "./scene-commands.js";
import { draft } from "./store.js";
import { plural, t } from "./words.js";

/** @typedef {import("./fold.js").Scene} Scene */

const capsuleFields = part("capsule-fields");
const conflict = part("conflict");
const focusing = part("focus");
const looks = part("looks");
const menus = part("menus");
const splitting = part("split");
const uploading = part("uploading");

const MOVEMENTS = [
  ["auto", t("Slow camera move")],
  ["film", t("A film")],
  ["none", t("No movement")],
];

export function inspector() {
  const scene = draft.scene(selected);
  const disagrees = draft.conflicts.has(draft.nameOf(selected));
  return html`
    <div class="inspector-head">
      <button class="linklike back-to-stage" type="button" @click=${closeInspector}>${t("Done")}</button>
      ${turn(
        html`<h2 class="small-head">${scene ? sceneName(draft.scenes, scene) : t("The whole capsule")}</h2>`,
        true,
      )}
      ${scene && writes ? sceneMore(scene) : nothing}
    </div>
    ${disagrees ? conflict.use()?.conflictCard(selected) : nothing}
    ${scene ? sceneFields(scene) : (capsuleFields.use()?.capsuleFields() ?? capsuleFields.missing)}`;
}

/** @param {Scene} scene */
function sceneFields(scene) {
  const place = draft.placeOf(scene.id);
  const last = place === draft.scenes.length - 1;
  return html`
    ${mediaField(scene)}
    ${scene.still && writes ? focus(scene) : nothing}
    ${field(scene, { name: "title", words: t("Heading"), hint: t("Optional") })}
    ${field(scene, {
      name: "text",
      words: t("Text"),
      rows: 6,
      hint: wordsOnLength(scene.text),
      offer: lengthOf(scene.text) > SCREEN ? splitting.use()?.splitOffer(scene) : nothing,
    })}
    ${field(scene, {
      name: "alt",
      words: t("Alternative text"),
      rows: 2,
      hint: t("What the picture shows, for people who do not see it"),
    })}
    <fieldset class="choices" ?disabled=${!writes}>
      <legend>${t("Movement")}</legend>
      ${MOVEMENTS.map(
        ([value, words]) => html`
        <label class="choice"><input type="radio" name="animation" value=${value} .checked=${scene.animation === value}
          @change=${() => chooseMovement(scene, value)}> ${words}</label>`,
      )}
      ${scene.finale ? html`<p class="hint">${t("A finale stands still; it needs no movement.")}</p>` : nothing}
      ${problem(scene.id, "animation")}
    </fieldset>
    <details class="focus" @toggle=${() => looks.use()}>
      <summary>${t("Look: where words and picture stand")}</summary>
      ${looks.here?.sceneLook(scene) ?? looks.missing}
    </details>
    <label class="choice"><input type="checkbox" data-field="finale" .checked=${scene.finale} ?disabled=${!writes}
      @change=${({ target }) => setFields(scene.id, { finale: target.checked }, t("Finale"))}>
      ${t("Finale: the last scene, a still picture")}</label>
    ${problem(scene.id, "finale")}
    ${
      scene.finale && !last
        ? html`<p class="fault">${t("Only the last scene can be the finale.")}
      <button class="linklike" type="button" @click=${() => moveScene(scene.id, draft.scenes.length - 1)}>
        ${t("Make it the last")}</button></p>`
        : nothing
    }
    ${
      writes
        ? html`<div class="move-buttons">
      <button class="pill" type="button" ?disabled=${!place} @click=${() => moveScene(scene.id, place - 1)}>
        ${t("Move earlier")}</button>
      <button class="pill" type="button" ?disabled=${last} @click=${() => moveScene(scene.id, place + 1)}>
        ${t("Move later")}</button></div>`
        : nothing
    }
    ${isRendering(scene) ? uploading.use()?.rendering(scene) : nothing}`;
}

/** @param {Scene[]} scenes
    @param {Scene} scene */
const sceneName = (scenes, scene) =>
  t("Scene {place} of {count}", { place: scenes.indexOf(scene) + 1, count: scenes.length });

/** @param {Scene} scene */
const sceneMore = (scene) => html`
  <button class="icon-button" type="button" popovertarget="scene-menu" aria-label=${t("More for this scene")}>⋯</button>
  <div class="menu" id="scene-menu" popover role="menu" @beforetoggle=${() => menus.use()}>
    ${menus.here?.sceneMenu(scene)}</div>`;

/** On to the scenes before and behind, around what says where one is. A field keeps the focus, so that a phone's
    keyboard stays for the next words.
    @param {import("./lit.js").Content} where
    @param {boolean} [inFields] which the whole capsule has, too: it comes before the first scene */
export function turn(where, inFields) {
  const { scenes } = draft;
  const index = draft.placeOf(selected);
  /** @param {string} name
      @param {string} sign
      @param {number} to
      @param {boolean} [toStory] */
  const step = (name, sign, to, toStory) => html`<button class="icon-button" type="button" aria-label=${name}
    ?disabled=${!toStory && !scenes[to]} @mousedown=${(event) => event.preventDefault()}
    @click=${() => (toStory ? select(STORY) : selectAt(to))}>${sign}</button>`;
  const isFirst = inFields && !index;
  return html`<span class="turn">${step(isFirst ? t("The whole capsule") : t("Scene before"), "‹", index - 1, isFirst)}
    ${where}${step(t("Next scene"), "›", index + 1)}</span>`;
}

/** @param {Scene} scene */
function focus(scene) {
  return html`<details class="focus" @toggle=${() => focusing.use()}>
    <summary>${t("Focus: what crops must keep")}</summary>
    ${focusing.here?.focusPicker(scene) ?? focusing.missing}
  </details>`;
}

/** @param {Scene} scene
    @param {string} value */
function chooseMovement(scene, value) {
  if (value === "film" && !scene.film) {
    redraw(); // the radio goes back until there is a film
    pickMedia(scene.id, "film");
    return;
  }
  setFields(scene.id, { animation: value }, t("Movement"));
}

/** @param {Scene} scene */
function isRendering({ rendering }) {
  return [rendering?.still, rendering?.animation].some((part) => part && part.state !== "done");
}

/** @param {string} text */
function wordsOnLength(text) {
  const length = lengthOf(text);
  if (!length) return t("Every scene needs a text");
  return length > SCREEN
    ? plural("1 character, long for one screen", "{n} characters, long for one screen", length)
    : plural("1 character", "{n} characters", length);
}
