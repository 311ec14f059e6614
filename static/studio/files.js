/* Files that somebody hands over: what they are, which scene gets them, and what a scene has once they arrived. */

import { addBehind, goOn } from "./scenes.js";
import { uploadsOf } from "./uploads.js";

/** Takes files in: the first for the scene `id` itself, each further one for a scene of its own, in the order
    in which they were picked. One stays with the first, whose words come next. */
export function takeFiles(studio, files, id, from) {
  const usable = files.filter(kindOf);
  for (const file of files) if (!kindOf(file)) studio.toast(`${file.name} is neither a picture nor a film.`);
  let target = id;
  usable.forEach((file, index) => {
    if (index || !target) target = addBehind(studio, target || from);
    if (!index && !id) goOn(studio, from, target);
    takeFile(studio, file, target);
  });
  if (usable.length > 1) studio.say(`${usable.length} files: one scene each.`);
}

function takeFile(studio, file, target) {
  uploadsOf(studio).take(file, { target, kind: kindOf(file), done: (media, entry) => give(studio, media, entry) });
  studio.stage.write();
  studio.draw();
}

/** From the clipboard: the first picture or film, for the scene itself. */
export function takePasted(studio, files, target) {
  const file = files.find(kindOf);
  if (file) takeFile(studio, file, target);
}

/** Goes on with what an earlier tab of this story left. */
export function resume(studio, entries) {
  uploadsOf(studio).resume(entries, (media, entry) => give(studio, media, entry));
}

/** The service has a file: its scene gets it. A film brings a still of its own. */
async function give(studio, media, { target, kind, localUrl }) {
  const picture = kind === "picture" && media.kind === "picture";
  const fields = picture ? { still: { ...media, localUrl } } : { film: media, animation: "film" };
  const scene = studio.draft.scene(target);
  if (!picture && scene && !scene.still) fields.still = await stillOf(studio, media);
  studio.set(target, fields, picture ? "Picture" : "Film");
  if (media.note) studio.toast(media.note);
}

/** The still of a film: its own, or else one from a tenth into it, where most films have begun. */
async function stillOf(studio, film) {
  if (film.posterId) return (await studio.api.call("GET", `/media/${film.posterId}`)).data;
  const at = Math.min(12, film.duration || 0) / 10;
  return (await studio.api.call("POST", `/media/${film.id}/still`, { body: { at } })).data;
}

/** Takes the still of a scene from its film, at a second. */
export async function takeStill(studio, scene, at) {
  try {
    const { data: media } = await studio.api.call("POST", `/media/${scene.film.id}/still`, { body: { at } });
    studio.set(scene.id, { still: media }, "Still from the film");
  } catch (error) {
    studio.toast(error.message);
  }
}

/** What a file is for us: "picture", "film", or null where we cannot use it. */
export function kindOf({ type, name }) {
  if (type.startsWith("video/") || /\.(mp4|m4v|mov|webm|mkv)$/i.test(name)) return "film";
  if (type.startsWith("image/") || /\.(jpe?g|png|webp|avif|hei[cf]|gif)$/i.test(name)) return "picture";
  return null;
}
