/* What the editor listens to, says aloud and asks for: small rules that nothing else here stands on. */

import { allSaved } from "/static/studio/all-saved.js";
import { toast } from "/static/studio/announcements.js";
import { ApiError } from "/static/studio/api.js";
import { serviceTime } from "/static/studio/boot.js";
import { replace } from "/static/studio/caret.js";
import { check } from "/static/studio/check.js";
import { closeDialog } from "/static/studio/dialogs.js";
import { setFields } from "/static/studio/editing.js";
import { frameOf } from "/static/studio/film-frame.js";
import { Journal } from "/static/studio/journal.js";
import { part } from "/static/studio/lazy.js";
import { live } from "/static/studio/live.js";
import { open, select } from "/static/studio/navigation.js";
import { pulse } from "/static/studio/presence.js";
import { Pulse } from "/static/studio/pulse.js";
import { onDraw, redraw } from "/static/studio/redraw.js";
import { SEND } from "/static/studio/scene-requests.js";
import { stage } from "/static/studio/stage.js";
import { draft, saver, undo } from "/static/studio/store.js";
import { Transfer } from "/static/studio/transfer.js";
import { askForTrash } from "/static/studio/trash-dialog.js";
import { uploads } from "/static/studio/upload-list.js";
import { all, begin, click, drawn, find, ids, key, named, saved, type } from "./editor.js";
import { holds, pause, same, test, until } from "./runner.js";
import { answerInstead, asked, json, refusal } from "./service.js";

const thrown = (act) =>
  act().then(
    () => "",
    (error) => error,
  );

// --- what is said aloud

test("what cannot be saved is said at once, and what goes well is only shown", async () => {
  await begin("a");
  for (const state of ["held", "offline", "signed-out", "trouble", "read-only", "gone"]) {
    saver.become(state);
    const words = find("#bar .save-state").textContent.trim();
    same([find("#assertive").textContent, words.length > 3, state], [words, true, state]);
  }
  for (const state of ["saved", "waiting", "saving"]) {
    saver.become(state);
    same([find("#assertive").textContent, state], ["", state]);
  }
  await begin("a");
});

test("a line at the foot is said aloud too, and goes with what it offers", async () => {
  let done = 0;
  toast("It is gone", "Undo", () => {
    done += 1;
  });
  same(find("#polite").textContent, "It is gone");
  find("#toast button").click();
  same([done, find("#toast").textContent.trim()], [1, ""]);
});

test("every button and link says what it does", async () => {
  for (const id of ["b", "story"]) {
    await begin(id);
    await drawn();
    const named = all(
      "#bar :is(a, button), #strip button, #foot :is(a, button), #inspector button, #stage-head button",
    );
    holds(named.length > 10);
    same(
      named.filter((each) => !/\p{L}/u.test(each.ariaLabel ?? each.textContent)).map(({ outerHTML }) => outerHTML),
      [],
    );
  }
  same(find(".bar-back").ariaLabel, "All capsules");
});

test("a field that is wrong says so, and speaks of the words that say why", async () => {
  await begin("a");
  for (const [target, field] of [
    ["a", "title"],
    ["a", "text"],
    ["story", "title"],
  ]) {
    select(target);
    await drawn();
    same(find(`#field-${field}`).ariaInvalid, "false");
    await type(field, "x".repeat(41));
    const element = find(`#field-${field}`);
    const notes = element.getAttribute("aria-describedby").split(" ");
    same([element.ariaInvalid, notes], ["true", [`field-${field}-hint`, `field-${field}-fault`]]);
    holds(notes.every((each) => find(`#${each}`)));
    await type(field, "x");
  }
});

test("the time that an email still waits is a timer", async () => {
  await begin("story");
  Object.assign(draft.served.story, { visibility: "public", publication: { isPublished: true, url: "/w/x" } });
  draft.folded = null;
  const dueAt = new Date(serviceTime() + 60_000).toISOString();
  Object.assign(live(), { premiere: { state: "scheduled", dueAt, recipients: 2 } });
  select("story");
  await until(() => find(".mail-line [role=timer]")?.textContent.startsWith("0:5"));
  live().premiere = null;
});

// --- what is asked of the service

