/* Over the stage of a capsule without any picture: the first step. It covers the stage until there are words. */

import { html } from "../vendor/lit-html-3.3.3.js";

export function stageStart(studio) {
  const { scenes, story } = studio.draft;
  const first = scenes[0]?.id ?? null;
  const written = story.title !== "Untitled" || scenes.some(({ title, text }) => title || text);
  document.getElementById("stage-start").classList.toggle("covers", !written);
  return html`<div class="stage-start-box">
    <h2>Begin with photographs</h2>
    <p>Choose three or more: each becomes a scene. Then give each a few words.</p>
    <button class="pill pill-accent" type="button" @click=${() => studio.pickMedia(first, "either")}>
      Choose photographs</button>
    <p class="hint wide-only">Or drop them here.</p>
  </div>`;
}
