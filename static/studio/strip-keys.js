/* The keys of the strip, while it has the focus. */

const KEYS = {
  ArrowDown: (studio, place) => studio.selectAt(place + 1),
  ArrowRight: (studio, place) => studio.selectAt(place + 1),
  ArrowUp: (studio, place) => studio.selectAt(place - 1),
  ArrowLeft: (studio, place) => studio.selectAt(place - 1),
  Home: (studio) => studio.selectAt(0),
  End: (studio) => studio.selectAt(Infinity),
  Enter: (studio) => studio.focusField("text"),
  " ": (studio) => studio.focusField("text"),
  n: (studio) => studio.addScene(),
  d: (studio, _place, id) => studio.duplicateScene(id),
  m: (studio, _place, id) => studio.askPlace(id),
  Delete: (studio, _place, id) => studio.removeScene(id),
  Backspace: (studio, _place, id) => studio.removeScene(id),
};
const READING = ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "Enter"];

export function onKey(studio, event) {
  const id = event.target.closest("[data-scene]")?.dataset.scene;
  const place = studio.draft.scenes.findIndex((scene) => scene.id === id);
  if (place < 0 || event.ctrlKey || event.metaKey) return;
  if (event.altKey && event.shiftKey) {
    const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
    if (!step || !studio.writes) return;
    event.preventDefault();
    studio.moveTo(id, place + step);
    return;
  }
  const act = KEYS[event.key];
  if (!act || event.altKey || !(studio.writes || READING.includes(event.key))) return;
  event.preventDefault();
  act(studio, place, id);
  if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") {
    studio.focusStrip = studio.draft.nameOf(studio.selected);
    studio.draw();
  }
}
