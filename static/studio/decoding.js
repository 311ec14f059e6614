/* The rendition of a picture takes the place of what this device shows for it, once it is decoded. */

import { showFor } from "./pictures.js";
import { redraw } from "./redraw.js";

const decoding = new Set();

/** @param {string} id
    @param {string} url */
export function decode(id, url) {
  if (decoding.has(url)) return;
  decoding.add(url);
  const done = () => decoding.delete(url); // what cannot be read now is asked for again at a later drawing
  Object.assign(new Image(), { src: url })
    .decode()
    .then(() => {
      showFor(id, url);
      redraw();
      done();
    }, done);
}

/** Fetches what a list that a phone hides has put off, and what could not be fetched before. This module arrives after
    the first touch of the page (lazy.js), so an author who goes offline later has every picture to choose from. */
function fetchListed() {
  /** @type {NodeListOf<HTMLImageElement>} */
  const listed = document.querySelectorAll(":is(#strip, .covers) img");
  for (const picture of listed) {
    picture.loading = "eager";
    const again = () => picture.setAttribute("src", picture.src);
    if (!picture.complete)
      picture.addEventListener("error", again, { once: true }); // asked for offline
    else if (!picture.naturalWidth) again();
  }
}

fetchListed();
addEventListener("online", fetchListed);
