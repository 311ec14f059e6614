/* What publishing and previews begin with. */

import { STORY } from "./draft.js";

/** Returns when nothing waits any more; throws where something cannot be saved now. */
export async function allSaved(saver) {
  saver.now();
  while (saver.waits) {
    await (saver.busy ||
      new Promise((then) => {
        setTimeout(then, 50);
      }));
    if (!saver.busy && saver.waits && !["saved", "waiting", "saving", "held"].includes(saver.state)) {
      throw new Error(saver.reason || "Some changes could not be saved.");
    }
  }
}

/** As `allSaved`; throws too where the page shows something that the service does not take, for readers would get
    something else than the author sees. */
export async function allTaken(saver) {
  await allSaved(saver);
  const { draft } = saver;
  const [held] = draft.held;
  if (!held) return;
  const place = draft.scenes.findIndex(({ id }) => id === held.target) + 1;
  const where = held.target === STORY ? "The whole capsule" : `Scene ${place}`;
  throw new Error(`${where} has a field that is not saved: it is too long, or was refused. Please mend it first.`);
}
