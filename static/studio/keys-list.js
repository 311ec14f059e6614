/* The keys of the editor, as its list of keys shows them. */

export const KEYS = [
  ["Ctrl S", "Save now"],
  ["Ctrl Z", "Undo"],
  ["Ctrl Shift Z", "Redo"],
  ["Ctrl Enter", "Publish"],
  ["Esc", "Close, or cancel a drag"],
  ["?", "This list"],
  ["In the list of scenes", ""],
  ["Arrows, Home, End", "Go to a scene"],
  ["Enter", "Edit its text"],
  ["N", "New scene"],
  ["D", "Duplicate"],
  ["Delete", "Delete"],
  ["Alt Shift arrows", "Move the scene"],
  ["M", "Move to a position"],
];