test("what is being saved, or will be, is waited for; what cannot be is said", async () => {
  const one = (state, reason = "Refused.") => ({ state, reason, waits: 1, busy: null, now() {}, draft: { held: [] } });
  for (const state of ["saved", "waiting", "saving", "held"]) {
    const saver = one(state);
    setTimeout(() => {
      saver.waits = 0;
    }, 70); // it looks every 50 ms
    await allSaved(saver);
  }
  const again = { ...one("trouble"), busy: null };
  again.now = () => {
    again.busy = Promise.resolve().then(() => {
      again.waits = 0;
      again.busy = null;
    });
  };
  await allSaved(again); // what failed before is tried at once
  for (const state of ["offline", "trouble", "gone", "read-only", "signed-out"]) {
    same((await thrown(() => allSaved(one(state)))).message, "Refused.");
  }
  same((await thrown(() => allSaved(one("trouble", "")))).message, "Some changes could not be saved.");
});

test("the service's pages of a draft are asked for again at once after a change of all but words", async () => {
  await begin("a");
  let count = 0;
  stage.refresh = () => {
    count += 1;
  };
  const settles = (change) => {
    count = 0;
    draft.say("settled", { target: "a", ...change });
    return count;
  };
  for (const field of ["still", "focus", "film", "animation", "finale", "place", "look", "author"]) {
    same([field, settles({ type: "edit", fields: { [field]: 1 } })], [field, 1]);
  }
  for (const field of ["title", "summary", "text", "alt"])
    same([field, settles({ type: "edit", fields: { [field]: 1 } })], [field, 0]);
  same(
    [settles({ type: "held", fields: { text: 1 } }), settles({ type: "move" }), settles({ type: "remove" })],
    [0, 1, 1],
  );
  delete stage.refresh;
});

test("a page whose picture does not come takes its place after a while all the same", async () => {
  const { refresh } = await import("/static/studio/stage-swap.js");
  const section = document.createElement("section");
  section.innerHTML = '<div class="shot"><img alt=""></div>';
  section.querySelector("img").decode = () => new Promise(() => {});
  const [box, frame, after] = [document.createElement("div"), document.createElement("i"), window.setTimeout];
  box.append(frame);
  const there = async () => {};
  const makeFrame = () => Object.assign(document.createElement("i"), { contentDocument: document });
  window.setTimeout = (then, ms, ...rest) => after(then, ms === 5000 ? 0 : ms, ...rest);
  refresh({ box, frame, makeFrame, load: there, write: there, target: () => section, goto() {}, fit() {} });
  await until(() => box.childElementCount === 1 && !box.contains(frame));
  window.setTimeout = after;
});

test("words of a scene that is gone are kept, whichever field they are of; its other fields are not", async () => {
  for (const [lost, count] of [
    [{ title: "x" }, 4],
    [{ text: "x" }, 4],
    [{ alt: "x" }, 4],
    [{ text: "", focus: [0, 0] }, 3],
  ]) {
    await begin("a");
    await part("scenes").get();
    saver.refuse({ id: "1" }, new Error("Gone."), lost);
    same(ids().length, count);
  }
  await begin("a");
});

test("what makes, copies, brings back or moves a scene is asked once, however often it is sent", async () => {
  const calls = [];
  const api = { call: async (...call) => ({ data: calls.push(call) }) };
  const line = { api, path: "/s" };
  for (const type of ["add", "duplicate", "restore", "move", "remove"]) {
    await SEND[type](line, { id: "once", type, target: "a", of: "a", after: "b", fields: {} });
  }
  same(
    calls.map(([method, path, options]) => [method, path, options?.headers?.["Idempotency-Key"]]),
    [
      ["POST", "/s/scenes", "once"],
      ["POST", "/s/scenes/a/duplicate", "once"],
      ["POST", "/s/scenes/a/restore", "once"],
      ["POST", "/s/scenes/a/move", "once"],
      ["DELETE", "/s/scenes/a", undefined],
    ],
  );
});

test("words for the history are refused by the service on purpose, and by nothing else", async () => {
  const change = { id: "1", type: "history", target: "a", fields: { text: "x" } };
  const answers = (status) => ({ api: { call: async () => Promise.reject(new ApiError(status)) }, path: "/s" });
  same(await SEND.history(answers(412), change), {});
  same((await thrown(() => SEND.history(answers(500), change))).status, 500);
});

test("an edit that the service will never take is held, whichever way it says so", async () => {
  for (const status of [400, 409, 413]) {
    await begin("a");
    answerInstead(({ method }) => (method === "PATCH" ? refusal(status) : undefined));
    await type("text", "Refused");
    saver.now();
    await until(
      () => saver.state === "held",
      () => `${status}: ${saver.state}`,
    );
    same([draft.held.length, saver.waits, saver.reason], [1, 0, ""]);
  }
  await begin("a");
});

