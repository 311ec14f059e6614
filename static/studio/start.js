/* Over the stage of a capsule without any picture: the first step. */

import { html } from "../vendor/lit-html-3.3.3.js";

export function stageStart(studio) {
  const first = studio.draft.scenes[0]?.id ?? null;
  return html`<div class="stage-start-box">
    <h2>Begin with photographs</h2>
    <p>Choose three or more: each becomes a scene. Then give each a few words.</p>
    <button class="pill pill-accent" type="button" @click=${() => studio.pickMedia(first, "picture")}>
      Choose photographs</button>
    <p class="hint wide-only">Or drop them here.</p>
  </div>`;
}
