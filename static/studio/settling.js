/* A change leaves the draft: the service has it, or it is given up. */

/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {import("./fold.js").Change} Change */
/** @typedef {import("./fold.js").Scene} Scene */
/** @typedef {{scene?: Scene, story?: import("./fold.js").Story, order?: string[], revision?: number}} Answer */

/** The service has this change. `scene`, `story` and `order` are what it says of them now, in `revision` of the draft.
    @param {Draft} draft
    @param {Change} change
    @param {Answer} answer */
export function settle(draft, change, { scene, story, order, revision } = {}) {
  const { served } = draft;
  draft.changes = draft.changes.filter((other) => other !== change);
  if (revision === draft.revision + 1) draft.revision += 1; // else somebody else changed something as well
  if (scene && change.target.startsWith("new-")) rename(draft, change.target, scene.id);
  if (scene) put(served.scenes, scene, change.after);
  if (story) served.story = { ...served.story, ...story };
  if (change.type === "remove") served.scenes = served.scenes.filter(({ id }) => id !== change.target);
  if (order) arrange(served.scenes, order);
  draft.say("settled", change);
}

/** @param {Draft} draft
    @param {Change} change */
export function drop(draft, change) {
  draft.changes = draft.changes.filter((other) => other !== change);
  draft.say("settled", change);
}

/** @param {Scene[]} scenes
    @param {Scene} scene
    @param {string | null | undefined} after */
function put(scenes, scene, after) {
  const place = scenes.findIndex(({ id }) => id === scene.id);
  if (place >= 0) {
    scenes[place] = scene;
    return;
  }
  const before = scenes.findIndex(({ id }) => id === after);
  const position = after === null ? 0 : before >= 0 ? before + 1 : (scene.position ?? scenes.length);
  scenes.splice(position, 0, scene);
}

/** @param {Scene[]} scenes
    @param {string[]} order */
function arrange(scenes, order) {
  const place = new Map(order.map((id, index) => [id, index]));
  scenes.sort((a, b) => (place.get(a.id) ?? Infinity) - (place.get(b.id) ?? Infinity));
}

/** @param {Draft} draft
    @param {string} from
    @param {string} to */
function rename(draft, from, to) {
  draft.names.set(from, to);
  for (const change of draft.changes) {
    if (change.target === from) change.target = to;
    if (change.after === from) change.after = to;
    if (change.of === from) change.of = to;
  }
  renameIn(draft.conflicts, from, to);
  renameIn(draft.removed, from, to);
}

/** @template T
    @param {Map<string, T>} map
    @param {string} from
    @param {string} to */
function renameIn(map, from, to) {
  const value = map.get(from);
  if (value !== undefined) map.set(to, value);
  map.delete(from);
}
