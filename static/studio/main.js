/* The editor: has its modules hear of one another, and begins. Nothing that a person wrote lives only in the page. */

import { announceState, toast } from "./announcements.js";
import { told } from "./boot.js";
import { check } from "./check.js";
import { pasted, renameTarget, resumeUploads, takeDrops } from "./file-picking.js";
import { warmOnTouch } from "./lazy.js";
import { adoptName, follow, onSelected } from "./navigation.js";
import { drawBar, drawPage } from "./page.js";
import "./parts.js";
import { pulse } from "./presence.js";
import { onDraw, redraw, redrawNow } from "./redraw.js";
import { keepWords } from "./scene-commands.js";
import { hear, watchComposing } from "./service-news.js";
import { journal } from "./session.js";
import { onShortcuts } from "./shortcuts.js";
import { stage } from "./stage.js";
import { draft, saver } from "./store.js";
import { uploads } from "./upload-list.js";

const WORDS = ["title", "summary", "text", "alt"]; // the stage has them with every key; what is chosen is drawn anew

function changed() {
  redraw();
  stage.write();
  check.refresh();
}

/** The service has a change of the draft.
    @param {import("./fold.js").Change} change */
function settled(change) {
  pulse.saved();
  const structural = !["edit", "held"].includes(change.type);
  stage.isOld = true;
  if (structural || Object.keys(change.fields).some((field) => !WORDS.includes(field))) stage.refresh();
  adoptName();
  changed();
}

/** A change was not taken.
    @param {{error: Error, lost?: import("./fold.js").Fields}} refusal */
function refused({ error, lost }) {
  if (lost && WORDS.some((field) => lost[field])) keepWords(lost);
  else toast(error.message);
}

function connect() {
  onDraw(drawPage);
  onSelected((id) => stage.goto(id));
  draft.on("change", changed);
  draft.on("received", () => {
    redrawNow(); // the next key stands on what its field shows
    changed();
  });
  draft.on("settled", settled);
  saver.renamed = renameTarget;
  saver.addEventListener("state", () => {
    drawBar(); // at once: the page must not say "Saved" a moment longer than it is true
    announceState(saver.state);
    redraw();
  });
  saver.addEventListener("refused", (event) => refused(/** @type {CustomEvent} */ (event).detail));
  pulse.addEventListener("news", hear);
  uploads.addEventListener("change", redraw);
  addEventListener("hashchange", follow);
  addEventListener("beforeunload", (event) => {
    if (!journal.durable && (draft.changes.length || uploads.sending)) event.preventDefault();
  });
  takeDrops(document);
  document.addEventListener("paste", pasted);
  watchComposing();
  onShortcuts();
  warmOnTouch();
}

async function start() {
  await journal.open();
  connect();
  const replay = saver.replay.bind(saver);
  replay(await journal.adopt("changes", replay));
  resumeUploads(await journal.adopt("files", resumeUploads));
  follow();
  changed();
  pulse.soon(1000);
  if (told) toast(told);
  document.documentElement.dataset.studio = "ready";
}

start(); // a module runs once the document is parsed
