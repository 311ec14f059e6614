/* News from the service: what others have saved or published, and what has been rendered. */

import { check } from "./check.js";
import { pulse } from "./presence.js";
import { redraw } from "./redraw.js";
import { stage } from "./stage.js";
import { draft, saver } from "./store.js";
import { uploads } from "./upload-list.js";

/** Whether a letter is being composed: one half way stands on what its field shows. */
export let isComposing = false;

let stale = false;
/** @type {Record<string, Record<string, object>>} the parts of scenes that were being rendered at the last beat */
let rendering = {};

export async function hear() {
  const { latest } = pulse;
  const newer = latest.revision > pulse.revision && !saver.waits;
  const finished = applyRendering(latest.encodes || {});
  uploads.everywhere = latest.uploads ?? [];
  // Others publish, unpublish and take down. While it is being published whoever does so hears of it first.
  stale ||=
    finished ||
    newer ||
    (latest.publication?.busy === false && latest.publication.url !== draft.story.publication?.url);
  const composed = () => !isComposing;
  if (stale && composed() && (await saver.refresh(composed).catch(() => false))) {
    stale = false; // else the next beat asks again
    if (newer) pulse.revision = latest.revision;
    stage.refresh();
    check.refresh();
  }
  redraw();
}

/** News wait until a letter is composed. */
export function watchComposing() {
  /** @param {Event} event */
  const compose = ({ type }) => {
    isComposing = type === "compositionstart";
    if (!isComposing) hear();
  };
  for (const type of ["compositionstart", "compositionend"]) document.addEventListener(type, compose);
}

/** Progress of what is being rendered; returns whether something came to its end since the last beat.
    @param {Record<string, Record<string, object>>} encodes */
function applyRendering(encodes) {
  const before = rendering;
  rendering = encodes;
  for (const scene of draft.served.scenes) {
    if (encodes[scene.id]) scene.rendering = { ...scene.rendering, ...encodes[scene.id] };
  }
  draft.folded = null;
  return Object.entries(before).some(([id, parts]) => Object.keys(parts).some((part) => !encodes[id]?.[part]));
}