test("an upload waits for what passes, and ends with what does not", async () => {
  const transfer = new Transfer({ api: {}, list: { say() {} } });
  async function tries(status, before) {
    const entry = {};
    let count = 0;
    const act = async () => {
      count += 1;
      if (count === 1) throw new ApiError(status, { error: "Why." });
      return "there";
    };
    const ending = transfer.patiently(entry, act, before).catch((error) => error.status);
    await pause(0);
    const waited = [entry.waits ?? false, entry.why];
    entry.again?.();
    return [await ending, ...waited];
  }
  for (const status of [401, 423, 429, 500, 502, 503]) same(await tries(status), ["there", true, "Why."]);
  same(await tries(0), ["there", true, ""]);
  same(await tries(409, async () => {}), ["there", true, "Why."]);
  for (const status of [400, 403, 404, 409, 413, 422]) same((await tries(status)).slice(0, 2), [status, false]);
});

test("an upload is tried again after longer and longer waits, or as the service says", async () => {
  const transfer = new Transfer({ api: {}, list: { say() {} } });
  const [wait, waits] = [setTimeout, []];
  globalThis.setTimeout = (act, ms) => {
    waits.push(ms / 1000);
    queueMicrotask(act);
  };
  let count = 0;
  const act = async () => {
    count += 1;
    if (count < 8) throw new ApiError(500);
    if (count < 9) throw new ApiError(423, {}, new Headers({ "Retry-After": "7" }));
  };
  await transfer.patiently({}, act);
  globalThis.setTimeout = wait;
  same(waits, [1, 2, 4, 8, 16, 30, 30, 7]);
});

test("a beat of the pulse says which tab and scene it is of, and asks only for what is new", async () => {
  const real = fetch;
  const asks = [];
  let answer = () => json({ revision: 2, publication: { isChanged: false } }, 200, { ETag: '"1"' });
  globalThis.fetch = async (url, options) => {
    asks.push([url, options]);
    return answer();
  };
  const own = new Pulse({ url: "/pulse", tab: "t", isChanged: true, scene: () => "a" });
  own.soon = () => {};
  let news = 0;
  own.addEventListener("news", () => {
    news += 1;
  });
  await own.beat();
  answer = () => new Response(null, { status: 304 });
  await own.beat();
  answer = () => refusal(500);
  await own.beat();
  globalThis.fetch = real;
  same([news, own.isChanged, own.latest.revision], [2, false, 2]);
  same(asks[0], ["/pulse?tab=t&scene=a", { headers: {}, credentials: "same-origin", redirect: "manual" }]);
  same(asks[1][1].headers, { "If-None-Match": '"1"' });
});

test("a key or a press wakes the pulse that has slept", async () => {
  const beats = [];
  pulse.soon = (ms) => beats.push(ms);
  for (const [hand, Kind] of [
    ["keydown", KeyboardEvent],
    ["pointerdown", PointerEvent],
  ]) {
    pulse.touched = 0;
    const touch = () => document.body.dispatchEvent(new Kind(hand, { key: "x", bubbles: true }));
    touch();
    same([beats.pop(), pulse.touched > 0], [0, true]);
    touch();
    same(beats, []);
  }
  delete pulse.soon;
});

test("a capsule goes to the trash once its words are saved, and a refusal is said at once", async () => {
  await begin("a");
  answerInstead(({ method }) => (method === "DELETE" ? refusal(423) : undefined));
  await type("text", "Last words");
  askForTrash();
  find("#dialog .pill-danger").click();
  await until(() => find("#dialog [role=alert]")?.textContent === "Refused 423.");
  same(
    asked.map(({ method }) => method),
    ["PATCH", "DELETE"],
  );
  same(asked.at(-1).search, ""); // it is not live
  closeDialog();
  askForTrash();
  same(find("#dialog .fault"), null); // of another time
});

// --- keys and hands

