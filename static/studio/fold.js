/* What the service has with the changes that wait laid over it: what a person sees. */

export const STORY = "story";

const EMPTY_SCENE = {
  title: "",
  text: "",
  alt: "",
  still: null,
  focus: [0.5, 0.5],
  animation: "auto",
  film: null,
  finale: false,
  rendering: { still: null, animation: null },
};

/** The draft as it will be, and as the page shows it: held changes, which the service does not take, included. */
export function fold(served, changes) {
  const draft = { story: { ...served.story }, scenes: served.scenes.map((scene) => ({ ...scene })) };
  for (const change of changes) APPLY[change.type](draft, change);
  draft.scenes.forEach((scene, position) => {
    scene.position = position;
  });
  return draft;
}

function write(draft, { target, fields }) {
  const row = target === STORY ? draft.story : draft.scenes.find(({ id }) => id === target);
  if (row) Object.assign(row, fields);
}

const APPLY = {
  edit: write,
  held: write,
  add(draft, { target, after, fields }) {
    insert(draft.scenes, { ...EMPTY_SCENE, id: target, ...fields }, after);
  },
  duplicate(draft, { target, of }) {
    const original = draft.scenes.find(({ id }) => id === of);
    if (original) insert(draft.scenes, { ...original, id: target, finale: false }, of);
  },
  remove(draft, { target }) {
    draft.scenes = draft.scenes.filter(({ id }) => id !== target);
  },
  restore(draft, { target, after, scene }) {
    if (!draft.scenes.some(({ id }) => id === target)) insert(draft.scenes, { ...scene }, after);
  },
  history() {},
  move(draft, { target, after }) {
    const scene = draft.scenes.find(({ id }) => id === target);
    if (!scene) return;
    draft.scenes = draft.scenes.filter((other) => other !== scene);
    insert(draft.scenes, scene, after);
  },
};

/** Behind the scene `after`; as the first where it is null, as the last where it is not known. */
function insert(scenes, scene, after) {
  const place = scenes.findIndex(({ id }) => id === after);
  scenes.splice(after === null ? 0 : place >= 0 ? place + 1 : scenes.length, 0, scene);
}
