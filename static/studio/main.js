/* The editor: puts the parts together, and knows what is selected. Nothing that a person wrote lives only here. */

import { Api } from "./api.js";
import { Check } from "./check.js";
import { Draft, STORY } from "./draft.js";
import { drawing } from "./drawing.js";
import { edits } from "./edits.js";
import { Journal } from "./journal.js";
import { onKeys } from "./keys.js";
import { news } from "./news.js";
import { openings } from "./openings.js";
import { Parts } from "./parts.js";
import { places } from "./places.js";
import { Pulse } from "./pulse.js";
import { Saver } from "./save.js";
import { Stage } from "./stage.js";
import { Undo } from "./undo.js";
import { words } from "./words.js";

const place = (id) => document.getElementById(id);

/** What stands for the files on their way in until there is one. */
const NO_UPLOADS = { all: new Map(), of: () => [], localUrlFor() {}, underWay: 0, fragile: false, retarget() {} };

class Studio {
  static async start() {
    const boot = JSON.parse(place("boot").textContent);
    const journal = await Journal.of(boot.draft.story.id, boot.person);
    const studio = new Studio(boot, journal);
    await studio.wake();
    return studio;
  }

  constructor(boot, journal) {
    Object.assign(this, {
      urls: boot.urls,
      writes: boot.writes,
      whyNot: boot.whyNot,
      journal,
      hasEditions: boot.hasEditions,
      claims: boot.claims,
      shares: boot.shares,
      user: boot.user,
      choices: boot.choices,
      languages: boot.languages,
    });
    this.skew = new Date(boot.now) - Date.now(); // the device's clock may be a day off
    this.api = new Api({ base: boot.urls.api, tokenUrl: boot.urls.token, person: boot.person });
    this.draft = new Draft(boot.draft, boot.limits);
    this.undo = new Undo((words) => {
      this.say(words);
      this.draw();
    });
    this.parts = new Parts(() => {
      this.draw();
      this.stage?.write();
    });
    this.saver = new Saver(this);
    this.uploads = NO_UPLOADS;
    this.selected = this.draft.scenes[0]?.id ?? STORY;
    this.check = new Check(this);
    this.pulse = new Pulse({
      url: boot.urls.pulse,
      tab: journal.tab,
      revision: boot.draft.story.revision,
      isChanged: boot.isChanged,
      scene: () => (this.selected === STORY ? "" : this.draft.nameOf(this.selected)),
    });
  }

  async wake() {
    this.stage = new Stage(this, place("stage"));
    this.draft.addEventListener("change", () => this.changed());
    this.draft.addEventListener("received", () => {
      this.drawNow(); // the next key stands on what its field shows
      this.changed();
    });
    this.draft.addEventListener("settled", ({ detail }) => this.settled(detail));
    this.saver.addEventListener("state", () => {
      this.drawBar(); // at once: the page must not say "Saved" a moment longer than it is true
      this.announceState();
      this.draw();
    });
    this.saver.addEventListener("refused", ({ detail }) => this.refused(detail));
    this.pulse.addEventListener("news", () => this.heard());
    addEventListener("hashchange", () => this.follow());
    addEventListener("beforeunload", (event) => {
      if ((!this.journal.durable && this.draft.changes.length) || this.uploads.fragile) event.preventDefault();
    });
    this.takeDrops(document);
    document.addEventListener("paste", (event) => this.pasted(event));
    const compose = ({ type }) => {
      this.composing = type === "compositionstart";
      if (!this.composing) this.heard();
    };
    for (const type of ["compositionstart", "compositionend"]) document.addEventListener(type, compose);
    onKeys(this);
    const replay = (changes) => this.saver.replay(changes);
    const resume = (files) => {
      if (files.length) this.parts.get("files", { patient: true }).then((part) => part.resume(this, files));
    };
    replay(await this.journal.adopt("changes", replay));
    resume(await this.journal.adopt("files", resume));
    this.follow();
    this.draw();
    this.check.refresh();
    this.pulse.soon(1000);
    document.documentElement.dataset.studio = "ready";
  }

  now() {
    return new Date(Date.now() + this.skew);
  }
}

Object.assign(Studio.prototype, drawing, edits, news, openings, places, words);
Studio.start(); // a module runs once the document is parsed
