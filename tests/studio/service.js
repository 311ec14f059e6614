/* The service as these cases need it, behind the network: it answers what the editor's own Api asks by `fetch`. */

/** What was asked, in order: {method, path, body, version, answered}. */
export const asked = [];
/** @type {(request: object) => Response | Promise<Response> | undefined} answers instead, where it answers */
let instead;

export const story = {
  id: "s",
  version: 1,
  revision: 1,
  title: "A capsule",
  summary: "",
  language: "en",
  workspaceId: "w",
};
export const emptyScene = {
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
export const scenes = ["a", "b", "c"].map((id, position) => ({
  id,
  position,
  version: 1,
  title: "",
  text: `Text of ${id}.`,
  alt: "",
  still: { id: `still-${id}`, kind: "picture", filename: `${id}.jpg`, thumbnailUrl: "data:," },
  focus: [0.5, 0.5],
  animation: "auto",
  film: null,
  finale: id === "c",
  rendering: { still: null, animation: null },
}));

export const row = (id) => (id === "story" ? story : scenes.find((scene) => scene.id === id));

/** Other people save something. */
export function othersSave(id, fields) {
  Object.assign(row(id), fields, { version: row(id).version + 1 });
  story.revision += 1;
}

export function answerInstead(act) {
  instead = act;
}

export const json = (data, status = 200, headers = {}) =>
  new Response(JSON.stringify(data), { status, headers: { "Content-Type": "application/json", ...headers } });

export const refusal = (status, faults = [], headers = {}) =>
  json({ error: `Refused ${status}.`, details: faults }, status, headers);

const ANSWERS = {
  "GET /token": () => json({ person: "me", csrfToken: "c" }),
  "POST /token": () => json({ token: "t" }),
  "GET /pulse": () => json({ revision: story.revision, encodes: {}, others: [], publication: {} }),
  "GET /stories/s/draft": () => json(structuredClone({ story, scenes })),
  "GET /stories/s/readiness": () => json({ faults: [], advice: [] }),
  "POST /stories/s/scenes": ({ body: { after, ...fields } }) => {
    const made = { ...scenes[0], still: null, finale: false, ...fields, id: `scene-${scenes.length}`, version: 1 };
    const place = after === null ? 0 : scenes.findIndex(({ id }) => id === after) + 1 || scenes.length;
    scenes.splice(place, 0, made);
    return numbered(made, 201);
  },
};

/** A scene as the service answers it: with its place among the others. */
function numbered(scene, status = 200) {
  for (const [position, each] of scenes.entries()) each.position = position;
  return json(scene, status);
}

const removed = new Map();
const idOf = (path, place = -1) => path.split("/").at(place);
const media = (id) => (typeof id === "string" ? { id, kind: "picture", filename: id, thumbnailUrl: "data:," } : id);

const put = (scene, after) => scenes.splice(scenes.findIndex(({ id }) => id === after) + 1, 0, scene);
const take = (id) => scenes.splice(scenes.indexOf(row(id)), 1)[0];

/** What is done to one scene, by the end of its address. */
const DEEDS = {
  duplicate({ path }) {
    const original = row(idOf(path, -2));
    const copy = { ...original, id: `scene-${scenes.length}`, finale: false };
    scenes.splice(scenes.indexOf(original) + (original.finale ? 0 : 1), 0, copy);
    return numbered(copy, 201);
  },
  restore({ path }) {
    const [scene, after] = removed.get(idOf(path, -2));
    put(scene, after);
    return numbered(scene);
  },
  move({ path, body: { after } }) {
    put(take(idOf(path, -2)), after);
    return json({ order: scenes.map(({ id }) => id) });
  },
};

function remove({ path }) {
  const before = scenes[scenes.indexOf(row(idOf(path))) - 1]?.id;
  removed.set(idOf(path), [take(idOf(path)), before]);
  return json({});
}

const CHANGES = /^\/stories\/s(\/scenes.*)?$/;

function answerTo(request) {
  if (request.method === "GET" || !CHANGES.test(request.path)) return answerOf(request);
  story.revision += 1;
  const answer = answerOf(request);
  if (answer.ok) answer.headers.set("Draft-Revision", String(story.revision));
  else story.revision -= 1;
  return answer;
}

function answerOf(request) {
  const known = ANSWERS[`${request.method} ${request.path}`] ?? DEEDS[idOf(request.path)];
  if (known) return known(request);
  if (request.method === "PATCH") return patch(request);
  return request.method === "DELETE" && row(idOf(request.path)) ? remove(request) : json({});
}

function patch({ path, body, version }) {
  const found = row(path === "/stories/s" ? "story" : path.split("/").at(-1));
  if (!found) return refusal(404);
  if (version !== undefined && version !== found.version) return refusal(412);
  if (body.still) body.still = media(body.still);
  if (body.film) body.film = { ...media(body.film), kind: "film" };
  Object.assign(found, body, { version: found.version + 1 });
  return json(structuredClone(found));
}

globalThis.fetch = async (url, { method = "GET", body, headers = {}, keepalive, signal } = {}) => {
  signal?.throwIfAborted();
  const { pathname, search } = new URL(url, location.href);
  const path = pathname.replace("/api/v2", "");
  const isJson = typeof body === "string";
  const version = headers["If-Match"] === undefined ? undefined : Number(headers["If-Match"].replaceAll('"', ""));
  const sent = isJson ? JSON.parse(body) : body;
  const request = { method, path, search, body: sent, version, headers, keepalive, answered: false };
  if (!/token|pulse|readiness/.test(path)) asked.push(request);
  const response = (await instead?.(request)) ?? answerTo(request);
  request.answered = true;
  return response;
};
