/* Ordering by pointer. Nothing moves in the document until the drop; Escape cancels. A mouse drags at once, a finger
   after it rested for a moment, so that the strip can still be scrolled. At its ends the strip scrolls by itself. */

const REST = 300; // ms a finger rests before it drags
const SLACK = 6; // pixels a pointer may stray before it counts as a drag
const EDGE = 48; // pixels from an end of the strip in which it scrolls
const PACE = 10; // pixels a frame

/** `item` is what `start`, a pointerdown, took hold of; `drop(place)` is called where it is let go.
    @param {PointerEvent} start
    @param {HTMLElement} item
    @param {(place: number) => void} drop */
export function drag(start, item, drop) {
  if (start.button || !start.isPrimary) return;
  const list = /** @type {HTMLElement} */ (item.parentElement);
  const touch = start.pointerType !== "mouse";
  const aborted = new AbortController();
  const options = { signal: aborted.signal };
  const around = /** @type {HTMLElement} */ (list.parentElement); // scrolls
  let dragging = false,
    place = -1,
    pointer = start,
    frame = 0;

  const resting = touch ? setTimeout(begin, REST) : 0;
  /** @param {PointerEvent} event */
  const far = (event) => Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > SLACK;

  function begin() {
    dragging = true;
    item.classList.add("dragging");
    if (touch) navigator.vibrate?.(10);
    frame = requestAnimationFrame(scroll);
  }
  /** Goes on for as long as the pointer rests near an end, which sends no events. */
  function scroll() {
    frame = requestAnimationFrame(scroll);
    const { top, bottom } = around.getBoundingClientRect();
    const before = around.scrollTop;
    if (pointer.clientY < top + EDGE) around.scrollTop -= PACE;
    else if (pointer.clientY > bottom - EDGE) around.scrollTop += PACE;
    if (around.scrollTop !== before) aim();
  }
  function aim() {
    const target = at(pointer);
    place = target.index;
    mark(target.before);
  }
  /** @param {PointerEvent} event */
  function at(event) {
    const upright = list.clientHeight >= list.clientWidth || getComputedStyle(list).flexDirection !== "row";
    const items = [...list.children].filter((other) => other !== item);
    const next = items.findIndex((other) => {
      const box = other.getBoundingClientRect();
      return upright ? event.clientY < box.top + box.height / 2 : event.clientX < box.left + box.width / 2;
    });
    return { index: next < 0 ? items.length : next, before: next < 0 ? null : items[next] };
  }
  /** @param {Element | null} before */
  function mark(before) {
    for (const other of list.children) other.classList.toggle("drop-before", other === before);
    list.classList.toggle("drop-at-end", !before);
  }
  function end() {
    clearTimeout(resting);
    cancelAnimationFrame(frame);
    aborted.abort();
    item.classList.remove("dragging");
    list.classList.remove("drop-at-end");
    for (const other of list.children) other.classList.remove("drop-before");
  }

  addEventListener(
    "pointermove",
    (event) => {
      if (!dragging && far(event)) {
        if (touch) return end(); // a finger that moves at once scrolls
        begin();
      }
      pointer = event;
      if (dragging) aim();
      return undefined;
    },
    options,
  );
  addEventListener(
    "pointerup",
    () => {
      const drops = dragging && place >= 0;
      end();
      if (drops) drop(place);
    },
    options,
  );
  addEventListener("pointercancel", end, options);
  addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape") end();
    },
    options,
  );
  // A finger that drags must not scroll: browsers ask this of a listener that is not passive.
  addEventListener(
    "touchmove",
    (event) => {
      if (dragging) event.preventDefault();
    },
    { ...options, passive: false },
  );
  item.addEventListener(
    "contextmenu",
    (event) => {
      if (touch) event.preventDefault();
    },
    options,
  );
}
