/* Over the stage of a capsule without any picture: the first step. It covers the stage until there are words. */

import { element } from "./element.js";
import { pickMedia } from "./file-picking.js";
import { isUntitled } from "./fold.js";
import { html } from "./lit.js";
import { draft } from "./store.js";
import { t } from "./words.js";

export function stageStart() {
  const { scenes, story } = draft;
  const first = scenes[0]?.id ?? null;
  const written = !isUntitled(story.title) || scenes.some(({ title, text }) => title || text);
  element("stage-start").classList.toggle("covering", !written);
  return html`<div class="stage-start-box">
    <h2>${t("Begin with photographs and films")}</h2>
    <p>${t("Choose three or more: each becomes a scene. Then give each a few words.")}</p>
    <button class="pill pill-accent" type="button" @click=${() => pickMedia(first)}>
      ${t("Choose photographs and films")}</button>
    <p class="hint wide-only">${t("Or drop them here.")}</p>
  </div>`;
}
