/* Two people at one capsule: conflicts, news, and the pulse that brings them. */

import { publishWords } from "/static/studio/bar.js";
import { select } from "/static/studio/navigation.js";
import { pulse } from "/static/studio/presence.js";
import { redraw } from "/static/studio/redraw.js";
import { add, duplicate, move, remove, restore } from "/static/studio/scene-changes.js";
import { hear } from "/static/studio/service-news.js";
import { stage } from "/static/studio/stage.js";
import { draft, saver } from "/static/studio/store.js";
import { uploads } from "/static/studio/upload-list.js";
import { all, begin, click, drawn, find, ids, saved, thumb, type } from "./editor.js";
import { pause, same, test, until } from "./runner.js";
import { answerInstead, asked, json, othersSave, refusal, row, scenes, story } from "./service.js";

// --- two people

async function disagree() {
  await begin();
  await type("text", "The lake was wild.");
  othersSave("a", { text: "The lake was calm.", editedBy: { id: "2", name: "Ben" } });
  saver.now();
  await saved();
  await until(() => find(".conflict"));
}

test("two texts of one field are on a card, with the words marked that differ", async () => {
  await disagree();
  same(find(".conflict h3").textContent, "Ben changed the text too");
  same(
    all(".conflict mark").map((mark) => mark.textContent),
    ["calm.", "wild."],
  );
  same(find("#polite").textContent, "This was changed elsewhere, too. Both versions are above the fields.");
  find("#polite").textContent = "";
  redraw();
  await drawn();
  same(find("#polite").textContent, ""); // said once
  await click("Keep mine", find(".conflict"));
  await saved();
  same([row("a").text, find(".conflict"), document.activeElement?.id], ["The lake was wild.", null, "field-text"]);
});

test("theirs is taken, or both are kept", async () => {
  await disagree();
  await click("Take theirs", find(".conflict"));
  same([draft.scene("a").text, find(".conflict")], ["The lake was calm.", null]);
  await disagree();
  await click("Keep both", find(".conflict"));
  await until(() => ids().length === 4);
  same([draft.scene("a").text, draft.scenes[1].text], ["The lake was calm.", "The lake was wild."]);
  same([document.activeElement?.id, document.activeElement?.value], ["field-text", "The lake was wild."]);
});

test("words of a scene that others deleted are in a new one at the end, before the finale", async () => {
  await begin("b");
  await type("text", "For nobody?");
  const [gone] = scenes.splice(1, 1);
  saver.now();
  await until(() => find("#toast").textContent.includes("Your words are in a new one"));
  await saved();
  same(
    draft.scenes.map(({ text }) => text),
    ["Text of a.", "For nobody?", "Text of c."],
  );
  same(asked.find(({ method }) => method === "POST").body.animation, "auto");
  scenes.splice(
    0,
    scenes.length,
    scenes.find(({ id }) => id === "a"),
    gone,
    scenes.find(({ id }) => id === "c"),
  );
  await saver.refresh();
});

test("what others save comes in with the pulse, but not over what is being composed", async () => {
  await begin();
  othersSave("b", { text: "Theirs." });
  pulse.latest = { revision: story.revision, encodes: {}, others: [] };
  document.dispatchEvent(new Event("compositionstart"));
  await hear();
  same(draft.scene("b").text, "Text of b.");
  document.dispatchEvent(new Event("compositionend"));
  await until(() => draft.scene("b").text === "Theirs.");
  await until(() => draft.revision === story.revision);
});

test("news that could not be had are asked for again with the next beat, and wait for what is being saved", async () => {
  await begin();
  clearTimeout(pulse.timer);
  let shown = 0;
  stage.refresh = () => {
    shown += 1;
    stage.isOld = false;
  };
  const beat = async (more) => {
    asked.length = 0;
    pulse.latest = { revision: 2, encodes: {}, others: [], ...more };
    await hear();
    return [asked.length, draft.revision, shown];
  };
  const coming = { id: "v", scene: "b", filename: "v.mov", state: "checking", percent: 3 };
  same(await beat({ revision: 1, uploads: [coming] }), [0, 1, 0]);
  same(uploads.fromElsewhere("b"), [coming]);
  draft.edit("a", { text: "Mine" });
  clearTimeout(saver.timer);
  same([await beat(), uploads.everywhere], [[0, 1, 0], []]);
  draft.changes = [];
  answerInstead(({ path }) => (path.endsWith("/draft") ? refusal(503) : undefined));
  same(await beat(), [1, 1, 0]);
  answerInstead(undefined);
  same(await beat({ revision: 1 }), [1, 1, 1]);
  othersSave("b", { text: "Theirs." });
  same(await beat(), [1, 2, 2]);
  same(await beat(), [0, 2, 2]);
  delete stage.refresh;
});