test("shortcuts work with either command key, and leave fields and other keys alone", async () => {
  await begin("a");
  const counts = { now: 0, back: 0, again: 0 };
  saver.now = () => {
    counts.now += 1;
  };
  undo.back = () => {
    counts.back += 1;
  };
  undo.again = () => {
    counts.again += 1;
  };
  const press = (name, more, target = document.body) => {
    const event = new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more });
    target.dispatchEvent(event);
    return event.defaultPrevented;
  };
  for (const command of ["ctrlKey", "metaKey"]) {
    same([press("s", { [command]: true }), press("z", { [command]: true })], [true, true]);
    same(press("Z", { [command]: true, shiftKey: true }), true);
    same(press("z", { [command]: true }, find("#field-text")), false);
  }
  same(counts, { now: 2, back: 2, again: 2 });
  same(
    [press("s"), press("z"), press("?", {}, find("#field-text")), press("?", { ctrlKey: true })],
    Array(4).fill(false),
  );
  same(press("z", { ctrlKey: true }, find("#inspector [name=animation]")), true);
  delete saver.now;
  delete undo.back;
  delete undo.again;
});

test("the strip is one list of scenes with one stop, and a picture in it is not dragged by itself", async () => {
  await begin("b");
  const list = find("#strip ol");
  same([list.role, list.ariaLabel, list.ariaOrientation], ["listbox", "Scenes", "vertical"]);
  const options = [...list.children];
  same(
    options.map((each) => [each.role, each.tabIndex, each.ariaSelected]),
    [
      ["option", -1, "false"],
      ["option", 0, "true"],
      ["option", -1, "false"],
    ],
  );
  holds(all("#strip img").every((each) => !each.draggable && each.alt === ""));
  same(find(".thumb-story").ariaPressed, "false");
  select("story");
  await drawn();
  same([find(".thumb-story").ariaPressed, options.map(({ tabIndex }) => tabIndex)], ["true", [0, -1, -1]]);
});

test("Space goes to the text as Enter does, and the keys of other commands are the browser's", async () => {
  await begin("b");
  await key(" ");
  await until(() => document.activeElement === find("#field-text"));
  await begin("b");
  for (const command of ["ctrlKey", "metaKey"]) await key("d", { [command]: true });
  same(ids(), ["a", "b", "c"]);
  await key("Backspace");
  await until(() => ids().length === 2);
});

test("the arrows beside the number take no focus from a field, and end with the scenes", async () => {
  await begin("a");
  const steps = () => all("#stage-head .turn button");
  same(
    steps().map(({ disabled }) => disabled),
    [true, false],
  );
  const event = new MouseEvent("mousedown", { bubbles: true, cancelable: true });
  steps()[1].dispatchEvent(event);
  holds(event.defaultPrevented);
  select("c");
  await drawn();
  same(
    steps().map(({ disabled }) => disabled),
    [false, true],
  );
});

test("who is led to a field sees which it is; who opens the fields of a phone begins at their way back", async () => {
  await begin("a");
  open("b", "alt");
  await until(() => find("#field-alt.led-to"));
  open("b");
  await until(() => document.activeElement === find("#inspector .back-to-stage"));
  await begin("a");
  document.body.dataset.open = "";
});

test("who goes to another scene has saved, and what is typed after is a step of its own", async () => {
  await begin("a");
  await type("text", "One");
  let count = 0;
  saver.now = () => {
    count += 1;
  };
  select("b");
  delete saver.now;
  same(count, 1);
  select("a");
  await drawn();
  await type("text", "Two");
  undo.back();
  same(draft.scene("a").text, "One");
  await saved();
});

test("a focus is asked for where there is a picture alone", async () => {
  await begin("a");
  holds(named("Focus", find("#inspector")));
  setFields("a", { still: null }, "Picture");
  await drawn();
  holds(!named("Focus", find("#inspector")));
});

test("a menu closes with what it does, and an edition that is shown is not unpublished by itself", async () => {
  await begin("a");
  await part("menus").get();
  const menu = find("#more-menu");
  const items = async (fields) => {
    draft.served.story = { ...draft.served.story, publication: { isPublished: true, url: "/w/x" }, ...fields };
    draft.folded = null;
    select("a");
    menu.showPopover();
    await drawn();
    return all("#more-menu [role=menuitem]").map(({ textContent }) => textContent.trim());
  };
  holds((await items({ capsuleId: "c", shown: false })).includes("Unpublish"));
  holds(!(await items({ capsuleId: "c", shown: true })).includes("Unpublish"));
  holds((await items({ capsuleId: null, shown: true })).includes("Unpublish"));
  await click("Keyboard", menu);
  holds(!menu.matches(":popover-open"));
});

