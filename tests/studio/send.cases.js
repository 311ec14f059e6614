/* The page of an upload link: several files one after the other, and what became of them. */

import { holds, hurry, same, test, until } from "./runner.js";

document.body.innerHTML = `<form data-send><input type="file" name="file"><button>Send</button>
  <p data-left></p></form><ul data-files="/up/1"><li data-state="checking"></li></ul>`;
const form = document.querySelector("form");
const [button, list] = [form.querySelector("button"), document.querySelector("[data-files]")];

/** Requests of files, which answer when they are told to. */
const sent = [];
globalThis.XMLHttpRequest = class {
  upload = {};
  open(method, url) {
    Object.assign(this, { method, url });
  }
  send(file) {
    sent.push(Object.assign(this, { file }));
  }
  answer(status, response = null) {
    Object.assign(this, { status, response }).onload();
  }
};

const states = [];
const looks = [];
let away = 0; // how often the service does not answer
globalThis.fetch = async (url) => {
  looks.push(url);
  away -= 1;
  if (away >= 0) throw new TypeError("no connection");
  return new Response(JSON.stringify(states.length > 1 ? states.shift() : states[0]));
};

function choose(...names) {
  const files = new DataTransfer();
  for (const name of names) files.items.add(new File(["abc"], name));
  form.elements.namedItem("file").files = files.files;
  form.requestSubmit(button);
}
const lines = () => [...list.children].map((line) => [...line.children].map((each) => each.textContent));

test("what was looked at when the page came is asked about", async () => {
  states.push({ files: [], left: 10 });
  await import("/static/studio/send.js");
  await until(() => looks.length === 1 && !list.children.length);
  states.length = looks.length = 0;
});

test("several files can be chosen at once, and nothing is sent where none is", async () => {
  same(form.elements.namedItem("file").multiple, true);
  form.requestSubmit(button);
  same([sent.length, button.disabled, looks.length], [0, false, 0]);
});

test("files go one after the other, each with its progress, and the button waits for all", async () => {
  hurry();
  choose("a b.jpg", "c.mov");
  same([sent.length, sent[0].method, sent[0].url, button.disabled], [1, "PUT", "/up/1/a%20b.jpg", true]);
  sent[0].upload.onprogress({ loaded: 1, total: 3 });
  same(lines(), [
    ["a b.jpg", "", "33 %"],
    ["c.mov", "", ""],
  ]);
  same(
    [...list.querySelectorAll("progress")].map(({ value, max }) => [Math.floor(value), max]),
    [
      [33, 100],
      [0, 100],
    ],
  );
  states.push({ files: [{ name: "a b.jpg", state: "checking", words: "Being checked", error: "" }], left: 8 });
  states.push({
    files: [
      { name: "a b.jpg", state: "ready", words: "Arrived", error: "" },
      { name: "c.mov", state: "refused", words: "Refused", error: "No film." },
    ],
    left: 1,
  });
  sent[0].answer(201);
  await until(() => sent.length === 2);
  same([lines()[0], button.disabled], [["a b.jpg", "Checking …"], true]);
  sent[1].answer(201);
  await until(() => lines()[0][1] === "Being checked");
  same([button.disabled, form.querySelector("[data-left]").textContent, form.hidden], [false, "8 more files.", false]);
  await until(() => lines().length === 2);
  same([lines()[1], form.querySelector("[data-left]").textContent], [["c.mov", "Refused", "No film."], "1 more file."]);
  same(
    [...list.querySelectorAll("span:last-child")].map(({ className }) => className),
    ["soft", "fault"],
  );
  same([looks.length, looks[0]], [2, "/up/1?state"]);
  same(
    [...list.children].map(({ dataset }) => dataset.state),
    ["ready", "refused"],
  );
  same(form.elements.namedItem("file").files.length, 0); // the same file could be chosen again
});

test("what was refused or broke off says so, stays, and the next file goes all the same", async () => {
  list.replaceChildren();
  sent.length = looks.length = 0;
  choose("1.jpg", "2.jpg", "3.jpg", "4.jpg");
  sent[0].answer(409, { error: "No more files." });
  await until(() => sent.length === 2);
  sent[1].answer(500);
  await until(() => sent.length === 3);
  sent[2].onerror();
  await until(() => sent.length === 4);
  states.splice(0, states.length, { files: [{ name: "4.jpg", state: "ready", words: "Arrived", error: "" }], left: 2 });
  sent[3].answer(201);
  await until(
    () => lines()[0][1] === "Arrived",
    () => lines().join(),
  );
  same(
    lines().map(([, words]) => words),
    [
      "Arrived",
      "No more files.",
      "This did not work. Please try again.",
      "The connection broke. Please choose the file again.",
    ],
  );
  same([list.querySelectorAll(".fault").length, list.querySelectorAll("progress").length, looks.length], [3, 0, 1]);
  same([button.disabled, form.querySelector("[data-left]").textContent], [false, "2 more files."]);
});

test("what is looked at is asked about again where the service did not answer, and hides no file on its way", async () => {
  hurry();
  list.replaceChildren();
  sent.length = looks.length = 0;
  const checking = { files: [{ name: "1.jpg", state: "checking", words: "Being checked", error: "" }], left: 2 };
  const ready = { files: [{ name: "1.jpg", state: "ready", words: "Arrived", error: "" }], left: 2 };
  states.splice(0, states.length, checking, ready);
  choose("1.jpg");
  same(list.querySelectorAll(".fault").length, 0); // nothing of what did not arrive before
  sent[0].answer(201);
  await until(() => lines()[0][1] === "Being checked" && !button.disabled);
  away = 1;
  choose("2.jpg");
  sent[1].upload.onprogress({ loaded: 1, total: 4 });
  await until(
    () => lines()[0][1] === "Arrived",
    () => lines().join(),
  );
  same([lines()[1], looks.length], [["2.jpg", "", "25 %"], 3]);
  sent[1].answer(201);
  await until(() => !button.disabled);
});

test("where no file is left, the form goes", async () => {
  states.splice(0, states.length, { files: [], left: 0 });
  choose("last.jpg");
  sent.at(-1).answer(201);
  await until(() => form.hidden);
  holds(!list.children.length);
});

test("what is looked at when no file is left is followed to its end", async () => {
  hurry();
  document.body.innerHTML = `<ul data-files="/up/2"><li data-state="checking"></li></ul>`;
  const told = (state) => ({ files: [{ name: "a.jpg", state, words: state, error: "" }], left: 0 });
  states.splice(0, states.length, told("checking"), told("ready"));
  looks.length = 0;
  await import("/static/studio/send.js?none-left");
  await until(() => document.querySelector("[data-files]").textContent === "a.jpgready");
  same(looks, ["/up/2?state", "/up/2?state"]);
});
