/* News from the service: what others have saved or published, and what has been rendered. */

import { check } from "./check.js";
import { pulse } from "./presence.js";
import { redraw } from "./redraw.js";
import { stage } from "./stage.js";
import { draft, saver } from "./store.js";
import { isBusy } from "./strip.js";
import { uploads } from "./upload-list.js";

/** Whether a letter is being composed: one half way stands on what its field shows. */
export let isComposing = false;

let stale = false;

export async function hear() {
  const { latest } = pulse;
  const newer = latest.revision > draft.revision && !saver.waits;
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
    stage.refresh();
    check.refresh();
  } else if (stage.isOld && !document.activeElement?.matches(":read-write")) stage.refresh();
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

/** Progress of what is being rendered; returns whether something that was on its way has come to its end.
    @param {Record<string, Record<string, object>>} encodes */
function applyRendering(encodes) {
  let ended = false;
  for (const scene of draft.served.scenes) {
    const { id, rendering, still } = scene;
    const parts = encodes[id];
    ended ||= !!still && Object.entries(rendering ?? {}).some(([part, was]) => isBusy(was) && !parts?.[part]);
    if (parts) scene.rendering = { ...rendering, ...parts };
  }
  draft.folded = null;
  return ended;
}