test("the frame of the stage has a title and no stop of the Tab key, and goes along with its box", async () => {
  await begin("a");
  const { frame, box } = stage;
  same([frame.title, frame.tabIndex], ["The capsule as readers see it", -1]);
  let [fits, writes] = [0, 0];
  stage.fit = () => {
    fits += 1;
  };
  stage.write = () => {
    writes += 1;
  };
  box.style.width = "321px";
  await until(() => fits);
  dispatchEvent(new Event("online"));
  same(writes, 1);
  delete stage.fit;
  delete stage.write;
  box.style.width = "";
});

// --- what is live

const premieres = () => asked.filter(({ path }) => path.endsWith("/premiere")).length;

test("while an email is sent, each beat of the pulse asks how far it is", async () => {
  await begin("a");
  answerInstead(({ path }) => (path.endsWith("/premiere") ? json({ state: "sending", recipients: 3 }) : undefined));
  live().premiere = { state: "sending", recipients: 3 };
  pulse.latest = { ...pulse.latest, premiere: { state: "sending" } };
  for (const count of [1, 2]) {
    pulse.dispatchEvent(new Event("news"));
    await until(() => premieres() === count);
  }
  answerInstead(({ path }) => (path.endsWith("/premiere") ? refusal(500) : undefined));
  same((await thrown(() => live().lookAtPremiere())).status, 500);
  same(live().premiere.state, "sending");
  live().premiere = null;
});

test("only what is live is asked about before it is unpublished, and the pulse hears of a choice at once", async () => {
  await begin("a");
  await part("live").get();
  const { openVisibility } = await import("/static/studio/live.js");
  const beats = [];
  pulse.soon = (ms) => beats.push(ms);
  const choose = async (isPublished) => {
    asked.length = 0;
    draft.served.story = { ...draft.served.story, publication: { isPublished, url: "/w/x" }, visibility: "public" };
    draft.folded = null;
    openVisibility(false);
    find("#dialog [name=visibility]").dispatchEvent(new Event("change"));
    await drawn();
    await pause(10);
    return asked.some(({ method, path }) => method === "PUT" && path.endsWith("/visibility"));
  };
  same([await choose(true), find("#dialog-title").textContent], [false, "Unpublish?"]);
  same(beats, []);
  live().confirming = false;
  same(await choose(false), true);
  await until(() => beats.length);
  same(beats, [0]);
  delete pulse.soon;
  await begin("a");
});

// --- what is shown

test("a caret right behind the letters that both texts have in common stays there", () => {
  const field = find("#field-title") ?? document.createElement("input");
  const at = (before, caret, after) => {
    field.value = before;
    field.setSelectionRange(caret, caret);
    replace(field, after);
    return field.selectionStart;
  };
  same([at("abcd", 2, "abXcd"), at("abcd", 1, "abXcd"), at("abcd", 3, "abXcd"), at("abcd", 4, "ab")], [2, 1, 4, 2]);
  same(at("abcd", 3, "a"), 1); // what stood around it is gone
  field.value = "abcd";
  field.setSelectionRange(1, 3);
  replace(field, "Xabcd");
  same([field.selectionStart, field.selectionEnd], [2, 4]); // so does what is selected
});

test("a picture on its way is not missing, nor is the movement of a finale; blanks are no words", async () => {
  await begin("a");
  check.isTold = true;
  const scene = { ...draft.scenes[2], still: null, animation: "none", finale: true };
  same(check.missingIn(scene, 2), ["still"]);
  uploads.all.set("u", { id: "u", target: scene.id, state: "sending" });
  same(check.missingIn(scene, 2), []);
  uploads.all.clear();
  same(check.missingIn({ ...scene, finale: false }, 2), ["still"]);
  same(check.missingIn({ ...scene, finale: false, still: {} }, 2), ["animation"]);
  same(check.missingIn(scene, 1), ["still", "finale"]);
  for (const text of ["", " \n", "\u200b", "\u200d", "\u2060", "\ufeff"]) {
    same(check.missingIn({ ...scene, text }, 2), ["text", "still"]);
  }
});

test("files on their way are drawn as they go", async () => {
  await begin("a");
  await drawn();
  let count = 0;
  onDraw(() => {
    count += 1;
  });
  await drawn();
  count = 0;
  uploads.say();
  for (let times = 0; times < 3; times += 1) redraw(); // once for all who ask
  await drawn();
  same(count, 1);
});

