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
