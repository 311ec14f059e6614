/* What the service has with the changes that wait laid over it: what a person sees. */

export const STORY = "story";

/** Whether it is the title that a new capsule comes with, or none.
    @param {string} title */
export const isUntitled = (title) => !title || title === "Untitled";

/**
 * @typedef {{id: string, name: string}} Person
 * @typedef {{id: string, kind: "picture" | "film", filename: string, thumbnailUrl: string | null,
 *   width?: number, height?: number, duration?: number, posterId?: string,
 *   takenAt?: number | null, note?: string, isPlaced?: boolean}} Media
 * @typedef {{state: string, percent: number, error?: string}} Rendering
 * @typedef {{still: Rendering | null, animation: Rendering | null}} Renderings
 * @typedef {Record<string, any>} Fields by their names in the API
 *
 * @typedef {object} OfScene
 * @property {string} id
 * @property {string} title
 * @property {string} text
 * @property {string} alt
 * @property {Media | null} still
 * @property {[x: number, y: number]} focus
 * @property {string} animation
 * @property {Media | null} film
 * @property {{start: number, length: number} | null} trim
 * @property {string} fit
 * @property {string} place
 * @property {string} size
 * @property {boolean} finale
 * @property {Renderings} rendering
 * @property {number} [position]
 * @property {number} [version]
 * @property {Person} [editedBy]
 * @typedef {OfScene & Fields} Scene
 * @typedef {Omit<OfScene, "id">} EmptyScene
 *
 * @typedef {object} OfStory
 * @property {string} id
 * @property {number} version
 * @property {number} revision
 * @property {string} title
 * @property {string} summary
 * @property {string} author
 * @property {string} language
 * @property {string} workspaceId
 * @property {string} visibility
 * @property {{theme: string, accent: string | null, face: string}} look
 * @property {Person} [editedBy]
 * @property {{isPublished: boolean, url: string, slug: string, publicationMode: string}} [publication]
 * @property {object | null} [takenDown]
 * @typedef {OfStory & Fields} Story
 *
 * @typedef {Scene | Story} Row
 * @typedef {{story: Story, scenes: Scene[]}} Served
 *
 * @typedef {object} Change see change-states.js
 * @property {string} id
 * @property {number} at
 * @property {"edit" | "held" | "add" | "duplicate" | "remove" | "restore" | "move" | "history"} type
 * @property {string} target a scene, or STORY
 * @property {import("./change-states.js").State} [state]
 * @property {Fields} fields of an "edit", "held", "add" and "history"
 * @property {Fields} base of an "edit" and "held": what the fields were when they were written over
 * @property {Fields} [inHistory] fields that the service refused as too late, and keeps in its history
 * @property {Record<string, string>} messages of a "held": what the service said against each field
 * @property {string | null} [after]
 * @property {string} [of]
 * @property {Scene} [scene]
 */

/** The draft as it will be, and as the page shows it: held changes, which the service does not take, included.
    @param {Served} served
    @param {Change[]} changes
    @param {EmptyScene} empty what a new scene is before anything was written in it
    @returns {Served} */
export function fold(served, changes, empty) {
  const draft = { story: { ...served.story }, scenes: served.scenes.map((scene) => ({ ...scene })) };
  for (const change of changes) APPLY[change.type](draft, change, empty);
  draft.scenes.forEach((scene, position) => {
    scene.position = position;
  });
  return draft;
}

/** @type {Apply} */
function write(draft, { target, fields }) {
  const row = target === STORY ? draft.story : draft.scenes.find(({ id }) => id === target);
  if (row) Object.assign(row, fields);
}

/** @typedef {(draft: Served, change: Change, empty: EmptyScene) => void} Apply */
/** @type {Record<Change["type"], Apply>} */
const APPLY = {
  edit: write,
  held: write,
  add(draft, { target, after, fields }, empty) {
    insert(draft.scenes, { ...empty, id: target, ...fields }, after);
  },
  duplicate(draft, { target, of }) {
    const at = draft.scenes.findIndex(({ id }) => id === of);
    const original = draft.scenes[at];
    if (!original) return;
    const place = original.finale ? at : at + 1; // nothing comes after a finale
    draft.scenes.splice(place, 0, { ...original, id: target, finale: false });
  },
  remove(draft, { target }) {
    draft.scenes = draft.scenes.filter(({ id }) => id !== target);
  },
  restore(draft, { target, after, scene }) {
    if (scene && !draft.scenes.some(({ id }) => id === target)) insert(draft.scenes, { ...scene }, after);
  },
  history() {},
  move(draft, { target, after }) {
    const scene = draft.scenes.find(({ id }) => id === target);
    if (!scene) return;
    draft.scenes = draft.scenes.filter((other) => other !== scene);
    insert(draft.scenes, scene, after);
  },
};

/** Behind the scene `after`; as the first where it is null, as the last where it is not known.
    @param {Scene[]} scenes
    @param {Scene} scene
    @param {string | null | undefined} after */
function insert(scenes, scene, after) {
  const place = scenes.findIndex(({ id }) => id === after);
  scenes.splice(after === null ? 0 : place >= 0 ? place + 1 : scenes.length, 0, scene);
}
