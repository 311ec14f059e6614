/* Rules that know no draft: undo, order, focus, files, waiting, cutting. */

import { isBright, legible, placeOf, sideOf, sizeOf } from "/static/studio/accent.js";
import { ApiError } from "/static/studio/api.js";
import { enter } from "/static/studio/change-states.js";
import { pieces } from "/static/studio/cut.js";
import { frameOf } from "/static/studio/film-frame.js";
import { pointIn, stepped } from "/static/studio/focus-point.js";
import { part, provide } from "/static/studio/lazy.js";
import { fieldsOf } from "/static/studio/media-fields.js";
import { moveTo, placeOfNew } from "/static/studio/order.js";
import { patiently } from "/static/studio/patience.js";
import { afterFailure } from "/static/studio/save-states.js";
import { nextSlice } from "/static/studio/transfer.js";
import { Undo } from "/static/studio/undo.js";
import { sizeWords, timeLeft } from "/static/studio/upload-words.js";
import { common } from "/static/studio/words-in-common.js";
import { films } from "./films.js";
import { holds, hurry, pause, same, test } from "./runner.js";

// --- undo

function undoOf() {
  const state = { value: "", told: [] };
  const undo = new Undo((words) => state.told.push(words));
  const write = (value) => {
    state.value = value;
  };
  const key = (before, after, field = "text") => {
    write(after);
    undo.typed("Text", field, before, after, write);
  };
  return { state, undo, write, key };
}

test("what was done is undone and redone, and said", () => {
  const { state, undo, key } = undoOf();
  key("", "One");
  undo.back();
  same([state.value, state.told], ["", ["Undone: Text."]]);
  undo.again();
  same([state.value, state.told.at(-1)], ["One", "Redone: Text."]);
  undo.again();
  same(state.told.length, 2);
});

test("the letters of one field are one step until the field is left", () => {
  const { state, undo, key } = undoOf();
  key("", "O");
  key("O", "On");
  undo.close();
  key("On", "One");
  same(undo.done.length, 2);
  undo.back();
  same(state.value, "On");
  undo.back();
  same(state.value, "");
  undo.again();
  same(state.value, "On");
});

test("letters of another field are another step", () => {
  const { undo, key } = undoOf();
  key("", "O");
  key("", "x", "alt");
  same(undo.done.length, 2);
});

test("a new step ends what could be redone", () => {
  const { undo, key } = undoOf();
  key("", "One");
  undo.back();
  key("", "Two", "alt");
  same(undo.undone, []);
  undo.back();
  key("", "Three", "title");
  same([undo.undone, undo.done.length], [[], 1]);
});

test("letters after an undo belong to no earlier step", () => {
  const { undo, key } = undoOf();
  key("", "a", "alt");
  undo.close();
  key("", "O");
  undo.back();
  undo.again();
  key("O", "On");
  same(undo.done.length, 3);
});

test("a letter more in the step before ends what could be redone", () => {
  const { undo, key } = undoOf();
  key("", "O");
  undo.undone.push({ what: "x", back() {}, again() {} });
  key("O", "On");
  same(undo.undone, []);
});

test("the last hundred steps are kept", () => {
  const { undo } = undoOf();
  for (let step = 0; step < 120; step += 1) undo.did(`${step}`, Object, Object);
  same([undo.done.length, undo.done[0].what], [100, "20"]);
});

// --- order

const scenes = [{ id: "a" }, { id: "b" }, { id: "c", finale: true }];

test("a new scene comes behind the chosen one, and before the finale", () => {
  same(placeOfNew(scenes, "a"), { after: "a", place: 1 });
  same(placeOfNew(scenes, "c"), { after: "b", place: 2 });
  same(placeOfNew(scenes, "story"), { after: "b", place: 2 });
  same(placeOfNew([], "story"), { after: null, place: 0 });
  same(placeOfNew([{ id: "c", finale: true }], "c"), { after: null, place: 0 });
});

test("a move knows where the scene goes and how it comes back", () => {
  same(moveTo(scenes, "a", 2), { from: 0, to: 2, before: null, after: "c" });
  same(moveTo(scenes, "c", 0), { from: 2, to: 0, before: "b", after: null });
  same(moveTo(scenes, "b", 99), { from: 1, to: 2, before: "a", after: "c" });
  same(moveTo(scenes, "b", -1), { from: 1, to: 0, before: "a", after: null });
  same([moveTo(scenes, "b", 1), moveTo(scenes, "x", 0)], [null, null]);
});

// --- focus

const box = { left: 100, top: 50, width: 200, height: 100 };

test("the focus is where the pointer is in the picture, and never outside", () => {
  same(pointIn(box, 150, 75), [0.25, 0.25]);
  same(pointIn(box, 300, 50), [1, 0]);
  same(pointIn(box, 0, 999), [0, 1]);
  same(pointIn(box, 166.6, 50), [0.333, 0]);
});

