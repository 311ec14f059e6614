/* The pulse: what happens to the draft elsewhere. It is asked often while something renders or goes out, seldom while
   the page is hidden, and not at all once nobody has touched the page for a while, so that no session lives forever. */

const BUSY = 1000,
  CALM = 5000,
  HIDDEN = 30000;
const IDLE = 10 * 60 * 1000;

/**
 * @typedef {object} Latest
 * @property {number} revision
 * @property {Record<string, Record<string, object>>} encodes
 * @property {{name: string, scene?: string}[]} others
 * @property {import("./upload-list.js").Coming[]} [uploads]
 * @property {{state: string}} [preview]
 * @property {{url: string | null, busy: boolean, isChanged: boolean}} [publication]
 * @property {{state: string} | null} [premiere]
 */

export class Pulse extends EventTarget {
  saves = 0;
  /** @type {string | null} */
  etag = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;

  /** `isChanged`: whether readers get something else than the draft as it was when the page was made.
      @param {{url: string, tab: string, isChanged: boolean, scene: () => string}} needs */
  constructor({ url, tab, scene, isChanged }) {
    super();
    this.url = url;
    this.tab = tab;
    this.scene = scene;
    this.isChanged = isChanged;
    /** @type {Latest} */
    this.latest = { revision: 0, encodes: {}, others: [] };
    this.touched = Date.now();
    for (const hand of ["pointerdown", "keydown"]) {
      addEventListener(hand, () => this.touch(), { capture: true, passive: true });
    }
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.soon(0);
    });
  }

  /** The draft was saved: what the service says of it from before is not true any more. */
  saved() {
    this.saves += 1;
    this.isChanged = true;
  }

  touch() {
    const slept = Date.now() - this.touched > IDLE;
    this.touched = Date.now();
    if (slept) this.soon(0);
  }

  /** @param {number} ms */
  soon(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.beat(), ms);
  }

  get rhythm() {
    if (document.hidden) return HIDDEN;
    const { encodes, uploads, preview, publication, premiere } = this.latest;
    const busy =
      uploads?.some(({ state }) => state === "checking") ||
      Object.keys(encodes || {}).length ||
      preview?.state === "building" ||
      publication?.busy ||
      premiere?.state === "sending";
    return busy ? BUSY : CALM;
  }

  async beat() {
    if (Date.now() - this.touched > IDLE) return; // the next touch starts it again
    const { saves } = this;
    try {
      const query = new URLSearchParams({ tab: this.tab, scene: this.scene() });
      /** @type {Record<string, string>} */
      const headers = this.etag ? { "If-None-Match": this.etag } : {};
      const response = await fetch(`${this.url}?${query}`, { headers, credentials: "same-origin", redirect: "manual" });
      if (response.ok) {
        this.latest = await response.json();
        this.etag = response.headers.get("ETag"); // only now: of an answer that was cut off nothing is known
      }
      if (!response.ok && response.status !== 304) throw response;
      if (saves === this.saves) this.isChanged = this.latest.publication?.isChanged ?? true;
      this.dispatchEvent(new Event("news"));
    } catch {
      // No answer, or a refusal: saving tells the person, and the next beat tries again.
    }
    this.soon(this.rhythm);
  }

  /** Who else has this scene open.
      @param {string} scene */
  othersIn(scene) {
    return this.latest.others.filter((other) => other.scene === scene).map(({ name }) => name);
  }

  get others() {
    return [...new Set(this.latest.others.map(({ name }) => name))];
  }
}