test("what this tab saves is no news to it, and the stage stays, unless somebody else saved as well", async () => {
  await begin();
  let shown = 0;
  stage.refresh = () => {
    shown += 1;
    stage.isOld = false;
  };
  const beat = async () => {
    await saved();
    asked.length = shown = 0;
    pulse.latest = { revision: story.revision, encodes: {}, others: [] };
    await hear();
    return [asked.length, shown];
  };
  const changes = [
    () => draft.edit("story", { author: "Me" }),
    () => add(draft, "a"),
    () => duplicate(draft, "b"),
    () => move(draft, "b", "a"),
    () => remove(draft, "b"),
    () => restore(draft, "b"),
  ];
  for (const change of changes) {
    change();
    saver.now();
    same([String(change), ...(await beat())], [String(change), 0, 0]);
  }
  othersSave("c", { text: "Theirs." });
  draft.edit("a", { text: "Mine again." });
  saver.now();
  same([await beat(), draft.scene("c").text], [[1, 1], "Theirs."]);
  othersSave("c", { text: "More of theirs." });
  await saver.refresh(); // as once a file has arrived
  same(
    [await beat(), await beat()],
    [
      [0, 1],
      [0, 0],
    ],
  );
  find("#field-text").focus();
  await type("text", "And again.");
  saver.now();
  same(await beat(), [0, 0]);
  document.activeElement.blur();
  same(
    [await beat(), await beat()],
    [
      [0, 1],
      [0, 0],
    ],
  ); // once nobody types, as where words stand goes by their length
  delete stage.refresh;
});

test("what is published or unpublished elsewhere is seen with the next beat, once whoever does it is done", async () => {
  await begin();
  draft.served.story.publication = { isPublished: false, url: null };
  clearTimeout(pulse.timer);
  const beat = async (publication) => {
    asked.length = 0;
    pulse.latest = { revision: 1, encodes: {}, others: [], publication };
    await hear();
    return [asked.length, publishWords()];
  };
  story.publication = { isPublished: true, url: "/w/x" };
  same(await beat({ url: "/w/x", busy: true }), [0, "Publish"]);
  same(await beat(undefined), [0, "Publish"]);
  same(await beat({ url: "/w/x", busy: false }), [1, "Publish changes"]);
  same(await beat({ url: "/w/x", busy: false }), [0, "Publish changes"]);
  story.publication = { isPublished: false, url: null };
  same(await beat({ url: null, busy: false }), [1, "Publish"]);
  same(await beat({ url: null, busy: false }), [0, "Publish"]);
});

test("a field of another scene is not the one in which a letter is being composed", async () => {
  await begin("a");
  find("#field-text").focus();
  document.dispatchEvent(new Event("compositionstart"));
  select("b");
  await drawn();
  same(find("#field-text").value, "Text of b.");
  document.dispatchEvent(new Event("compositionend"));
});

test("the pulse says which scene is open, and of the whole capsule none", async () => {
  await begin("b");
  same(pulse.scene(), "b");
  select("story");
  same(pulse.scene(), "");
});

test("what is being rendered is shown with its percent, and asked for when it ends", async () => {
  await begin("b");
  pulse.latest = { revision: 1, encodes: { b: { still: { state: "running", percent: 40 } } }, others: [] };
  await hear();
  await drawn();
  same([thumb("b").textContent.includes("40 %"), pulse.rhythm], [true, 1000]);
  asked.length = 0;
  pulse.latest = { revision: 99, encodes: {}, others: [] };
  await hear();
  same(
    asked.map(({ path }) => path),
    ["/stories/s/draft"],
  );
});

