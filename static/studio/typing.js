/* On a phone, while somebody types or chooses a look: the stage in a strip above the fields, and both above the
   keyboard. It comes with all other parts at the first touch (lazy.js), and listens from then on. */

import { element } from "./element.js";
import { onSelected, selected } from "./navigation.js";
import { stage } from "./stage.js";

const PHONE = matchMedia("(max-width: 43.99rem)"); // as in editor.css
const CALM = 150; // ms: nothing may move between a finger's touch and its click
const TEXTS = "input[data-field]:not([type=checkbox]), textarea[data-field]";
/** What changes the stage at once. */
const SHOWN = `#inspector :is(${TEXTS}, select, [name=theme], [type=color])`;

const seen = window.visualViewport;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** The field that has the focus, where the stage is to be seen above it. */
function typed() {
  const { activeElement, body } = document;
  return PHONE.matches && body.dataset.open === "inspector" && activeElement?.matches(SHOWN) ? activeElement : null;
}

function arrange() {
  const text = typed();
  const { body } = document;
  body.toggleAttribute("data-typing", Boolean(text));
  /** @type {HTMLElement} */ (element("stage").closest(".stage-pane")).inert = Boolean(text);
  measure();
  requestAnimationFrame(() => {
    stage.fit();
    stage.goto(selected, undefined, "instant");
    // Where two versions differ, their card was brought into view, and stays there.
    if (!document.querySelector(".conflict")) text?.scrollIntoView({ block: "nearest" });
  });
}

/** What of the window the keyboard leaves free, and where. Browsers that make the window smaller say so in svh too; in
    a page that is magnified it says nothing of a keyboard. */
function measure() {
  const { style } = document.documentElement;
  const isSaid = seen && seen.scale < 1.05 && document.body.hasAttribute("data-typing");
  for (const [name, value] of [
    ["--seen", seen?.height],
    ["--seen-top", seen?.offsetTop],
  ]) {
    if (isSaid) style.setProperty(String(name), `${value}px`);
    else style.removeProperty(String(name));
  }
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(arrange, CALM);
}

const inspector = element("inspector");
for (const event of ["focusin", "focusout"]) inspector.addEventListener(event, soon);
inspector.addEventListener("change", (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target);
  if (target.type === "radio") target.focus(); // which Safari does not do; a text changes when it is left
});
for (const event of ["resize", "scroll"]) seen?.addEventListener(event, soon);
PHONE.addEventListener("change", arrange);
new MutationObserver(arrange).observe(document.body, { attributeFilter: ["data-open"] });
onSelected(soon); // the field of the next scene stands elsewhere
soon(); // somebody may type already
