/* The stage: the reader's own page with the draft in it, at the size of a device, scaled to fit. What is typed is in
   the page at once; what the service must render comes with a second frame that takes the place of the first. */

const DEVICES = {
  desktop: { name: "Desktop", width: 1280, height: 720 },
  phone: { name: "Phone", width: 390, height: 844 },
  embed: { name: "Embed", width: 800, height: 450 },
};

const narrow = matchMedia("(max-width: 64rem)");

export class Stage {
  constructor(studio, root) {
    Object.assign(this, { studio, root });
    this.device = narrow.matches ? "phone" : "desktop";
    this.box = root.querySelector(".stage-box");
    this.frame = this.makeFrame();
    this.box.append(this.frame);
    new ResizeObserver(() => this.fit()).observe(this.box);
    this.load(this.frame);
  }

  get devices() {
    return DEVICES;
  }

  makeFrame() {
    const frame = document.createElement("iframe");
    frame.className = "stage-frame";
    frame.title = "The capsule as readers see it";
    frame.tabIndex = -1;
    return frame;
  }

  url() {
    const { urls } = this.studio;
    return `${urls.frame}${this.device === "embed" ? "?as=embed" : ""}`;
  }

  /** Loads the draft into a frame; resolves when it is there. */
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

  choose(device) {
    if (device === this.device) return;
    this.device = device;
    this.refresh();
    this.studio.draw();
  }

  /** Shows what the service renders now, without a flicker. Calls in between wait for the one that runs. */
  refresh() {
    if (this.refreshing) {
      this.stale = true;
      return;
    }
    this.refreshing = this.swap().finally(() => {
      this.refreshing = null;
      if (this.stale) {
        this.stale = false;
        this.refresh();
      }
    });
  }

  async swap() {
    const next = this.makeFrame();
    next.classList.add("stage-next");
    this.box.append(next);
    await this.load(next);
    next.classList.remove("stage-next");
    this.frame.remove();
    this.frame = next;
    this.fit();
  }

  fit() {
    const { clientWidth, clientHeight } = this.box;
    if (!clientWidth) return;
    const onPhone = narrow.matches; // a phone shows itself, at its own size
    const { width, height } = onPhone ? { width: clientWidth, height: clientHeight } : DEVICES[this.device];
    const scale = Math.min(1, clientWidth / width, clientHeight / height);
    for (const frame of this.box.children) {
      frame.style.setProperty("width", `${width}px`);
      frame.style.setProperty("height", `${height}px`);
      frame.style.setProperty("transform", `translate(-50%, -50%) scale(${scale})`);
    }
  }

  /** What the page does not do by itself: links lead nowhere, a click in a scene selects it, files may fall on it. */
  dress(frame) {
    const page = frame.contentDocument;
    if (!page?.body) return;
    this.studio.takeDrops(page);
    frame.classList.add("stage-dressed"); // until then what falls on it falls on the page around it
    page.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      if (link && !link.getAttribute("href").startsWith("#")) event.preventDefault();
      const id = event.target.closest("[data-scene]")?.dataset.scene;
      const text = event.target.closest(".text, .kicker, h1, .summary");
      if (id && text) this.studio.open(text.matches("h1, .summary") ? "story" : id, fieldAt(text));
    });
    this.write(page);
    this.goto(this.studio.selected, page, "instant");
  }

  get page() {
    return this.frame.contentDocument;
  }

  section(id, page = this.page) {
    return page?.querySelector(`[data-scene="${CSS.escape(id)}"]`);
  }

  goto(id, page = this.page, behavior = "smooth") {
    const first = page?.querySelector("[data-scene]");
    const target = id === "story" ? first : this.section(id, page);
    if (!target) return;
    // Not scrollIntoView, which would move the editor around the frame as well.
    const scroller = page.querySelector(".deck") || page.scrollingElement;
    scroller.scrollTo({
      left: target.offsetLeft - first.offsetLeft,
      top: target.offsetTop - first.offsetTop,
      behavior,
    });
  }

  /** Everything that this tab knows better than the page that the service rendered. */
  write(page = this.page) {
    const { draft, uploads, parts } = this.studio;
    const waits = page?.querySelector(".being-prepared");
    this.written ||= draft.changes.length > 0 || uploads.all.size > 0 || Boolean(waits);
    if (page?.body && this.written) parts.use("stageText")?.write(this, page);
  }
}

function fieldAt(element) {
  if (element.matches("h1")) return "title";
  if (element.matches(".summary")) return "summary";
  return element.matches(".kicker") ? "title" : "text";
}