test("a picture that was ready before the first beat is asked for, and what waits for its turn is not", async () => {
  await begin("b");
  const served = draft.served.scenes[1];
  const queued = { state: "queued", percent: 0, error: null };
  const beat = async (encodes) => {
    asked.length = 0;
    pulse.latest = { revision: 1, encodes, others: [] };
    await hear();
    return asked.length;
  };
  served.rendering = { still: queued, animation: null };
  same(await beat({ b: { still: queued } }), 0);
  served.still = null; // nothing will be drawn, and the service does not list it
  same(await beat({}), 0);
  served.still = { id: "m" };
  same([await beat({}), await beat({})], [1, 0]);
});

// --- the pulse

test("the pulse stops when nobody has touched the page for ten minutes, and begins again with a touch", async () => {
  let beats = 0;
  answerInstead(({ path }) => {
    if (path === "/pulse") beats += 1;
    return undefined;
  });
  pulse.touched = Date.now() - 11 * 60_000;
  await pulse.beat();
  same(beats, 0);
  dispatchEvent(new Event("pointerdown"));
  await until(() => beats === 1);
});

test("a beat is followed by the next one, also where the service refused it", async () => {
  await begin();
  clearTimeout(pulse.timer);
  pulse.touched = Date.now();
  const waits = [];
  pulse.soon = (ms) => waits.push(ms);
  await pulse.beat();
  answerInstead(({ path }) => (path === "/pulse" ? refusal(503) : undefined));
  await pulse.beat();
  delete pulse.soon; // the class has it
  same(waits, [pulse.rhythm, pulse.rhythm]);
});

test("the pulse is slow while the page is hidden, and quick while something is under way", () => {
  const latest = { revision: 1, encodes: {}, others: [] };
  const rhythm = (more) => {
    pulse.latest = { ...latest, ...more };
    return pulse.rhythm;
  };
  same(
    [rhythm({}), rhythm({ premiere: { state: "sending" } }), rhythm({ publication: { busy: true } })],
    [5000, 1000, 1000],
  );
  same(rhythm({ preview: { state: "building" } }), 1000);
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  same(rhythm({ premiere: { state: "sending" } }), 30000);
  delete document.hidden;
});

test("others who are here are shown, each once, and on the scene that they have open", async () => {
  await begin();
  pulse.latest = {
    revision: 1,
    encodes: {},
    others: [
      { name: "Ben Low", scene: "b" },
      { name: "Ben Low", scene: "c" },
    ],
  };
  select("a");
  await drawn();
  same(
    all(".others .avatar").map(({ textContent, title }) => [textContent, title]),
    [["BL", "Ben Low is here too"]],
  );
  same([pulse.othersIn("b"), pulse.othersIn("a")], [["Ben Low"], []]);
  pulse.latest.others = [];
});

test("a save that comes after a pulse began is not undone by its answer", async () => {
  await begin();
  let answer;
  answerInstead(({ path }) =>
    path === "/pulse"
      ? new Promise((then) => {
          answer = () => then(json({ revision: 1, encodes: {}, others: [], publication: { isChanged: false } }));
        })
      : undefined,
  );
  const beat = pulse.beat();
  await until(() => answer);
  pulse.saved();
  answer();
  await beat;
  same(pulse.isChanged, true);
  const next = pulse.beat();
  await pause(10);
  answer();
  await next;
  same(pulse.isChanged, false);
  answerInstead(({ path }) => (path === "/pulse" ? json({ revision: 1, encodes: {}, others: [] }) : undefined));
  await pulse.beat();
  same(pulse.isChanged, true); // a service that does not say may have another one
});

test("one beat waits at a time, and none is hurried by a page that is hidden", async () => {
  await begin();
  let beats = 0;
  pulse.beat = () => {
    beats += 1;
  };
  for (let times = 0; times < 3; times += 1) pulse.soon(5);
  await pause(30);
  same(beats, 1);
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
  await pause(20);
  same(beats, 1);
  delete document.hidden;
  document.dispatchEvent(new Event("visibilitychange"));
  await until(() => beats === 2);
  delete pulse.beat;
});
