/* The editor on page.html, as cases use it: main.js with service.js behind `fetch`. */

import { closeDialog } from "/static/studio/dialogs.js";
import { part } from "/static/studio/lazy.js";
import { select, selected } from "/static/studio/navigation.js";
import { pulse } from "/static/studio/presence.js";
import { draft, saver, undo } from "/static/studio/store.js";
import { uploads } from "/static/studio/upload-list.js";
import { pause, until } from "./runner.js";
import { answerInstead, asked, scenes, story } from "./service.js";
import "/static/studio/main.js";

export const find = (selector) => document.querySelector(selector);
export const all = (selector) => [...document.querySelectorAll(selector)];
export const named = (words, root = document) =>
  [...root.querySelectorAll("button, a, [role=menuitem], label, summary")].find((each) =>
    each.textContent.trim().startsWith(words),
  );
export const ids = () => draft.scenes.map(({ id }) => id);
export const thumb = (id) => find(`#strip [data-scene="${draft.nameOf(id)}"]`);
export const drawn = () => new Promise(requestAnimationFrame).then(() => pause(0));
export const saved = () => until(() => !saver.waits && !saver.busy, "it was never saved");

export async function click(words, root) {
  await until(() => named(words, root), `there is no ${words}`);
  named(words, root).click();
  await drawn();
}

export async function key(name, more = {}, target = thumb(selected) ?? document.body) {
  target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more }));
  await drawn();
}

export async function type(field, value) {
  const element = find(`#field-${field}`);
  element.value = value;
  element.dispatchEvent(new InputEvent("input", { bubbles: true }));
  await drawn();
}

const START = structuredClone({ story, scenes });

/** Until the next case: what the service here answers says less of a film than this page does. */
export function saveNothing() {
  saver.in = () => {};
}

/** Begins a case: everything is as it was in the beginning, nothing waits, and a scene is selected. */
export async function begin(id = "a") {
  await until(() => document.documentElement.dataset.studio === "ready");
  for (const name of ["files", "capsule-fields"]) await part(name).get();
  answerInstead(undefined);
  closeDialog();
  saver.turns += 1; // an answer to what was asked before says nothing any more
  draft.changes = [];
  delete saver.in;
  clearTimeout(saver.timer);
  clearTimeout(pulse.timer); // its beats would draw by chance what should be drawn at once
  await saver.busy;
  clearTimeout(saver.timer);
  Object.assign(story, { publication: undefined, visibility: undefined }, structuredClone(START.story));
  scenes.splice(0, scenes.length, ...structuredClone(START.scenes));
  draft.served = structuredClone({ story, scenes });
  draft.revision = 1;
  for (const { controller } of uploads.all.values()) controller?.abort(); // else this case would answer its tries
  for (const map of [draft.conflicts, draft.removed, draft.names, uploads.all]) map.clear();
  draft.folded = null;
  Object.assign(undo, { done: [], undone: [] });
  Object.assign(saver, { failures: 0, behind: false, state: "saved", since: null });
  Object.assign(pulse, { isChanged: true, latest: { revision: 1, encodes: {}, others: [] } });
  asked.length = 0;
  document.activeElement?.blur();
  select(id);
  clearTimeout(saver.timer);
  await drawn();
  asked.length = 0;
}
