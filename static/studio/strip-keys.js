/* The keys of the strip, while it has the focus. */

const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
const KEYS = {
  Home: (studio) => studio.selectAt(0),
  End: (studio) => studio.selectAt(Infinity),
  Enter: (studio) => studio.focusField("text"),
  " ": (studio) => studio.focusField("text"),
  n: (studio) => studio.addScene(),
  d: (studio, id) => studio.duplicateScene(id),
  m: (studio, id) => studio.askPlace(id),
  Delete: (studio, id) => studio.removeScene(id),
  Backspace: (studio, id) => studio.removeScene(id),
};

export function onKey(studio, event) {
  const { key, altKey } = event;
  // Keys come faster than the page is drawn: the focus may be on its way to a scene that was named meanwhile.
  const id = studio.draft.nameOf(studio.focusStrip || event.target.closest("[data-scene]")?.dataset.scene);
  const place = studio.draft.scenes.findIndex((scene) => scene.id === id);
  if (place < 0 || event.ctrlKey || event.metaKey) return;
  const step = STEPS[key];
  if (altKey && event.shiftKey) {
    if (!step || !studio.writes) return;
    event.preventDefault();
    studio.moveTo(id, place + step);
    return;
  }
  const act = step ? () => studio.selectAt(place + step) : KEYS[key];
  const goes = step || key === "Home" || key === "End";
  if (!act || altKey || !(studio.writes || goes || key === "Enter")) return;
  event.preventDefault();
  act(studio, id);
  if (goes) {
    studio.focusStrip = studio.draft.nameOf(studio.selected);
    studio.draw();
  }
}
