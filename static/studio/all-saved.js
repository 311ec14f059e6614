/* What publishing and previews begin with. */

/** Returns when nothing waits any more; throws where something cannot be saved now. */
export async function allSaved(saver) {
  saver.now();
  while (saver.draft.changes.length) {
    await (saver.busy ||
      new Promise((then) => {
        setTimeout(then, 50);
      }));
    if (!saver.busy && saver.draft.changes.length && !["saved", "waiting", "saving"].includes(saver.state)) {
      throw new Error(saver.reason || "Some changes could not be saved.");
    }
  }
}