test("the focus follows the first button of a mouse, and the preset that it stands on is pressed", async () => {
  await begin("a");
  setFields("a", { focus: [0.2, 0.5] }, "Focus");
  await part("focus").get();
  find("details.focus").open = true;
  const pressed = () => all(".focus-presets [aria-pressed=true]").map(({ ariaLabel }) => ariaLabel);
  await until(() => pressed().join() === "middle left");
  same(all(".focus-presets [aria-pressed=false]").length, 8);
  const box = find(".focus-picture");
  box.setPointerCapture = () => {};
  const at = (type, share, button = 0) => {
    const { left, top, width, height } = box.getBoundingClientRect();
    const where = { clientX: left + share * width, clientY: top + share * height };
    box.dispatchEvent(new PointerEvent(type, { button, bubbles: true, cancelable: true, ...where }));
    return Math.round(Number.parseFloat(find(".focus-point").style.left)) / 100;
  };
  same(
    all(".focus-crops img").map(({ style }) => style.objectPosition),
    ["20% 50%", "20% 50%"],
  );
  at("pointerdown", 0.9, 2);
  same(box.onpointermove, null);
  const press = new PointerEvent("pointerdown", { bubbles: true, cancelable: true });
  same([box.dispatchEvent(press), press.defaultPrevented], [false, true]); // nothing is selected or dragged
  same([at("pointerdown", 0.3), at("pointermove", 0.4), at("pointerup", 0.4)], [0.3, 0.4, 0.4]);
  same(at("pointermove", 0.8), 0.4);
  same(
    draft.scenes[0].focus.map((share) => Math.round(share * 10)),
    [4, 4],
  );
  answerInstead(({ body }) => (body?.focus ? refusal(400, [{ path: "focus.0", message: "Not there." }]) : undefined));
  setFields("a", { focus: [0.1, 0.1] }, "Focus");
  await until(() => find("details.focus > .fault")?.textContent === "Not there.");
  setFields("a", { still: { id: "late", kind: "picture", filename: "l.jpg", thumbnailUrl: null } }, "Picture");
  await drawn();
  same([find(".focus-picture").textContent.trim(), find(".focus-crops")], ["The picture is being prepared.", null]);
});

test("what another part of the page has taken is not taken again", async () => {
  await begin("a");
  const data = new DataTransfer();
  data.items.add(new File(["x"], "1.jpg", { type: "image/jpeg" }));
  const event = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
  document.body.addEventListener("drop", (taken) => taken.preventDefault(), { once: true });
  document.body.dispatchEvent(event);
  await drawn();
  same([ids().length, uploads.all.size], [3, 0]);
});

test("a film of which a frame was taken is let go", async () => {
  const let_ = URL.revokeObjectURL;
  const gone = [];
  URL.revokeObjectURL = (url) => gone.push(url);
  same(await frameOf(new File(["x"], "x.mp4", { type: "video/mp4" })), null);
  URL.revokeObjectURL = let_;
  same(gone.length, 1);
  holds(gone[0].startsWith("blob:"));
});

test("a journal whose write the browser breaks off says that it keeps nothing", async () => {
  const journal = new Journal("s", "me");
  await journal.open();
  const found = await journal.run("changes", "readonly", (rows) => {
    const request = rows.getAll();
    request.onsuccess = () => rows.transaction.abort();
    return request;
  });
  same([found, journal.durable], [undefined, false]);
});

// --- one device's words and another's

test("a preview that is made again is asked for at once", async () => {
  await begin("a");
  const beats = [];
  pulse.soon = (ms) => beats.push(ms);
  answerInstead(({ method, path }) =>
    method === "POST" && path.endsWith("/previews") ? json({ state: "ready" }) : undefined,
  );
  const { retry } = await part("preview").get();
  await retry();
  delete pulse.soon;
  same(beats, [0]);
  same(
    asked.map(({ path }) => path),
    ["/stories/s/previews"], // it did not fail, so none is made again
  );
  answerInstead(() => refusal(423));
  await retry();
  same(find("#toast").textContent.trim(), "Refused 423.");
});

test("a letter that is being composed is not written over by news of its field", async () => {
  await begin("a");
  const field = find("#field-text");
  field.focus();
  document.dispatchEvent(new CompositionEvent("compositionstart"));
  field.value = "Half a let";
  draft.served.scenes[0].text = "From elsewhere";
  draft.folded = null;
  redraw();
  await drawn();
  same(field.value, "Half a let");
  document.dispatchEvent(new CompositionEvent("compositionend"));
  await until(() => field.value === "From elsewhere");
});
