/* Texts and pictures that this tab knows better than the page in the frame. */

import { isBright, legible, partsOf, placeOf, rounded, sideOf, sizeOf } from "./accent.js";
import { pictureOf } from "./pictures.js";
import { draft } from "./store.js";
import { uploads } from "./upload-list.js";
import { t } from "./words.js";

/** What is kept of a picture from this device until the service has found its focus. */
const HEADS = [0.5, 0.3];

/** @param {Document} page
    @param {(id: string) => HTMLElement | null | undefined} sectionOf */
export function write(page, sectionOf) {
  const { story, scenes } = draft;
  if (story.look) dress(page.documentElement, story.look);
  words(page.querySelector("h1"), story.title || t("Untitled"));
  words(summaryOf(page), story.summary);
  scenes.forEach((scene, index) => {
    const section = sectionOf(scene.id);
    if (!section) return;
    paragraphs(section.querySelector(".text"), scene.text);
    const kicker = section.querySelector(".kicker");
    kicker?.classList.toggle("visually-hidden", !scene.title);
    if (scene.title) words(kicker, scene.finale ? scene.title : `${index + 1}. ${scene.title}`);
    if (!isServed(scene)) {
      section.dataset.place = placeOf(scene);
      section.dataset.side = sideOf(scene, page.dir === "rtl");
    }
    section.dataset.size = sizeOf(scene);
    const coming = uploads.localUrlFor(scene.id);
    const [x, y] = coming ? HEADS : scene.focus;
    section.style.setProperty("--x", `${x * 100}%`);
    section.style.setProperty("--y", `${y * 100}%`);
    section.querySelector(".shot img")?.setAttribute("alt", scene.alt);
    const isOld = draft.served.scenes.find(({ id }) => id === scene.id)?.still?.id !== scene.still?.id;
    const waits = section.querySelector(".being-prepared");
    local(section, isOld || waits ? pictureOf(scene) : coming);
  });
}

/** Of a capsule that had none as well.
    @param {Document} page */
function summaryOf(page) {
  const there = page.querySelector(".summary");
  if (there || !draft.story.summary) return there;
  const made = page.createElement("p");
  made.className = "summary";
  made.dir = "auto";
  page.querySelector("h1")?.after(made);
  return made;
}

/** Whether the page in the frame was made with this focus and this place: then it knows better where words stand.
    @param {{id: string, focus: number[], place?: string}} scene */
function isServed(scene) {
  const served = draft.served.scenes.find(({ id }) => id === scene.id);
  return served && served.place === scene.place && String(served.focus) === String(scene.focus);
}

/** The look of the whole page, as publishing/looks.py puts it into classes.
    @param {HTMLElement} root
    @param {{theme: string, accent: string | null, face: string}} look */
function dress(root, { theme, accent, face }) {
  const kept = [...root.classList].filter((name) => !/^(theme|face|accent)-|^accented$/.test(name));
  const shown = accent && legible(accent, theme);
  const accented = shown ? ["accented", isBright(shown) ? "accent-bright" : "accent-deep"] : [];
  root.className = [...kept, `theme-${theme}`, `face-${face}`, ...accented].join(" ");
  if (!shown) return;
  const parts = partsOf(shown).map(rounded); // --accent and --accent-hover come of them, as on the page itself
  for (const [at, name] of ["--r", "--g", "--b"].entries()) root.style.setProperty(name, String(parts[at]));
}

/** @param {Element | null} element
    @param {string} text */
function words(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

/** Text as the page shows it: an empty line parts paragraphs, a line break stays one.
    @param {HTMLElement | null} element
    @param {string} text */
function paragraphs(element, text) {
  if (!element) return;
  const parts = text
    .replace(/\r\n?/g, "\n")
    .trim()
    .split(/\n{2,}/);
  const page = element.ownerDocument;
  const made = parts.map((part) => {
    const paragraph = page.createElement("p");
    part.split("\n").forEach((line, index) => {
      if (index) paragraph.append(page.createElement("br"));
      paragraph.append(line);
    });
    return paragraph;
  });
  const now = made.map((paragraph) => paragraph.outerHTML).join("\n\n");
  if (element.dataset.typed === now) return;
  element.dataset.typed = now;
  element.replaceChildren(...made);
}

/** A picture from this device, or its thumbnail, stands in until its renditions are there.
    @param {HTMLElement} section
    @param {string | null | undefined} url */
function local(section, url) {
  if (!url) return;
  /** @type {HTMLElement | null} */
  const picture = section.querySelector(".stage picture");
  if (!picture || picture.dataset.local === url) return;
  picture.dataset.local = url;
  section.style.setProperty("--px", "var(--x)"); // the whole picture, not the crop that the page came with
  section.style.setProperty("--py", "var(--y)");
  for (const source of picture.querySelectorAll("source")) source.remove();
  picture.querySelector("img")?.setAttribute("src", url);
}
