/* On a phone, while somebody types: the stage stands in a strip above the words, and both above the keyboard. */

import { holds, same, test, until } from "./runner.js";

const wide = matchMedia.bind(globalThis);
const phone = Object.assign(new EventTarget(), { matches: true });
const small = { matches: true };
globalThis.matchMedia = (query) =>
  ({ "(max-width: 43.99rem)": phone, "(max-width: 64rem)": small })[query] ?? wide(query);
const seen = Object.assign(new EventTarget(), { height: 300, offsetTop: 40, scale: 1 });
Object.defineProperty(globalThis, "visualViewport", { value: seen });

const pane = document.createElement("section"); // as the template has it
pane.className = "stage-pane";
const onStage = document.getElementById("stage");
onStage.replaceWith(pane);
pane.append(onStage);

const { begin, find } = await import("./editor.js");
const { part } = await import("/static/studio/lazy.js");
const { closeInspector, open, select } = await import("/static/studio/navigation.js");
const { stage } = await import("/static/studio/stage.js");
const { draft } = await import("/static/studio/store.js");
await part("typing").get();

const isTyping = () => document.body.hasAttribute("data-typing");
const free = () => ["--seen", "--seen-top"].map((name) => document.documentElement.style.getPropertyValue(name));

async function typingIn(field) {
  await begin("a");
  open("a", field);
  await until(() => document.activeElement === find(`#field-${field}`));
  await until(isTyping);
}

test("while a text is typed in, the stage takes no focus and knows what the keyboard leaves free", async () => {
  await typingIn("text");
  same([find(".stage-pane").inert, free()], [true, ["300px", "40px"]]);
  find("#field-text").blur();
  await until(() => !isTyping());
  same([find(".stage-pane").inert, free()], [false, ["", ""]]);
});

test("what the keyboard leaves free is measured again as it comes, scrolls or changes", async () => {
  await typingIn("text");
  for (const [event, height] of [
    ["resize", 280],
    ["scroll", 260],
  ]) {
    seen.height = height;
    seen.dispatchEvent(new Event(event));
    await until(() => free()[0] === `${height}px`, event);
  }
  seen.scale = 2;
  seen.dispatchEvent(new Event("resize"));
  await until(() => !free()[0]);
  Object.assign(seen, { scale: 1, height: 300 });
});

test("who chooses a look sees it above the field, also where a tap on a radio gives it no focus", async () => {
  for (const field of ["place", "size", "fit"]) await typingIn(field);
  find("#field-fit").blur();
  await until(() => !isTyping());
  draft.served.story.look = { theme: "night", face: "serif", accent: null };
  draft.folded = null;
  const moved = new Promise((then) => addEventListener("hashchange", then, { once: true })); // which moves the focus
  open("story");
  await moved;
  await until(() => find("[name=theme]"));
  find("[name=theme][value=paper]").click();
  await until(isTyping, "theme");
  for (const field of ["#field-face", "#field-accent"]) {
    document.activeElement.blur();
    await until(() => !isTyping());
    find(field).focus();
    await until(isTyping, field);
  }
  find("#field-title").dispatchEvent(new Event("change", { bubbles: true })); // as when it is left
  same(document.activeElement.id, "field-accent");
});

test("a box to tick, a wide window and closed fields are no typing", async () => {
  await typingIn("text");
  find("#inspector [data-field=finale]").focus();
  await until(() => !isTyping());
  await typingIn("text");
  phone.matches = false;
  phone.dispatchEvent(new Event("change"));
  holds(!isTyping());
  phone.matches = true;
  await typingIn("text");
  closeInspector();
  await until(() => !isTyping());
});

test("the stage goes along with the scene whose words are typed, and its field stays in view", async () => {
  await typingIn("text");
  const shown = [];
  const seen = [];
  const { goto } = stage;
  const { scrollIntoView } = Element.prototype;
  Element.prototype.scrollIntoView = function see() {
    seen.push(this.id);
  };
  stage.fit = () => shown.push("fits");
  stage.goto = (id, _page, behaviour) => shown.push([id, behaviour]);
  select("b");
  await until(() => shown.some(([, behaviour]) => behaviour === "instant"));
  Object.assign(Element.prototype, { scrollIntoView });
  const at = shown.findLastIndex(([, behaviour]) => behaviour === "instant");
  same([shown[at - 1], shown[at], seen.at(-1)], ["fits", ["b", "instant"], "field-text"]);
  stage.goto = goto;
  delete stage.goto;
  delete stage.fit;
});

test("a phone shows itself at its own size, and while somebody types as small as the strip is", async () => {
  await begin("a");
  await until(() => !isTyping());
  same(stage.device, "phone");
  stage.box.style.cssText = "width: 400px; height: 500px";
  const shown = () => {
    stage.fit();
    const { width, height, transform } = stage.frame.style;
    return [width, height, transform.replace("translate(-50%, -50%) ", "")];
  };
  same(shown(), ["400px", "500px", "scale(1)"]);
  document.body.toggleAttribute("data-typing", true);
  same(shown(), ["400px", "640px", "scale(0.78125)"]);
  document.body.toggleAttribute("data-typing", false);
  stage.box.style.cssText = "";
});
