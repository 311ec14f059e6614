/* Drawing the page again: what draws registers once, whatever changes something asks for it. */

/** @type {(() => void)[]} */
const drawers = [];
let asked = false;

/** @param {() => void} draw */
export function onDraw(draw) {
  drawers.push(draw);
}

/** Draws with the next frame, once for all who ask until then. */
export function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    redrawNow();
  });
}

export function redrawNow() {
  for (const draw of drawers) draw();
}
