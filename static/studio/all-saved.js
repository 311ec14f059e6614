/* What publishing and previews begin with. */

import { STORY } from "./fold.js";
import { t } from "./words.js";

/** @typedef {import("./save.js").Saver} Saver */

/** Returns when nothing waits any more; throws where something cannot be saved now.
    @param {Saver} saver */
export async function allSaved(saver) {
  saver.now();
  while (saver.waits) {
    await (saver.busy ||
      new Promise((then) => {
        setTimeout(then, 50);
      }));
    if (!saver.busy && saver.waits && !["saved", "waiting", "saving", "held"].includes(saver.state)) {
      throw new Error(saver.reason || t("Some changes could not be saved."));
    }
  }
}

/** As `allSaved`; throws too where the page shows something that the service does not take, for readers would get
    something else than the author sees.
    @param {Saver} saver */
export async function allTaken(saver) {
  await allSaved(saver);
  const { draft } = saver;
  const [held] = draft.held;
  if (!held) return;
  const place = draft.scenes.findIndex(({ id }) => id === held.target) + 1;
  throw new Error(
    held.target === STORY
      ? t("The whole capsule has a field that is not saved: it is too long, or was refused. Please mend it first.")
      : t("Scene {place} has a field that is not saved: it is too long, or was refused. Please mend it first.", {
          place,
        }),
  );
}
