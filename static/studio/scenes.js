/* What an author does with scenes: each can be undone, and is said aloud. */

/** A new scene behind the selected one, before a finale that is last. */
export function addScene(studio, fields = {}) {
  const { draft, selected } = studio;
  const { scenes } = draft;
  const place = scenes.findIndex(({ id }) => id === draft.nameOf(selected));
  let behind = place < 0 ? scenes.length - 1 : place;
  if (scenes[behind]?.finale) behind -= 1;
  const id = draft.add(scenes[behind]?.id ?? null, { animation: "auto", ...fields });
  studio.undo.did(
    "Add a scene",
    () => draft.remove(id),
    () => draft.restore(id),
  );
  studio.select(id);
  studio.say(`Scene ${behind + 2} added.`);
  return id;
}

export function removeScene(studio, id) {
  const { draft } = studio;
  const place = draft.scenes.findIndex((scene) => scene.id === draft.nameOf(id));
  if (place < 0) return;
  draft.remove(id);
  const next = draft.scenes[Math.min(place, draft.scenes.length - 1)];
  studio.undo.did(
    "Delete a scene",
    () => {
      draft.restore(id);
      studio.select(id);
    },
    () => draft.remove(id),
  );
  studio.select(next?.id ?? "story");
  studio.toast(`Scene ${place + 1} deleted`, "Undo", () => studio.undo.back());
}

export function duplicateScene(studio, id) {
  const { draft } = studio;
  const copy = draft.duplicate(id);
  studio.undo.did(
    "Duplicate a scene",
    () => draft.remove(copy),
    () => draft.restore(copy),
  );
  studio.select(copy);
}

/** Moves a scene to a place, counted from 0, and says so. */
export function moveTo(studio, id, place) {
  const { draft } = studio;
  const ids = draft.scenes.map((scene) => scene.id);
  const from = ids.indexOf(draft.nameOf(id));
  const to = Math.max(0, Math.min(ids.length - 1, place));
  if (from < 0 || from === to) return;
  const behind = (position) => (position === 0 ? null : ids.filter((other) => other !== ids[from])[position - 1]);
  const [before, after] = [behind(from), behind(to)];
  draft.move(id, after);
  studio.undo.did(
    "Move a scene",
    () => draft.move(id, before),
    () => draft.move(id, after),
  );
  studio.say(`Scene ${from + 1} moved to position ${to + 1} of ${ids.length}.`);
  studio.focusStrip = draft.nameOf(id);
}

/** What was written in a scene that somebody else has deleted, as a scene of its own. */
export function keepWords(studio, fields) {
  studio.draft.add(studio.draft.scenes.findLast(({ finale }) => !finale)?.id ?? null, { animation: "auto", ...fields });
  studio.toast("Somebody deleted this scene while you wrote in it. Your words are in a new one at the end.");
}
