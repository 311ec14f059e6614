/* The stage: the reader's own page with the draft in it, at the size of a device, scaled to fit. What is typed is in
   the page at once; what the service must render comes with a second frame that takes the place of the first. */

import { urls } from "./boot.js";
import { element } from "./element.js";
import { takeDrops } from "./file-picking.js";
import { part } from "./lazy.js";
import { open, selected } from "./navigation.js";
import { redraw } from "./redraw.js";
import { draft } from "./store.js";
import { uploads } from "./upload-list.js";
import { t } from "./words.js";

const stageSwap = part("stage-swap");
const stageText = part("stage-text");

/** @type {Record<string, {name: string, width: number, height: number}>} */
const DEVICES = {
  desktop: { name: t("Desktop"), width: 1280, height: 720 },
  phone: { name: t("Phone"), width: 390, height: 844 },
  embed: { name: t("Embed"), width: 800, height: 450 },
};

const narrow = matchMedia("(max-width: 64rem)");

class Stage {
  devices = DEVICES;
  written = false;
  isOld = false; // whether the service would set it otherwise by now: where words stand goes by their length

  constructor() {
    this.device = narrow.matches ? "phone" : "desktop";
    this.box = /** @type {HTMLElement} */ (element("stage").querySelector(".stage-box"));
    this.frame = this.makeFrame();
    this.box.append(this.frame);
    new ResizeObserver(() => this.fit()).observe(this.box);
    this.load(this.frame);
    addEventListener("online", () => this.write());
  }

  makeFrame() {
    const frame = document.createElement("iframe");
    frame.className = "stage-frame";
    frame.title = t("The capsule as readers see it");
    frame.tabIndex = -1;
    return frame;
  }

  url() {
    return `${urls.frame}${this.device === "embed" ? "?as=embed" : ""}`;
  }

  /** Loads the draft into a frame; resolves when it is there.
      @param {HTMLIFrameElement} frame
      @returns {Promise<void>} */
  load(frame) {
    return new Promise((loaded) => {
      frame.addEventListener(
        "load",
        () => {
          this.dress(frame);
          loaded();
        },
        { once: true },
      );
      frame.src = this.url();
      this.fit();
    });
  }

  /** @param {string} device */
  choose(device) {
    if (device === this.device) return;
    this.device = device;
    this.refresh();
    redraw();
  }

  /** Shows what the service renders now. Without a connection there is nothing to be shown. */
  refresh() {
    this.isOld = false;
    stageSwap.get().then(
      (part) => part.refresh(this),
      () => {},
    );
  }

  fit() {
    const { clientWidth, clientHeight } = this.box;
    if (!clientWidth) return;
    // A phone shows itself, at its own size; while somebody types there (typing.js), as small as the strip is.
    const ownHeight = document.body.hasAttribute("data-typing") ? clientWidth * 1.6 : clientHeight;
    const { width, height } = narrow.matches ? { width: clientWidth, height: ownHeight } : DEVICES[this.device];
    const scale = Math.min(1, clientWidth / width, clientHeight / height);
    for (const frame of this.box.querySelectorAll("iframe")) {
      frame.style.setProperty("width", `${width}px`);
      frame.style.setProperty("height", `${height}px`);
      frame.style.setProperty("transform", `translate(-50%, -50%) scale(${scale})`);
    }
  }

  /** What the page does not do by itself: links lead nowhere, a click in a scene selects it, files may fall on it.
      @param {HTMLIFrameElement} frame */
  dress(frame) {
    const page = frame.contentDocument;
    if (!page?.body) return;
    takeDrops(page);
    frame.classList.add("stage-dressed"); // until then what falls on it falls on the page around it
    page.addEventListener("click", (event) => {
      const target = /** @type {Element} */ (event.target);
      const link = target.closest("a");
      if (link && !link.getAttribute("href")?.startsWith("#")) event.preventDefault();
      /** @type {HTMLElement | null} */
      const section = target.closest("[data-scene]");
      const id = section?.dataset.scene;
      const text = target.closest(".text, .kicker, h1, .summary");
      if (id && text) open(text.matches("h1, .summary") ? "story" : id, fieldAt(text));
    });
    this.write(page);
    this.goto(selected, page, "instant");
  }

  get page() {
    return this.frame.contentDocument;
  }

  /** @param {string} id
      @returns {HTMLElement | null | undefined} */
  section(id, page = this.page) {
    return page?.querySelector(`[data-scene="${CSS.escape(id)}"]`);
  }

  /** The scene that is seen where `id` is selected.
      @param {string} id
      @param {Document | null} page
      @returns {HTMLElement | null | undefined} */
  target(id, page) {
    return id === "story" ? page?.querySelector("[data-scene]") : this.section(id, page);
  }

  /** @param {string} id
      @param {Document | null} page
      @param {ScrollBehavior} behavior */
  goto(id, page = this.page, behavior = "smooth") {
    const first = this.target("story", page);
    const target = this.target(id, page);
    if (!page || !first || !target) return;
    // Not scrollIntoView, which would move the editor around the frame as well.
    const scroller = page.querySelector(".deck") || page.scrollingElement;
    scroller?.scrollTo({
      left: target.offsetLeft - first.offsetLeft,
      top: target.offsetTop - first.offsetTop,
      behavior,
    });
  }

  /** Everything that this tab knows better than the page that the service rendered. */
  async write(page = this.page) {
    const waits = page?.querySelector(".being-prepared");
    this.written ||= draft.changes.length > 0 || uploads.all.size > 0 || Boolean(waits);
    if (!page?.body || !this.written) return;
    // Without a connection the next change, or "online", asks again.
    const part = stageText.here ?? (await stageText.get().catch(() => {}));
    part?.write(page, (id) => this.section(id, page));
  }
}

/** @param {Element} element */
function fieldAt(element) {
  if (element.matches("h1")) return "title";
  if (element.matches(".summary")) return "summary";
  return element.matches(".kicker") ? "title" : "text";
}

export const stage = new Stage();