test("arrows with Shift move the focus by a tenth: right and down are more", () => {
  same(stepped([0.5, 0.5], 0, "ArrowRight"), [0.6, 0.5]);
  same(stepped([0.5, 0.5], 0, "ArrowLeft"), [0.4, 0.5]);
  same(stepped([0.5, 0.5], 0, "ArrowUp"), [0.6, 0.5]);
  same(stepped([0.5, 0.5], 1, "ArrowDown"), [0.5, 0.6]);
  same(stepped([0.5, 0.5], 1, "ArrowUp"), [0.5, 0.4]);
  same(stepped([0.5, 0.95], 1, "ArrowDown"), [0.5, 1]);
  same(stepped([0.5, 0.5], 1, "Enter"), undefined);
});

// --- files

test("a film becomes the film of a scene, a picture its still", () => {
  same(fieldsOf({ kind: "film", id: "1" }), { film: { kind: "film", id: "1" }, animation: "film" });
  same(fieldsOf({ kind: "picture", id: "2" }), { still: { kind: "picture", id: "2" } });
});

test("slow lines get small slices, quick ones large ones", () => {
  const MB = 1024 * 1024;
  same(nextSlice(MB, 2000), MB);
  same(nextSlice(MB, 4000), MB / 2);
  same(nextSlice(MB, 1), 8 * MB);
  same(nextSlice(MB, 60_000), MB / 4);
});

// --- failures

const after = (status, failures, headers = {}) =>
  afterFailure(new ApiError(status, {}, new Headers(headers)), failures);

test("saving is tried again after longer and longer waits, or as the service says", () => {
  same(
    [0, 1, 2, 3, 4, 5, 9].map((failures) => after(500, failures).wait),
    [1000, 2000, 4000, 8000, 15000, 30000, 30000],
  );
  same(after(429, 0, { "Retry-After": "7" }), { state: "trouble", wait: 7000 });
  same(after(0, 0), { state: "offline", wait: 1000 });
});

test("who is signed out is asked for again; a lost role or capsule is not", () => {
  same(after(401, 3), { state: "signed-out", wait: 5000 });
  same([after(403, 0), after(404, 0)], [{ state: "read-only" }, { state: "gone" }]);
});

test("a change goes on only by the arrows of its states", () => {
  const change = { state: "waiting" };
  for (const state of ["sending", "unanswered", "sending"]) enter(change, state);
  same(change.state, "sending");
  const refused = [
    ["held", "sending"],
    ["waiting", "unanswered"],
    ["sending", "waiting"],
  ].filter(([from, to]) => {
    try {
      enter({ state: from }, to);
      return false;
    } catch {
      return true;
    }
  });
  same(refused.length, 3);
});

/** What `act` tries is tried again without waiting; returns for how many seconds it would have waited. */
async function hurried(act) {
  const [real, waits] = [setTimeout, []];
  globalThis.setTimeout = (then, ms) => {
    waits.push(ms / 1000);
    queueMicrotask(then);
  };
  try {
    await act();
  } finally {
    globalThis.setTimeout = real;
  }
  return waits;
}
const failing = (times, ...error) => {
  let tries = 0;
  return async () => {
    tries += 1;
    if (tries <= times) throw new ApiError(...error);
    return "done";
  };
};

test("what is busy is waited for as long as the service says, however often", async () => {
  const told = [];
  const busy = (status) => failing(14, status, {}, new Headers({ "Retry-After": "3" }));
  for (const status of [423, 429]) {
    const waits = await hurried(async () => same(await patiently(busy(status), (away) => told.push(away)), "done"));
    same(waits, Array(14).fill(3));
  }
  same([told.includes(true), told.at(-1)], [false, false]);
});

test("a service that is away is asked again for two minutes, and then said to be away", async () => {
  const told = [];
  const waits = await hurried(async () => same(await patiently(failing(6, 503), (away) => told.push(away)), "done"));
  same(
    [waits, told],
    [
      [1, 2, 4, 8, 15, 15],
      [true, true, true, true, true, true, false],
    ],
  );
  for (const status of [0, 500]) {
    let error;
    const all = await hurried(async () => {
      error = await patiently(failing(99, status), () => {}).catch((thrown) => thrown);
    });
    same([error.status, all.length], [status, 12]);
  }
});

test("a refusal, a lock without an end and a fault of ours are not tried again", async () => {
  const faults = [new ApiError(409), new ApiError(499), new ApiError(423), new TypeError("ours")];
  for (const fault of faults) {
    let caught;
    const throws = async () => {
      throw fault;
    };
    const waits = await hurried(async () => {
      caught = await patiently(throws, () => {}).catch((error) => error);
    });
    same([caught === fault, waits], [true, []]);
  }
});

// --- texts

const cut = (text) => pieces(text, { most: 20, limit: 30 });

