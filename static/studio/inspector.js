/* The inspector: the fields of the selected scene, or of the whole capsule. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";
import { lengthOf, SCREEN } from "./cut.js";
import { STORY } from "./draft.js";
import { field, problem } from "./fields.js";
import { mediaField } from "./media.js";

const MOVEMENTS = [
  ["auto", "Slow camera move"],
  ["film", "A film"],
  ["none", "No movement"],
];

export function inspector(studio) {
  const { draft, selected } = studio;
  const scene = selected === STORY ? null : draft.scene(selected);
  const disagrees = draft.conflicts.has(draft.nameOf(selected));
  return html`
    <div class="inspector-head">
      <button class="linklike back-to-stage" type="button" @click=${() => studio.closeInspector()}>Done</button>
      ${turn(studio, html`<h2 class="small-head">${scene ? sceneName(draft, scene) : "The whole capsule"}</h2>`)}
      ${scene && studio.writes ? sceneMore(studio, scene) : nothing}
    </div>
    ${disagrees ? studio.parts.use("conflict")?.conflictCard(studio, selected) : nothing}
    ${scene ? sceneFields(studio, scene) : studio.parts.use("story")?.storyFields(studio)}`;
}

function sceneFields(studio, scene) {
  const { draft, writes } = studio;
  const place = draft.scenes.findIndex(({ id }) => id === scene.id);
  const last = place === draft.scenes.length - 1;
  const set = (fields, what) => studio.set(scene.id, fields, what);
  return html`
    ${mediaField(studio, scene)}
    ${scene.still && writes ? focus(studio, scene) : nothing}
    ${field(studio, scene, { name: "title", words: "Heading", hint: "Optional" })}
    ${field(studio, scene, {
      name: "text",
      words: "Text",
      rows: 6,
      hint: wordsOnLength(scene.text),
      offer: lengthOf(scene.text) > SCREEN ? studio.parts.use("split")?.splitOffer(studio, scene) : nothing,
    })}
    ${field(studio, scene, {
      name: "alt",
      words: "Alternative text",
      rows: 2,
      hint: "What the picture shows, for people who do not see it",
    })}
    <fieldset class="choices" ?disabled=${!writes}>
      <legend>Movement</legend>
      ${MOVEMENTS.map(
        ([value, words]) => html`
        <label class="choice"><input type="radio" name="animation" value=${value} .checked=${scene.animation === value}
          @change=${() => chooseMovement(studio, scene, value)}> ${words}</label>`,
      )}
      ${scene.finale ? html`<p class="hint">A finale stands still; it needs no movement.</p>` : nothing}
      ${problem(studio, scene.id, "animation")}
    </fieldset>
    ${isRendering(scene) ? studio.parts.use("uploading")?.rendering(studio, scene) : nothing}
    <label class="choice"><input type="checkbox" data-field="finale" .checked=${scene.finale} ?disabled=${!writes}
      @change=${({ target }) => set({ finale: target.checked }, "Finale")}>
      Finale: the last scene, a still picture</label>
    ${problem(studio, scene.id, "finale")}
    ${
      scene.finale && !last
        ? html`<p class="fault">Only the last scene can be the finale.
      <button class="linklike" type="button" @click=${() => studio.moveTo(scene.id, draft.scenes.length - 1)}>
        Make it the last</button></p>`
        : nothing
    }
    ${
      writes
        ? html`<div class="move-buttons">
      <button class="pill" type="button" ?disabled=${!place} @click=${() => studio.moveTo(scene.id, place - 1)}>
        Move earlier</button>
      <button class="pill" type="button" ?disabled=${last} @click=${() => studio.moveTo(scene.id, place + 1)}>
        Move later</button></div>`
        : nothing
    }`;
}

const sceneName = ({ scenes }, scene) => `Scene ${scenes.indexOf(scene) + 1} of ${scenes.length}`;

const sceneMore = (studio, scene) => html`
  <button class="icon-button" type="button" popovertarget="scene-menu" aria-label="More for this scene">⋯</button>
  <div class="menu" id="scene-menu" popover role="menu" @beforetoggle=${() => studio.parts.use("menus")}>
    ${studio.parts.here.menus?.sceneMenu(studio, scene)}</div>`;

/** On to the scenes before and behind, around what says where one is. A field keeps the focus, so that a phone's
    keyboard stays for the next words. */
export function turn(studio, where) {
  const { scenes } = studio.draft;
  const index = scenes.findIndex(({ id }) => id === studio.draft.nameOf(studio.selected));
  const step = (name, sign, to) => html`<button class="icon-button" type="button" aria-label=${name}
    ?disabled=${!scenes[to]} @mousedown=${(event) => event.preventDefault()}
    @click=${() => studio.selectAt(to)}>${sign}</button>`;
  return html`<span class="turn">${step("Scene before", "‹", index - 1)}
    ${where}${step("Next scene", "›", index + 1)}</span>`;
}

function focus(studio, scene) {
  return html`<details class="focus" @toggle=${() => studio.parts.use("focus")}>
    <summary>Focus: what crops must keep</summary>
    ${studio.parts.here.focus?.focusPicker(studio, scene)}
  </details>`;
}

function chooseMovement(studio, scene, value) {
  if (value === "film" && !scene.film) {
    studio.draw(); // the radio goes back until there is a film
    studio.pickMedia(scene.id, "film");
    return;
  }
  studio.set(scene.id, { animation: value }, "Movement");
}

function isRendering({ rendering }) {
  return [rendering?.still, rendering?.animation].some((part) => part && part.state !== "done");
}

function wordsOnLength(text) {
  const length = lengthOf(text);
  if (!length) return "Every scene needs a text";
  if (length > SCREEN) return `${length} characters, long for one screen`;
  return `${length} characters`;
}
