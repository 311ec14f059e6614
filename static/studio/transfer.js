/* The way of one file to the service: in slices, so that a lost connection costs one slice, and again and again for
   as long as it takes. */

import { ApiError } from "./api.js";

const LARGEST = 8 * 1024 * 1024; // bytes in a slice, as the service takes it
const SMALLEST = 256 * 1024;
const SLICE_TIME = 2000; // ms that a slice should take: slow lines get small ones

/** Brings the files of `uploads` to the service, one slice of each at a time. */
export class Transfer {
  constructor(uploads) {
    Object.assign(this, { uploads, api: uploads.api });
    this.slice = 1024 * 1024;
  }

  async deliver(entry) {
    entry.controller = new AbortController();
    const body = { workspaceId: this.uploads.workspace, kind: entry.kind, filename: entry.name, size: entry.file.size };
    if (!entry.upload) {
      const headers = { "Idempotency-Key": entry.id };
      const { data } = await this.patiently(entry, () => this.api.call("POST", "/uploads", { body, headers }));
      Object.assign(entry, { upload: data.id, url: data.uploadUrl });
      await this.uploads.keep(entry);
    }
    await this.sendAll(entry);
    return this.checked(entry);
  }

  async sendAll(entry) {
    let offset = await this.patiently(entry, () => this.offsetOf(entry));
    while (offset < entry.file.size) {
      offset = await this.patiently(
        entry,
        () => this.sendSlice(entry, offset),
        async () => {
          offset = await this.offsetOf(entry); // some of it may have arrived
        },
      );
      this.progress(entry, offset);
    }
  }

  async offsetOf(entry) {
    const { headers } = await this.api.call("HEAD", entry.url, { headers: { "Tus-Resumable": "1.0.0" } });
    return Number(headers.get("Upload-Offset"));
  }

  async sendSlice(entry, offset) {
    if (offset >= entry.file.size) return offset; // the answer to the last slice was lost, not the slice
    const began = performance.now();
    const raw = entry.file.slice(offset, offset + this.slice);
    const { headers } = await this.api.call("PATCH", entry.url, {
      raw,
      signal: entry.controller.signal,
      headers: {
        "Tus-Resumable": "1.0.0",
        "Upload-Offset": String(offset),
        "Content-Type": "application/offset+octet-stream",
      },
    });
    const took = Math.max(1, performance.now() - began);
    this.slice = Math.round(Math.max(SMALLEST, Math.min(LARGEST, raw.size * (SLICE_TIME / took))));
    return Number(headers.get("Upload-Offset"));
  }

  progress(entry, offset) {
    entry.percent = Math.floor((offset / entry.file.size) * 100);
    this.uploads.say();
  }

  /** The media that the service made of a whole file; throws with its sentence where it refused it. */
  async checked(entry) {
    entry.state = "checking";
    this.uploads.say();
    for (;;) {
      const { data } = await this.patiently(entry, () => this.api.call("GET", `/uploads/${entry.upload}`));
      if (data.state === "ready") {
        const { data: media } = await this.patiently(entry, () => this.api.call("GET", `/media/${data.mediaId}`));
        return { ...media, note: data.note };
      }
      if (data.state === "refused" || data.state === "expired") throw new Error(data.error || "The upload expired.");
      await pause(700, entry.controller.signal);
    }
  }

  /** Tries again, for as long as it takes, what fails for reasons that pass. */
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
        this.uploads.say();
        const seconds = error.retryAfter ?? Math.min(30, 2 ** failures);
        const again = new Promise((now) => {
          entry.again = now;
        });
        await Promise.race([pause(seconds * 1000, entry.controller.signal), online(error), again]);
      }
    }
  }
}

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

function online(error) {
  if (error.status !== 0 || navigator.onLine) return new Promise(() => {});
  return new Promise((resolve) => {
    addEventListener("online", resolve, { once: true });
  });
}
