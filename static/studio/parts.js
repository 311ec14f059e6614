/* The parts that are fetched when somebody first needs them. All are named here, at the top, because a script's hashed
   name comes of its contents: no module may reach itself, not even by what is fetched later. */

import { provide } from "./lazy.js";

const LOADERS = {
  "capsule-fields": () => import("./capsule-fields.js"),
  caret: () => import("./caret.js"),
  checklist: () => import("./checklist.js"),
  conflict: () => import("./conflict.js"),
  drag: () => import("./drag.js"),
  files: () => import("./files.js"),
  "first-step": () => import("./first-step.js"),
  focus: () => import("./focus.js"),
  live: () => import("./live.js"),
  "media-dialog": () => import("./media-dialog.js"),
  looks: () => import("./looks.js"),
  menus: () => import("./menus.js"),
  merging: () => import("./merging.js"),
  "move-dialog": () => import("./move-dialog.js"),
  "phone-link": () => import("./phone-link.js"),
  preview: () => import("./preview.js"),
  publishing: () => import("./publishing.js"),
  refusals: () => import("./refusals.js"),
  "scene-requests": () => import("./scene-requests.js"),
  scenes: () => import("./scenes.js"),
  "shortcuts-list": () => import("./shortcuts-list.js"),
  split: () => import("./split.js"),
  "stage-swap": () => import("./stage-swap.js"),
  "stage-text": () => import("./stage-text.js"),
  transfer: () => import("./transfer.js"),
  typing: () => import("./typing.js"),
  uploading: () => import("./uploading.js"),
};
/** @typedef {typeof LOADERS} Loaders */

provide(LOADERS);
