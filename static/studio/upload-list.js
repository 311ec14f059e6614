/* The files that are on their way in, as the page shows them. What sends them comes with the first (uploads.js). */

/** @typedef {{id: string, scene: string, filename: string, state: string, percent: number}} Coming */

/**
 * @typedef {object} Entry
 * @property {string} id
 * @property {number} at
 * @property {File} file
 * @property {string} target
 * @property {"picture" | "film"} kind
 * @property {string} name
 * @property {"sending" | "checking" | "refused"} state
 * @property {number} percent
 * @property {number} [sent] bytes
 * @property {number} [from] bytes that were there when sending began, at `began` (ms)
 * @property {number} [began]
 * @property {string | null} [localUrl]
 * @property {string} [error]
 * @property {string} [upload]
 * @property {string} url where it is sent; empty until the service has said
 * @property {boolean} [isKept] in the browser's own database
 * @property {boolean} [waits]
 * @property {string} [why]
 * @property {() => void} [again]
 * @property {AbortController} [controller]
 */

export class UploadList extends EventTarget {
  /** @type {Map<string, Entry>} */
  all = new Map();
  /** @type {Set<string>} the uploads of this tab, by the service's names, those that have ended too */
  own = new Set();
  /** @type {Coming[]} what the service last said of all uploads to scenes of this story */
  everywhere = [];

  say() {
    this.dispatchEvent(new Event("change"));
  }

  /** Whether files are on their way to any scene, from here or elsewhere. */
  get areComing() {
    return this.all.size > 0 || this.everywhere.length > 0;
  }

  /** How many files the service does not have yet, or still looks at. */
  get underWay() {
    return [...this.all.values()].filter(({ state }) => state !== "refused").length;
  }

  /** Whether bytes are still being sent, so that they may exist only in this browser. */
  get sending() {
    return [...this.all.values()].some(({ state }) => state === "sending");
  }

  /** @param {string} target */
  of(target) {
    return [...this.all.values()].filter((entry) => entry.target === target);
  }

  /** What other tabs and devices send to a scene, or sent before they were closed.
      @param {string} target */
  fromElsewhere(target) {
    return this.everywhere.filter(({ id, scene }) => scene === target && !this.own.has(id));
  }

  /** The picture that is on its way to a scene, as this device has it.
      @param {string} target */
  localUrlFor(target) {
    return this.of(target).findLast(({ localUrl, state }) => localUrl && state !== "refused")?.localUrl;
  }
}

export const uploads = new UploadList();
