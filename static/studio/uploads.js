/* Pictures and films on their way in. The file itself is kept in the browser's database, so that a reload goes on
   without asking for it again. */

import { part } from "./lazy.js";

/** @typedef {import("./upload-list.js").Entry} Entry */
/** @typedef {import("./fold.js").Media} Media */

const PATIENT = { patient: true }; // the part that sends files may itself have to wait for the connection
const transferring = part("transfer");

export class Uploader {
  /** `placeOf(entry)` says what the service should know a file is for; `done(media, entry)` is called when it has it,
      `lost()` when it will not have it.
      @param {{api: import("./api.js").Api, journal: import("./journal.js").Journal,
        placeOf: (entry: Entry) => Promise<{storyId: string, sceneId?: string}>,
        list: import("./upload-list.js").UploadList, done: (media: Media, entry: Entry) => Promise<void>,
        lost: () => void}} needs */
  constructor({ api, journal, placeOf, list, done, lost }) {
    this.api = api;
    this.journal = journal;
    this.placeOf = placeOf;
    this.list = list;
    this.done = done;
    this.lost = lost;
    /** @type {import("./transfer.js").Transfer | undefined} */
    this.transfer = undefined;
    addEventListener("beforeunload", (event) => {
      const lost = [...list.all.values()].some(({ state, isKept }) => state === "sending" && !isKept);
      if (lost) event.preventDefault(); // there was no room for it, though there is for words (main.js)
    });
  }

  /** Takes a file in for a scene.
      @param {File} file
      @param {string} target
      @param {"picture" | "film"} kind */
  take(file, target, kind) {
    /** @type {Entry} */
    const entry = {
      id: crypto.randomUUID(),
      at: Date.now(),
      file,
      target,
      kind,
      url: "",
      name: file.name || "picture.jpg",
      state: "sending",
      percent: 0,
      localUrl: kind === "picture" ? URL.createObjectURL(file) : null,
    };
    this.list.all.set(entry.id, entry);
    this.keep(entry);
    this.carry(entry);
    return entry;
  }

  /** Goes on with what an earlier tab of this story left.
      @param {Entry[]} entries */
  resume(entries) {
    for (const left of entries) {
      /** @type {Entry} */
      const entry = { ...left, isKept: true, state: "sending", percent: 0 };
      if (entry.kind === "picture") entry.localUrl = URL.createObjectURL(entry.file);
      this.list.all.set(entry.id, entry);
      if (entry.upload) this.list.own.add(entry.upload);
      this.carry(entry);
    }
  }

  /** @param {Entry} entry */
  async keep(entry) {
    const { localUrl: _url, percent: _percent, controller: _controller, again: _again, ...kept } = entry;
    entry.isKept = Boolean(await this.journal.keep("files", kept));
  }

  /** A new scene has its lasting name: a reload only knows that one.
      @param {string} from
      @param {string} to */
  async retarget(from, to) {
    for (const entry of this.list.of(from)) {
      entry.target = to;
      if (entry.state === "refused") continue;
      await this.keep(entry);
      if (!this.list.all.has(entry.id)) await this.journal.forget("files", entry.id); // it arrived meanwhile
    }
  }

  /** @param {Entry} entry */
  async carry(entry) {
    try {
      const { Transfer } = await transferring.get(PATIENT);
      if (!this.list.all.has(entry.id)) return; // it was cancelled meanwhile
      this.transfer ??= new Transfer(this);
      await this.done(await this.transfer.deliver(entry), entry);
      this.list.all.delete(entry.id);
      await this.journal.forget("files", entry.id);
    } catch (error) {
      if (error.name === "AbortError") return;
      entry.state = "refused";
      entry.error = error.message;
      this.lost();
      await this.journal.forget("files", entry.id);
    }
    this.list.say();
  }

  /** @param {Entry} entry */
  cancel(entry) {
    entry.controller?.abort();
    this.list.all.delete(entry.id);
    this.lost();
    this.journal.forget("files", entry.id);
    if (entry.upload) this.api.call("DELETE", entry.url).catch(() => {}); // it also ends by itself after a day
    this.list.say();
  }
}