test("a text is cut between paragraphs, then sentences, then words, and keeps them all", () => {
  same(cut("One.\n\nTwo."), ["One.", "Two."]);
  same(cut("One.\nTwo."), ["One.", "Two."]);
  same(cut("One,\ntwo.\n \n\nThree."), ["One,\ntwo.", "Three."]);
  same(cut("A first sentence. A second one. A third."), ["A first sentence.", "A second one.", "A third."]);
  same(cut("Short. Also short. And this is longer."), ["Short. Also short.", "And this is longer."]);
  same(cut("A sentence of twenty-six."), ["A sentence of twenty-six."]);
  same(cut("words ".repeat(10)), ["words words words words words", "words words words words words"]);
  same(cut("x".repeat(70)), ["x".repeat(30), "x".repeat(30), "x".repeat(10)]);
  same(cut("One.\r\n\r\nTwo.\r\rThree."), ["One.", "Two.", "Three."]);
  same(cut(" \n\n "), []);
});

test("two texts have the words in common that stand in the same order", () => {
  const words = (text) => text.split(" ");
  same([...common(words("the lake was wild"), words("the lake was calm"))], [0, 1, 2]);
  same([...common(words("a b c"), words("x a c"))], [0, 2]);
  holds(common([], words("a")).size === 0);
});

// --- files on their way, in words

test("a file says how large it is and how long its way takes, once its pace says something", () => {
  same([1e6, 1e9].map(sizeWords), ["1 MB", "1.0 GB"]);
  same([400, 640_000, 1_400_000, 300_000_000, 2_440_000_000].map(sizeWords), [
    "1 kB",
    "640 kB",
    "1 MB",
    "300 MB",
    "2.4 GB",
  ]);
  const way = { size: 300_000_000, sent: 42_000_000, from: 0, began: 0 };
  same(timeLeft(way, 2000), "");
  same(timeLeft({ ...way, sent: 0 }, 60_000), "");
  same(timeLeft(way, 20_000), "about 3 minutes left");
  same(timeLeft({ ...way, from: 21_000_000 }, 20_000), "about 5 minutes left");
  same(timeLeft({ ...way, sent: 290_000_000 }, 20_000), "less than a minute left");
});

// --- looks

test("words are as large as the service makes them, which counts characters and not their halves", () => {
  same(
    ["😀".repeat(48), "😀".repeat(49), "a\nb", "😀".repeat(320), "😀".repeat(321)].map((text) => sizeOf({ text })),
    ["large", "usual", "usual", "usual", "small"],
  );
  same(
    [sizeOf({ text: `${" ".repeat(20)}${"x".repeat(48)}\n` }), sizeOf({ text: "x", size: "small" })],
    ["large", "small"],
  );
});

test("an accent becomes what the service makes of it, where it could not be read", () => {
  const shown = { day: "#ffff00", ink: "#000010", night: "#c8553d", paper: "#777777" };
  same(
    Object.entries(shown).map(([theme, accent]) => legible(accent, theme)),
    ["#575700", "#9e9ea4", "#e2a79a", "#4f4f4f"],
  );
  same([legible("#FFD166", "night"), legible("#123456", "night")], ["#ffd166", "#aebac6"]);
  same(["#808080", "#606060", "#ff0000", "#0000ff"].map(isBright), [true, false, true, false]);
});

test("words stand where the focus is not", () => {
  const places = [
    [0.5, 0.63],
    [0.5, 0.62],
  ].map((focus) => placeOf({ focus }));
  same([...places, placeOf({ place: "top", focus: [0, 1] })], ["high", "low", "top"]);
  const sides = (isMirrored) => [0.46, 0.47, 0.54].map((x) => sideOf({ focus: [x, 0.5] }, isMirrored));
  same(
    [sides(false), sides(true)],
    [
      ["end", "start", "start"],
      ["start", "start", "end"],
    ],
  );
});

// --- the frame of a film

test("a film shows its first frame that is not black, no larger than is needed", async () => {
  const looks = films({ bright: 1 });
  const picture = new Image();
  picture.src = await frameOf(new Blob());
  await picture.decode();
  same([looks, picture.naturalWidth, picture.naturalHeight], [[0, 0.5, 1, "let go"], 1280, 640]);
});

test("a film that is black shows its last look; one that cannot be played none", async () => {
  const looks = films({ bright: 99 });
  holds((await frameOf(new Blob())).startsWith("blob:"));
  same(looks, [0, 0.5, 1, 2, "let go"]);
  films({ answers: "error" });
  same(await frameOf(new Blob()), null);
  films({ answers: "" });
  const waits = await hurried(async () => same(await frameOf(new Blob()), null));
  same(waits, [8]);
});

// --- parts

test("a part that must come is fetched again until there is a connection", async () => {
  hurry();
  let tries = 0;
  const fetched = async () => {
    tries += 1;
    if (tries < 2) throw new TypeError("no connection");
    return "here";
  };
  provide({ late: fetched });
  const late = part("late");
  holds(await late.get().catch((error) => error instanceof Error));
  tries = 0;
  const came = await Promise.race([late.get({ patient: true }), pause(10_000)]);
  same([came, tries, late.here], ["here", 2, "here"]);
});
