/* The draft of this page, what saves it, and what was done to it here. */

import { say } from "./announcements.js";
import { emptyScene, limits, served } from "./boot.js";
import { Draft } from "./draft.js";
import { redraw } from "./redraw.js";
import { Saver } from "./save.js";
import { api, journal } from "./session.js";
import { Undo } from "./undo.js";

export const draft = new Draft(served, limits, emptyScene);
export const saver = new Saver({ api, draft, journal });
export const undo = new Undo((words) => {
  say(words);
  redraw();
});
