/* Pictures and films on their way in. The file itself is kept in the browser's database, so that a reload goes on
   without asking for it again. */

const PATIENT = { patient: true }; // the part that sends files may itself have to wait for the connection

/** Those of this editor, made when the first file comes in. */
export function uploadsOf(studio) {
  if (!(studio.uploads instanceof Uploads)) {
    const { api, journal, parts } = studio;
    studio.uploads = new Uploads({ api, journal, parts, workspace: studio.draft.story.workspaceId });
    studio.uploads.addEventListener("change", () => studio.draw());
  }
  return studio.uploads;
}

export class Uploads extends EventTarget {
  constructor({ api, journal, workspace, parts }) {
    super();
    Object.assign(this, { api, journal, workspace, parts });
    this.all = new Map(); // id of this page → {id, target, kind, name, percent, state, error}
  }

  /** Takes a file in for a scene. `done(media)` is called when the service has it. */
  take(file, { target, kind, done }) {
    const entry = {
      id: crypto.randomUUID(),
      at: Date.now(),
      file,
      target,
      kind,
      name: file.name || "picture.jpg",
      state: "sending",
      percent: 0,
      localUrl: kind === "picture" ? URL.createObjectURL(file) : null,
    };
    this.all.set(entry.id, entry);
    this.keep(entry);
    this.carry(entry, done);
    return entry;
  }

  /** Goes on with what an earlier tab of this story left. */
  resume(entries, done) {
    for (const left of entries) {
      const entry = { ...left, state: "sending", percent: 0 };
      if (entry.kind === "picture") entry.localUrl = URL.createObjectURL(entry.file);
      this.all.set(entry.id, entry);
      this.carry(entry, done);
    }
  }

  say() {
    this.dispatchEvent(new Event("change"));
  }

  keep({ localUrl: _url, percent: _percent, controller: _controller, again: _again, ...entry }) {
    return this.journal.keep("files", entry);
  }

  /** How many files the service does not have yet, or still looks at. */
  get underWay() {
    return [...this.all.values()].filter(({ state }) => state !== "refused").length;
  }

  /** Whether bytes exist only in this page: then it should not be closed. */
  get fragile() {
    return !this.journal.durable && [...this.all.values()].some(({ state }) => state === "sending");
  }

  of(target) {
    return [...this.all.values()].filter((entry) => entry.target === target);
  }

  /** The picture that is on its way to a scene, as this device has it. */
  localUrlFor(target) {
    return this.of(target).findLast(({ localUrl, state }) => localUrl && state !== "refused")?.localUrl;
  }

  /** A new scene has its lasting name: a reload only knows that one. */
  async retarget(from, to) {
    for (const entry of this.of(from)) {
      entry.target = to;
      if (entry.state === "refused") continue;
      await this.keep(entry);
      if (!this.all.has(entry.id)) await this.journal.forget("files", entry.id); // it arrived meanwhile
    }
  }

  async carry(entry, done) {
    try {
      const { Transfer } = await this.parts.get("transfer", PATIENT);
      this.transfer ??= new Transfer(this);
      await done(await this.transfer.deliver(entry), entry);
      this.all.delete(entry.id);
      await this.journal.forget("files", entry.id);
    } catch (error) {
      if (error.name === "AbortError") return;
      entry.state = "refused";
      entry.error = error.message;
      await this.journal.forget("files", entry.id);
    }
    this.say();
  }

  cancel(entry) {
    entry.controller?.abort();
    this.all.delete(entry.id);
    this.journal.forget("files", entry.id);
    if (entry.upload) this.api.call("DELETE", entry.url).catch(() => {}); // it also ends by itself after a day
    this.say();
  }
}
