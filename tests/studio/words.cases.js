/* Our words in the language of the page. */

import { around } from "/static/studio/words-around.js";
import { same, test } from "./runner.js";

/** The module as a page in a language has it, with what that page brings along. */
async function wordsIn(lang, catalogue) {
  const before = document.documentElement.lang;
  const brought = Object.assign(document.createElement("script"), { type: "application/json" });
  brought.dataset.words = "";
  brought.textContent = JSON.stringify(catalogue);
  document.documentElement.lang = lang;
  document.body.append(brought);
  const words = await import(`/static/studio/words.js?${lang}`);
  brought.remove();
  document.documentElement.lang = before;
  return words;
}

test("in English a sentence is itself, with its values in their places", async () => {
  const { plural, t } = await import("/static/studio/words.js");
  same(t("Scene {place} of {count}", { place: 2, count: 1234 }), "Scene 2 of 1,234");
  const waits = (n) => plural("1 change waits", "{n} changes wait", n);
  same([waits(1), waits(0), waits(2)], ["1 change waits", "0 changes wait", "2 changes wait"]);
});

test("what somebody wrote is put into a place as it is, and places without a value stay", async () => {
  const { plural, t } = await import("/static/studio/words.js");
  same(t("{name} is here too", { name: "{name} & $& <b>" }), "{name} & $& <b> is here too");
  same(plural("1 in {time}", "{n} in {time}", 2), "2 in {time}");
});

test("in another language the page's words are said, by its own rules for numbers", async () => {
  const { plural, t } = await wordsIn("pl", {
    Undo: "Cofnij",
    "1 scene": { one: "{n} scena", few: "{n} sceny", many: "{n} scen", other: "{n} sceny" },
  });
  same([t("Undo"), t("Redo")], ["Cofnij", "Redo"]);
  const scenes = (n) => plural("1 scene", "{n} scenes", n);
  same([1, 3, 5, 22].map(scenes), ["1 scena", "3 sceny", "5 scen", "22 sceny"]);
});

test("markup stands where the sentence has its place, in any order", () => {
  const time = { markup: true };
  same(around("Email in {time}.", { time }), ["Email in ", time, "."]);
  same(around("{time}: Email", { time }), ["", time, ": Email"]);
});
