/* What an author opens, and what is fetched when they are first needed: methods of the studio. */

// Named one by one, not image/*: phones then hand over JPEG instead of HEIC.
const ACCEPT = {
  picture: "image/jpeg,image/png,image/webp,image/avif,image/heic,image/gif",
  film: "video/mp4,video/quicktime,video/webm",
};
ACCEPT.either = `${ACCEPT.picture},${ACCEPT.film}`;

export const openings = {
  /** Does something with a part of the editor: at once where it is here, else when it has arrived. It is told what was
      selected when it was asked for. */
  with(name, act, from = this.selected) {
    const part = this.parts.use(name);
    if (part) return act(part, from);
    return this.parts.get(name).then(
      () => this.with(name, act, from),
      (error) => this.toast(error.message),
    );
  },

  // --- scenes

  addScene() {
    this.with("scenes", (part, from) => part.addScene(this, from));
  },
  removeScene(id) {
    this.with("scenes", (part) => part.removeScene(this, id));
  },
  duplicateScene(id) {
    this.with("scenes", (part) => part.duplicateScene(this, id));
  },
  /** Moves a scene to a place, counted from 0. */
  moveTo(id, place) {
    this.with("scenes", (part) => part.moveTo(this, id, place));
  },
  drag(event, drop) {
    const item = event.currentTarget;
    const released = new AbortController(); // who has let go before the part arrived only clicked
    for (const end of ["pointerup", "pointercancel"]) {
      addEventListener(end, () => released.abort(), { once: true, signal: released.signal });
    }
    this.with("drag", ({ drag }) => released.signal.aborted || drag(event, item, drop));
  },

  // --- files

  /** Asks the device for files and takes them in. */
  pickMedia(id, kind) {
    // At once, without a part that may have to be fetched: later the browser no longer lets a page ask.
    const input = Object.assign(document.createElement("input"), { type: "file", accept: ACCEPT[kind] });
    input.multiple = kind !== "film";
    input.onchange = () => this.takeFiles([...input.files], id);
    input.click();
  },
  takeFiles(files, id) {
    this.with("files", (part, from) => part.takeFiles(this, files, id, from));
  },
  /** Files may fall on this page: the editor's own, or the one in the stage. */
  takeDrops(page) {
    page.addEventListener("dragover", (event) => {
      if (this.writes) event.preventDefault();
    });
    page.addEventListener("drop", (event) => this.dropped(event));
  },
  dropped(event) {
    if (!this.writes || event.defaultPrevented || !event.dataTransfer?.files.length) return;
    event.preventDefault();
    const scene = this.draft.scene(this.selected);
    this.takeFiles([...event.dataTransfer.files], scene && !scene.still ? scene.id : null);
  },
  pasted(event) {
    const files = [...(event.clipboardData?.files || [])];
    if (!files.length || !this.writes || this.selected === "story") return;
    event.preventDefault();
    this.with("files", (part, from) => part.takePasted(this, files, from));
  },

  // --- dialogs

  withDialogs(act) {
    this.with("dialogs", ({ Dialogs }) => {
      this.dialogs ??= new Dialogs(this);
      act(this.dialogs);
    });
  },
  showDialog(name) {
    this.withDialogs((dialogs) => dialogs.show(name));
  },
  askPlace(id) {
    this.withDialogs((dialogs) => dialogs.askPlace(id));
  },
  openLibrary(id) {
    this.withDialogs((dialogs) => dialogs.library.open(id));
  },
  openSplit(id) {
    this.withDialogs((dialogs) => dialogs.split.open(id));
  },
  openPhoneLink() {
    this.withDialogs((dialogs) => dialogs.phone.open());
  },
  closeDialogs() {
    this.dialogs?.close();
  },
  openCheck() {
    this.check.refresh();
    this.showDialog("check");
  },
  openPublish(event) {
    event?.preventDefault();
    this.with("publishing", ({ Publishing }) => {
      this.publishing ??= new Publishing(this);
      this.publishing.open();
    });
  },
  /** `private`: the question whether to unpublish it, at once. */
  openVisibility(isPrivate = false) {
    this.with("live", ({ live }) => {
      live(this).confirming = isPrivate;
      this.showDialog("visibility");
    });
  },
  openPreview(event) {
    event.preventDefault();
    const page = window.open("", "capsules-preview"); // at once: later the browser takes it for an advertisement
    this.with("preview", (part) => part.openPreview(this, page));
  },
  retry() {
    this.with("preview", (part) => part.retry(this));
  },
};
