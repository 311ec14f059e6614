/* What an author does with scenes: each can be undone, and is said aloud. */

/** A new scene, and the author goes there. */
export function addScene(studio, from, fields = {}) {
  goOn(studio, from, addBehind(studio, from, fields));
}

/** From one scene to another; but whoever has gone elsewhere meanwhile stays there, or his words would go astray. */
export function goOn(studio, from, to) {
  if (studio.draft.nameOf(studio.selected) === studio.draft.nameOf(from)) studio.select(to);
}

/** A new scene behind another one, before a finale that is last. */
export function addBehind(studio, other, fields = {}) {
  const { draft } = studio;
  const { scenes } = draft;
  const place = scenes.findIndex(({ id }) => id === draft.nameOf(other));
  let behind = place < 0 ? scenes.length - 1 : place;
  if (scenes[behind]?.finale) behind -= 1;
  const id = add(draft, scenes[behind]?.id ?? null, { animation: "auto", ...fields });
  studio.undo.did(
    "Add a scene",
    () => remove(draft, id),
    () => restore(draft, id),
  );
  studio.say(`Scene ${behind + 2} added.`);
  return id;
}

export function removeScene(studio, id) {
  const { draft } = studio;
  const place = draft.scenes.findIndex((scene) => scene.id === draft.nameOf(id));
  if (place < 0) return;
  remove(draft, id);
  const next = draft.scenes[Math.min(place, draft.scenes.length - 1)];
  studio.undo.did(
    "Delete a scene",
    () => {
      restore(draft, id);
      studio.select(id);
    },
    () => remove(draft, id),
  );
  goOn(studio, id, next?.id ?? "story");
  studio.toast(`Scene ${place + 1} deleted`, "Undo", () => studio.undo.back());
}

export function duplicateScene(studio, id) {
  const { draft } = studio;
  const copy = duplicate(draft, id);
  studio.undo.did(
    "Duplicate a scene",
    () => remove(draft, copy),
    () => restore(draft, copy),
  );
  goOn(studio, id, copy);
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
  move(draft, id, after);
  studio.undo.did(
    "Move a scene",
    () => move(draft, id, before),
    () => move(draft, id, after),
  );
  studio.say(`Scene ${from + 1} moved to position ${to + 1} of ${ids.length}.`);
  studio.focusStrip = draft.nameOf(id);
}

/** What was written in a scene that somebody else has deleted, as a scene of its own. */
export function keepWords(studio, fields) {
  add(studio.draft, studio.draft.scenes.findLast(({ finale }) => !finale)?.id ?? null, {
    animation: "auto",
    ...fields,
  });
  studio.toast("Somebody deleted this scene while you wrote in it. Your words are in a new one at the end.");
}

// --- the changes of the draft

export function add(draft, after, fields = {}) {
  const target = `new-${crypto.randomUUID()}`;
  const long = Object.entries(fields).filter(([field, value]) => draft.excess(target, field, value));
  const fits = Object.entries(fields).filter(([field, value]) => !draft.excess(target, field, value));
  draft.record({ type: "add", target, after: after && draft.nameOf(after), fields: Object.fromEntries(fits) });
  if (long.length) draft.hold(target, Object.fromEntries(long));
  return target;
}

function duplicate(draft, of) {
  const target = `new-${crypto.randomUUID()}`;
  draft.record({ type: "duplicate", target, of: draft.nameOf(of) });
  return target;
}

export function remove(draft, id) {
  const target = draft.nameOf(id);
  const place = draft.scenes.findIndex((scene) => scene.id === target);
  if (place < 0) return;
  draft.removed.set(target, { scene: draft.scenes[place], after: draft.scenes[place - 1]?.id ?? null });
  draft.record({ type: "remove", target });
}

/** Brings a removed scene back to where it stood. */
export function restore(draft, id) {
  const target = draft.nameOf(id);
  const was = draft.removed.get(target);
  if (was) draft.record({ type: "restore", target, after: was.after, scene: was.scene });
}

/** Puts a scene behind another one; `after` null makes it the first. */
function move(draft, id, after) {
  draft.record({ type: "move", target: draft.nameOf(id), after: after && draft.nameOf(after) });
}
