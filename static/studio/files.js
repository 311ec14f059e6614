/* Files that somebody hands over: what they are, which scene gets them, and what a scene has once they arrived. */

import { say, toast } from "./announcements.js";
import { same } from "./draft.js";
import { setFields } from "./editing.js";
import { frameOf } from "./film-frame.js";
import { fieldsOf } from "./media-fields.js";
import { goOn } from "./navigation.js";
import { showFor } from "./pictures.js";
import { redraw } from "./redraw.js";
import { addBehind } from "./scenes.js";
import { api, journal } from "./session.js";
import { stage } from "./stage.js";
import { draft, saver, undo } from "./store.js";
import { uploads } from "./upload-list.js";
import { Uploader } from "./uploads.js";
import { plural, t } from "./words.js";

export { decode } from "./decoding.js";

/** @typedef {import("./fold.js").Media} Media */
/** @typedef {import("./fold.js").Scene} Scene */
/** @typedef {import("./upload-list.js").Entry} Entry */

export const uploader = new Uploader({ api, journal, list: uploads, placeOf, done: give, lost: () => stage.refresh() });

/** @type {Map<string, number>} */
const stillsAsked = new Map(); // by scene: the second that was asked for last
/** @type {WeakMap<Entry, Promise<string | null>>} */
const frames = new WeakMap(); // of films on their way
/** @type {WeakMap<Entry, import("./fold.js").Fields>} */
const before = new WeakMap(); // what their scenes showed

/** Takes files in: the first for the scene `id` itself, each further one for a scene of its own, in the order
    in which they were picked. One stays with the first, whose words come next.
    @param {File[]} files
    @param {string | null} id
    @param {string} from */
export function takeFiles(files, id, from) {
  const usable = files.filter(kindOf);
  for (const file of files) if (!kindOf(file)) toast(t("{name} is neither a picture nor a film.", { name: file.name }));
  let target = id;
  usable.forEach((file, index) => {
    if (index || !target) target = addBehind(target || from);
    if (!index && !id) goOn(from, target);
    takeFile(file, target);
  });
  if (usable.length > 1) say(plural("1 file: one scene.", "{n} files: one scene each.", usable.length));
}

/** @param {File} file
    @param {string} target */
function takeFile(file, target) {
  const kind = kindOf(file);
  if (kind) begin(uploader.take(file, draft.nameOf(target), kind)); // which it may have got while this part came
  stage.write();
  redraw();
}

/** @param {Entry} entry */
function begin(entry) {
  before.set(entry, shownIn(entry.target));
  showFrame(entry);
}

/** @param {string} target
    @returns {import("./fold.js").Fields} */
function shownIn(target) {
  const { still, film, animation, trim } = draft.scene(target) ?? {};
  return { still, film, animation, trim };
}

/** A film shows a frame of its own where its scene has no picture.
    @param {Entry} entry */
async function showFrame(entry) {
  if (entry.kind !== "film" || draft.scene(entry.target)?.still) return;
  frames.set(entry, frameOf(entry.file));
  entry.localUrl = await frames.get(entry);
  stage.write();
  redraw();
}

/** From the clipboard: the first picture or film, for the scene itself.
    @param {File[]} files
    @param {string} target */
export function takePasted(files, target) {
  const file = files.find(kindOf);
  if (file) takeFile(file, target);
}

/** Goes on with what an earlier tab of this story left.
    @param {Entry[]} entries */
export function resume(entries) {
  uploader.resume(entries.map((entry) => ({ ...entry, target: draft.nameOf(entry.target) })));
  uploads.all.forEach(begin);
  stage.write(); // its page may have come before this part
}

/** What the service should know of a file. Its scene may be new: it has its lasting name once it is saved.
    @param {Entry} entry
    @returns {Promise<{storyId: string, sceneId?: string}>} */
function placeOf({ target }) {
  return new Promise((then) => {
    const look = () => {
      const scene = draft.scene(target); // none where it was removed
      if (scene?.id.startsWith("new-")) return;
      draft.removeEventListener("settled", look);
      then({ storyId: draft.story.id, ...(scene && { sceneId: scene.id }) });
    };
    draft.addEventListener("settled", look);
    look();
  });
}

/** The service has a file, and has put it into its scene, unless somebody chose another meanwhile.
    @param {Media} media
    @param {Entry} entry */
async function arrived(media, entry) {
  await saver.refresh().catch(() => {}); // else the next beat of the pulse brings it
  const [was, now] = [before.get(entry), shownIn(entry.target)];
  if (!was || ![now.still?.id, now.film?.id].includes(media.id)) return;
  if (same(was.still, now.still) && same(was.film, now.film)) return;
  undo.did(
    media.kind === "film" ? t("Film") : t("Picture"),
    () => draft.edit(entry.target, was),
    () => draft.edit(entry.target, now),
  );
}

/** The service has a file: its scene gets it. A film brings a still of its own.
    @param {Media} media
    @param {Entry} entry */
async function give(media, entry) {
  const localUrl = (await frames.get(entry)) ?? entry.localUrl;
  showFor(media.id, localUrl);
  if (media.posterId) showFor(media.posterId, localUrl);
  if (media.isPlaced) await arrived(media, entry);
  else await put(media, entry.target, localUrl);
  if (media.note) toast(media.note);
}

/** Puts a file into a scene that the service knew nothing of when the upload began.
    @param {Media} media
    @param {string} target
    @param {string | null | undefined} localUrl */
async function put(media, target, localUrl) {
  const fields = fieldsOf(media);
  const scene = draft.scene(target);
  if (media.kind === "film" && scene && !scene.still) {
    fields.still = await stillOf(media);
    showFor(fields.still.id, localUrl);
  }
  setFields(target, fields, fields.film ? t("Film") : t("Picture"));
}

/** The still of a film: its own, or else one from a tenth into it, where most films have begun.
    @param {Media} film */
async function stillOf(film) {
  if (film.posterId) return (await api.call("GET", `/media/${film.posterId}`)).data;
  const at = Math.min(12, film.duration || 0) / 10;
  return (await api.call("POST", `/media/${film.id}/still`, { body: { at } })).data;
}

/** Takes the still of a scene from its film, at a second.
    @param {Scene} scene
    @param {number} at
    @param {() => void} [refused] */
export async function takeStill(scene, at, refused) {
  stillsAsked.set(scene.id, at);
  try {
    const { data: media } = await api.call("POST", `/media/${scene.film?.id}/still`, { body: { at } });
    const isWanted = stillsAsked.get(scene.id) === at && same(draft.scene(scene.id)?.film, scene.film);
    if (isWanted) setFields(scene.id, { still: media }, t("Still from the film"));
  } catch (error) {
    if (stillsAsked.get(scene.id) === at) refused?.();
    toast(error.message);
  }
}

/** What a file is for us: "picture", "film", or null where we cannot use it.
    @param {File} file
    @returns {"picture" | "film" | null} */
function kindOf({ type, name }) {
  if (type.startsWith("video/") || /\.(mp4|m4v|mov|webm|mkv)$/i.test(name)) return "film";
  if (type.startsWith("image/") || /\.(jpe?g|png|webp|avif|hei[cf]|gif)$/i.test(name)) return "picture";
  return null;
}
