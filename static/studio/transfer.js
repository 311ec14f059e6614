/* The way of one file to the service: in slices, so that a lost connection costs one slice, and again and again for
   as long as it takes. */

import { ApiError } from "./api.js";
import { t } from "./words.js";

/** @typedef {import("./upload-list.js").Entry} Entry */

const LARGEST = 8 * 1024 * 1024; // bytes in a slice, as the service takes it
const SMALLEST = 256 * 1024;
const SLICE_TIME = 2000; // ms that a slice should take: slow lines get small ones

/** How large the next slice is, after one of `size` bytes took so many ms.
    @param {number} size
    @param {number} took */
export const nextSlice = (size, took) =>
  Math.round(Math.max(SMALLEST, Math.min(LARGEST, size * (SLICE_TIME / Math.max(1, took)))));

/** Brings the files of `uploads` to the service, one slice of each at a time. */
export class Transfer {
  /** @param {import("./uploads.js").Uploader} uploads */
  constructor(uploads) {
    this.uploads = uploads;
    this.api = uploads.api;
    this.slice = 1024 * 1024;
  }

  /** @param {Entry} entry
      @returns {Promise<import("./fold.js").Media>} */
  async deliver(entry) {
    entry.controller = new AbortController();
    if (!entry.upload) {
      const body = {
        ...(await this.uploads.placeOf(entry)),
        kind: entry.kind,
        filename: entry.name,
        size: entry.file.size,
      };
      entry.controller.signal.throwIfAborted();
      const headers = { "Idempotency-Key": entry.id };
      const { data } = await this.patiently(entry, () => this.api.call("POST", "/uploads", { body, headers }));
      Object.assign(entry, { upload: data.id, url: data.uploadUrl });
      this.uploads.list.own.add(data.id);
      if (entry.controller.signal.aborted) this.uploads.cancel(entry); // now the service can be told
      entry.controller.signal.throwIfAborted();
      await this.uploads.keep(entry);
      entry.controller.signal.throwIfAborted();
    }
    await this.sendAll(entry);
    return this.checked(entry);
  }

  /** @param {Entry} entry */
  async sendAll(entry) {
    let offset = await this.patiently(entry, () => this.offsetOf(entry));
    this.begin(entry, offset);
    while (offset < entry.file.size) {
      offset = await this.patiently(
        entry,
        () => this.sendSlice(entry, offset),
        async () => {
          offset = await this.offsetOf(entry); // some of it may have arrived
          this.begin(entry, offset);
        },
      );
      this.progress(entry, offset);
    }
  }

  /** @param {Entry} entry */
  async offsetOf(entry) {
    const { headers } = await this.api.call("HEAD", entry.url, { headers: { "Tus-Resumable": "1.0.0" } });
    return Number(headers.get("Upload-Offset"));
  }

  /** @param {Entry} entry
      @param {number} offset */
  async sendSlice(entry, offset) {
    if (offset >= entry.file.size) return offset; // the answer to the last slice was lost, not the slice
    const began = performance.now();
    const raw = entry.file.slice(offset, offset + this.slice);
    const { headers } = await this.api.call("PATCH", entry.url, {
      raw,
      signal: entry.controller?.signal,
      headers: {
        "Tus-Resumable": "1.0.0",
        "Upload-Offset": String(offset),
        "Content-Type": "application/offset+octet-stream",
      },
    });
    this.slice = nextSlice(raw.size, performance.now() - began);
    return Number(headers.get("Upload-Offset"));
  }

  /** From here its pace is measured.
      @param {Entry} entry
      @param {number} offset */
  begin(entry, offset) {
    Object.assign(entry, { from: offset, began: Date.now() });
    this.progress(entry, offset);
  }

  /** @param {Entry} entry
      @param {number} offset */
  progress(entry, offset) {
    entry.sent = offset;
    entry.percent = Math.floor((offset / entry.file.size) * 100);
    this.uploads.list.say();
  }

  /** The media that the service made of a whole file, and whether it has put it into its scene by itself; throws with
      its sentence where it refused it.
      @param {Entry} entry */
  async checked(entry) {
    entry.state = "checking";
    this.uploads.list.say();
    for (;;) {
      const { data } = await this.patiently(entry, () => this.api.call("GET", `/uploads/${entry.upload}`));
      if (data.state === "ready") {
        const { data: media } = await this.patiently(entry, () => this.api.call("GET", `/media/${data.mediaId}`));
        return { ...media, note: data.note, isPlaced: Boolean(data.sceneId) };
      }
      if (data.state === "refused" || data.state === "expired") throw new Error(data.error || t("The upload expired."));
      await pause(700, entry.controller?.signal);
    }
  }

  /** Tries again, for as long as it takes, what fails for reasons that pass.
      @template T
      @param {Entry} entry
      @param {() => Promise<T>} act
      @param {() => Promise<void>} [before]
      @returns {Promise<T>} */
  async patiently(entry, act, before) {
    for (let failures = 0; ; failures += 1) {
      try {
        if (failures && before) await before();
        entry.waits = false;
        return await act();
      } catch (error) {
        const passes =
          error instanceof ApiError && ([0, 401, 409, 423, 429].includes(error.status) || error.status >= 500);
        if (!passes || (error.status === 409 && !before)) throw error;
        entry.waits = true;
        entry.why = error.status ? error.message : ""; // without an answer, the connection is away
        this.uploads.list.say();
        const seconds = error.retryAfter ?? Math.min(30, 2 ** failures);
        const again = new Promise((/** @type {(nothing?: undefined) => void} */ now) => {
          entry.again = now;
        });
        await Promise.race([pause(seconds * 1000, entry.controller?.signal), online(error), again]);
      }
    }
  }
}

/** @param {number} ms
    @param {AbortSignal} [signal]
    @returns {Promise<void>} */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(new DOMException("Cancelled", "AbortError"));
      },
      { once: true },
    );
  });
}

/** @param {ApiError} error
    @returns {Promise<unknown>} */
function online(error) {
  if (error.status !== 0 || navigator.onLine) return new Promise(() => {});
  return new Promise((resolve) => {
    addEventListener("online", resolve, { once: true });
  });
}
