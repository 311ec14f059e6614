/* A capsule that was just made: its first steps, and what its first publish decides. */

import { publishes } from "./publisher.js";
import { holds, same, test, until } from "./runner.js";
import { emptyScene, scenes, story } from "./service.js";

const boot = document.getElementById("boot");
const made = JSON.parse(boot.textContent);
const urls = { ...made.urls, editions: "#editions", settings: "#settings" };
story.title = "Untitled";
scenes.splice(0, scenes.length, { ...emptyScene, id: "a", position: 0, version: 1 });
boot.textContent = JSON.stringify({ ...made, draft: { story, scenes }, urls, claims: "w", hasEditions: true });

const { all, begin, click, drawn, find, key, named, thumb } = await import("./editor.js");
const { urls: known } = await import("/static/studio/boot.js");
const { check } = await import("/static/studio/check.js");
const { part } = await import("/static/studio/lazy.js");
const { redraw } = await import("/static/studio/redraw.js");
const { draft } = await import("/static/studio/store.js");
const { uploads } = await import("/static/studio/upload-list.js");

const first = () => find("#stage-start h2");
const picture = { id: "p", kind: "picture", filename: "p.jpg", thumbnailUrl: "data:," };

/** The page once the service has something else of the capsule, or of its scene. */
async function served(ofStory, ofScene) {
  Object.assign(draft.served.story, ofStory);
  Object.assign(draft.served.scenes[0], ofScene);
  draft.folded = null;
  redraw();
  await drawn();
}

test("a new capsule asks for its title and first pictures, and not yet for what is missing", async () => {
  await begin("a");
  await until(first);
  const covers = () => find("#stage-start").matches(".covering");
  const title = () => [find(".bar-title").textContent, find(".bar-title").matches(".bar-untitled")];
  same([first().textContent, covers()], ["Begin with photographs and films", true]);
  same([title(), thumb("a").querySelector(".thumb-missing")], [["Add a title", true], null]);
  await served({ title: "Mine" });
  same([title(), covers()], [["Mine", false], false]);
  for (const words of [{ title: "x" }, { text: "x" }]) {
    await served({ title: "Untitled" }, words);
    holds(!covers());
    await served({}, { title: "", text: "" });
    holds(covers());
  }
});

test("the first step is over once a picture or film is there, or on its way", async () => {
  await begin("a");
  await until(first);
  for (const has of [{ still: picture }, { film: { ...picture, kind: "film" } }]) {
    await served({}, has);
    holds(!first());
    await served({}, { still: null, film: null });
    holds(first());
  }
  uploads.everywhere = [{ id: "u", scene: "a" }];
  await served();
  holds(!first());
  uploads.everywhere = [];
});

test("the first pictures are for the first scene", async () => {
  await begin("a");
  await until(first);
  const files = await part("files").get();
  const { take } = files.uploader;
  const taken = [];
  files.uploader.take = ({ name }, target) => {
    taken.push([name, target]);
    return { kind: "picture", target };
  };
  const { click: open } = HTMLInputElement.prototype;
  HTMLInputElement.prototype.click = function choose() {
    const chosen = new DataTransfer();
    chosen.items.add(new File(["x"], "1.jpg", { type: "image/jpeg" }));
    this.files = chosen.files;
    this.dispatchEvent(new Event("change"));
  };
  named("Choose photographs", find("#stage-start")).click();
  HTMLInputElement.prototype.click = open;
  files.uploader.take = take;
  same([taken, draft.scenes.length], [[["1.jpg", "a"]], 1]);
});

test("what is missing is told at once of a capsule in which somebody wrote or put anything", async () => {
  await begin("a");
  same(check.isTold, false);
  for (const [at, has] of [{ title: "x" }, { text: "x" }, { still: picture }, { film: picture }].entries()) {
    draft.served.scenes = [
      { ...emptyScene, id: "a" },
      { ...emptyScene, id: "b", ...has },
    ];
    draft.folded = null;
    const again = await import(`/static/studio/check.js?${at}`); // as a page has it that is opened now
    same([again.check.isTold, has], [true, has]);
  }
});

test("the bar and the menu lead to the editions, by the name of this one", async () => {
  await begin("a");
  await part("menus").get();
  const pill = () => find("#bar .pill[href='#editions']")?.textContent.trim();
  await served();
  same([pill(), named("Editions", find("#more-menu")).getAttribute("href")], ["Original", "#editions"]);
  await served({ capsuleId: "c", editionName: "Deutsch" });
  same(pill(), "Deutsch");
  await served({ editionLabel: "Kurz" });
  same(pill(), "Kurz");
  delete known.editions;
  await served();
  same([pill(), named("Editions", find("#more-menu"))], [undefined, undefined]);
});

test("the first publish says that it decides how links begin, and later ones decide nothing", async () => {
  await begin("a");
  await served({ capsuleId: null });
  publishes();
  const open = async () => {
    await key("Enter", { ctrlKey: true }, document.body);
    await until(() => find("#publish-slug"));
    return find("#dialog .field").textContent.replace(/\s+/g, " ");
  };
  holds((await open()).includes("All links of this workspace will begin with /w/. This first publish decides"));
  same(named("Change “w” first", find("#dialog")).getAttribute("href"), "#settings");
  await click("Cancel", find("#dialog"));
  delete known.settings;
  holds((await open()).includes("Until then an owner can change it in the settings of the workspace."));
  all("#dialog input[name=mode]")[0].click();
  await until(() => !find("#dialog .dialog-end .pill-accent").textContent.includes("Choose"));
  find("#dialog .dialog-end .pill-accent").click();
  await until(() => find("#dialog h2").textContent === "It is live");
  await click("Done", find("#dialog"));
  holds(!(await open()).includes("All links"));
});
