/* Where one is in the editor, and how one gets elsewhere: methods of the studio. */

import { STORY } from "./draft.js";

const SCENES = "scenes"; // the address of the list of scenes on a phone

export const places = {
  select(id) {
    this.selected = this.draft.nameOf(id);
    this.undo.close();
    const address = document.body.dataset.open === "inspector" ? `${this.selected}.` : this.selected;
    if (location.hash.slice(1) !== address) history.pushState(null, "", `#${address}`);
    this.saver.now();
    this.stage.goto(this.selected);
    this.draw();
  },

  /** From the list of scenes: on a phone, where the list covers all, straight to the fields. */
  choose(id) {
    if (document.body.dataset.open === "strip") this.open(id);
    else this.select(id);
  },

  selectAt(index) {
    const { scenes } = this.draft;
    const scene = scenes[Math.max(0, Math.min(scenes.length - 1, index))];
    if (scene) this.select(scene.id);
  },

  /** The address says what is open: `#story`, `#<scene>`, `#<scene>.<field>`. */
  follow() {
    const [id, name] = decodeURIComponent(location.hash.slice(1)).split(".");
    const known = id === STORY || this.draft.scene(id);
    if (known) this.selected = this.draft.nameOf(id);
    const fields = known && name !== undefined ? "inspector" : "";
    document.body.dataset.open = id === SCENES ? "strip" : fields;
    this.stage.goto(this.selected);
    this.draw();
    if (known && name) this.focusField(name);
    else if (fields) this.focusDone();
  },

  open(id, name = "") {
    location.hash = `${this.draft.nameOf(id)}.${name}`;
    this.follow();
  },

  openInspector() {
    this.open(this.selected);
  },

  closeInspector() {
    document.body.dataset.open = "";
    history.replaceState(null, "", `#${this.draft.nameOf(this.selected)}`);
    this.draw();
  },

  /** On a phone the list of scenes has an address, so that the way back closes it and stays in the editor. */
  openOrder() {
    location.hash = document.body.dataset.open === "strip" ? this.draft.nameOf(this.selected) : SCENES;
  },

  /** The address names the selected scene as the service does. */
  adoptName() {
    if (String(this.selected).startsWith("new-") && this.draft.names.has(this.selected)) {
      this.selected = this.draft.nameOf(this.selected);
      history.replaceState(null, "", `#${this.selected}`);
    }
  },

  /** On a phone the fields cover what had the focus; the keyboard stays away until a field is touched. */
  focusDone() {
    this.drawNow();
    document.querySelector("#inspector .back-to-stage")?.focus();
  },

  async focusField(name) {
    if (this.selected === STORY) await this.parts.get("story").catch(() => {}); // its fields
    this.drawNow();
    const element =
      document.getElementById(`field-${name}`) ||
      document.querySelector(`#inspector [data-field="${CSS.escape(name)}"], #inspector [name="${CSS.escape(name)}"]`);
    element?.focus();
    element?.scrollIntoView({ block: "center" });
    element?.classList.add("led-to");
    setTimeout(() => element?.classList.remove("led-to"), 2000);
  },
};
