/* A page as it is opened: what it takes over from an earlier tab, where its address leads, and what it asks first. */

import { Journal, openDatabase } from "/static/studio/journal.js";
import { holds, pause, same, test, until } from "./runner.js";
import { answerInstead, json, row, scenes, story } from "./service.js";

const boot = document.getElementById("boot");
story.publication = { isPublished: true, url: "/w/x" };
boot.textContent = JSON.stringify({ ...JSON.parse(boot.textContent), draft: { story, scenes }, told: "It is back." });
for (const place of ["bar", "strip", "inspector"]) document.getElementById(place).textContent = "It loads…";

const closed = new Journal("s", "me");
closed.db = await openDatabase();
const base = { text: "Text of b." };
await closed.keep("changes", { id: "words", at: 1, type: "edit", target: "b", fields: { text: "Left behind" }, base });
const file = new File(["x"], "c.jpg", { type: "image/jpeg" });
const url = `${location.origin}/api/v2/uploads/u/content`;
await closed.keep("files", { id: "file", at: 1, file, target: "c", kind: "picture", name: "c.jpg", upload: "u", url });

let beats = 0;
const answers = {
  "HEAD /uploads/u/content": () => new Response(null, { headers: { "Upload-Offset": 1 } }),
  "GET /uploads/u": () => json({ state: "ready", mediaId: "m" }),
  "GET /media/m": () => json({ id: "m", kind: "picture", filename: "c.jpg", thumbnailUrl: "data:," }),
  "GET /stories/s/premiere": () => json({ state: "sent", note: "Sent to 3 people." }),
  "GET /pulse": () => {
    beats += 1;
  },
};
answerInstead(({ method, path }) => answers[`${method} ${path}`]?.());
location.hash = "#b.text";

let close; // that tab is about to be closed
navigator.locks.request(
  closed.tab,
  () =>
    new Promise((then) => {
      close = then;
    }),
);
await until(() => close);
const { timeout } = AbortSignal;
AbortSignal.timeout = () => new AbortController().signal; // the moment that it is given does not end
const { drawn, find } = await import("./editor.js");
const navigation = await import("/static/studio/navigation.js");
const { draft } = await import("/static/studio/store.js");

test("a page whose earlier tab is just being closed stays as it is until that has gone", async () => {
  await pause(100);
  same([document.documentElement.dataset.studio, find("#bar").textContent], [undefined, "It loads…"]);
  AbortSignal.timeout = timeout;
  close();
});

test("a page goes to what its address says, with the words and files that an earlier tab left", async () => {
  await until(() => document.activeElement === find("#field-text"));
  same([navigation.selected, document.body.dataset.open, find("#field-text").value], ["b", "inspector", "Left behind"]);
  await until(() => row("b").text === "Left behind");
  await until(() => draft.scene("c").still.id === "m");
});

test("what stood there without script goes, what came of a form is said, and the pulse begins", async () => {
  await drawn();
  for (const place of ["#bar", "#strip", "#inspector"]) holds(!find(place).textContent.includes("It loads"), place);
  same(find("#toast").textContent.trim(), "It is back.");
  await until(() => beats);
});

test("a page of what is live asks for its email", async () => {
  navigation.select("story");
  await until(() => find(".mail-line")?.textContent === "Sent to 3 people.");
});
