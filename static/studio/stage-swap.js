/* A new page of the draft takes the place of the one on the stage, once its picture can be drawn. */

import { selected } from "./navigation.js";

/** @typedef {typeof import("./stage.js").stage} Stage */

const LATE = 5000; // ms that a page waits for its picture at most

let refreshing = false;
let stale = false;

/** Shows what the service renders now, without a flicker. Calls in between wait for the one that runs.
    @param {Stage} stage */
export async function refresh(stage) {
  stale = refreshing;
  if (refreshing) return;
  refreshing = true;
  try {
    await swap(stage);
  } finally {
    refreshing = false;
    if (stale) refresh(stage);
  }
}

/** @param {Stage} stage */
async function swap(stage) {
  const next = stage.makeFrame();
  next.classList.add("stage-next");
  stage.box.append(next);
  await stage.load(next);
  await stage.write(next.contentDocument);
  await decoded(stage.target(selected, next.contentDocument));
  if (stale) return next.remove(); // a newer one comes; this one may show a picture that was replaced meanwhile
  if (!next.contentDocument) {
    next.remove(); // the browser says there that the service cannot be reached
    addEventListener("online", () => refresh(stage), { once: true });
    return;
  }
  await stage.write(next.contentDocument); // what was chosen while its picture came
  stage.goto(selected, next.contentDocument, "instant"); // and where
  next.classList.remove("stage-next");
  stage.frame.remove();
  stage.frame = next;
  stage.fit();
}

/** Returns when the picture of a scene can be drawn, or does not come.
    @param {HTMLElement | null | undefined} section */
async function decoded(section) {
  /** @type {HTMLImageElement | null | undefined} */
  const picture = section?.querySelector(".shot img");
  if (!picture) return;
  picture.loading = "eager"; // a page that is not seen yet fetches none that are lazy
  const late = new Promise((then) => {
    setTimeout(then, LATE);
  });
  await Promise.race([picture.decode().catch(() => {}), late]);
}
