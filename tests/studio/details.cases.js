/* What the editor listens to, says aloud and asks for: small rules that nothing else here stands on. */

import { allSaved } from "/static/studio/all-saved.js";
import { toast } from "/static/studio/announcements.js";
import { Api } from "/static/studio/api.js";
import { serviceTime } from "/static/studio/boot.js";
import { replace } from "/static/studio/caret.js";
import { check } from "/static/studio/check.js";
import { setFields } from "/static/studio/editing.js";
import { frameOf } from "/static/studio/film-frame.js";
import { Journal } from "/static/studio/journal.js";
import { part } from "/static/studio/lazy.js";
import { live } from "/static/studio/live.js";
import { select } from "/static/studio/navigation.js";
import { pulse } from "/static/studio/presence.js";
import { onDraw } from "/static/studio/redraw.js";
import { stage } from "/static/studio/stage.js";
import { draft, saver } from "/static/studio/store.js";
import { uploads } from "/static/studio/upload-list.js";
import { all, begin, drawn, find, ids, type } from "./editor.js";
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
    same([find("#assertive").textContent, words.length > 3], [words, true], state);
  }
  for (const state of ["saved", "waiting", "saving"]) {
    saver.become(state);
    same(find("#assertive").textContent, "", state);
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

/** What the API asks of the network, which answers with `responses`, the last of them for ever. */
async function asking(act, ...responses) {
  const real = fetch;
  const calls = [];
  globalThis.fetch = async (url, options) => {
    calls.push({ url, ...options });
    const next = responses.length > 1 ? responses.shift() : responses[0];
    if (next instanceof Error) throw next;
    return next;
  };
  const api = new Api({ base: "/api", tokenUrl: "/session", person: "me" });
  const result = await act(api).catch((error) => error);
  globalThis.fetch = real;
  return { calls, result };
}
const tokens = () => [json({ person: "me", csrfToken: "c" }), json({ token: "t" })];

test("the API is asked by its token alone, and can be stopped; the session only for its token", async () => {
  const { signal } = new AbortController();
  const options = { signal, keepalive: true, version: 3 };
  const { calls } = await asking((api) => api.call("PATCH", "/x", options), ...tokens(), json({}));
  same(
    calls.map(({ url, credentials, redirect }) => [url, credentials, redirect]),
    [
      ["/session", "same-origin", "manual"],
      ["/session", "same-origin", "manual"],
      ["/api/x", "omit", undefined],
    ],
  );
  same(
    [calls[2].signal === signal, calls[2].keepalive, calls[2].headers],
    [true, true, { Authorization: "Bearer t", "If-Match": '"3"' }],
  );
});

test("a session that is over is said to be so, however the service says it", async () => {
  for (const answer of [refusal(401), refusal(403), { type: "opaqueredirect", status: 0, headers: new Headers() }]) {
    const { result } = await asking((api) => api.call("GET", "/x"), answer);
    same([result.status, result.message], [401, "You are signed out."]);
  }
});

test("what was stopped is no lost connection, and what has not changed is no fault", async () => {
  const stopped = await asking((api) => api.call("GET", "/x"), ...tokens(), new DOMException("", "AbortError"));
  same(stopped.result.name, "AbortError");
  const lost = await asking((api) => api.call("GET", "/x"), ...tokens(), new TypeError("Failed"));
  same([lost.result.name, lost.result.status], ["Error", 0]);
  const unchanged = await asking((api) => api.call("GET", "/x"), ...tokens(), new Response(null, { status: 304 }));
  same([unchanged.result.status, unchanged.result.data], [304, null]);
});

test("what is being saved, or will be, is waited for; what cannot be is said", async () => {
  const one = (state, reason = "Refused.") => ({ state, reason, waits: 1, busy: null, now() {}, draft: { held: [] } });
  for (const state of ["saved", "waiting", "saving", "held"]) {
    const saver = one(state);
    setTimeout(() => {
      saver.waits = 0;
    }, 5);
    await allSaved(saver);
  }
  for (const state of ["offline", "trouble", "gone", "read-only", "signed-out"]) {
    same((await thrown(() => allSaved(one(state)))).message, "Refused.");
  }
  same((await thrown(() => allSaved(one("trouble", "")))).message, "Some changes could not be saved.");
});

test("the service's pages of a draft are asked for again after a change of what it renders, and of nothing else", async () => {
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
  for (const field of ["still", "focus", "film", "animation", "finale", "trim", "fit"]) {
    same(settles({ type: "edit", fields: { [field]: 1 } }), 1, field);
  }
  for (const field of ["title", "text", "alt"]) same(settles({ type: "edit", fields: { [field]: 1 } }), 0, field);
  same(
    [settles({ type: "held", fields: { text: 1 } }), settles({ type: "move" }), settles({ type: "remove" })],
    [0, 1, 1],
  );
  delete stage.refresh;
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
  await begin("a");
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
});

test("a picture on its way is not missing, nor is the movement of a finale; blanks are no words", async () => {
  await begin("a");
  check.isTold = true;
  const scene = { ...draft.scenes[2], still: null, animation: "none", finale: true };
  same(check.missingIn(scene, 2), ["still"]);
  uploads.all.set("u", { id: "u", target: scene.id, state: "sending" });
  same(check.missingIn(scene, 2), []);
  uploads.all.clear();
  same(check.missingIn({ ...scene, finale: false }, 2), ["still", "animation"]);
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
  await drawn();
  same(count, 1);
});

test("the focus follows the first button of a mouse, and the preset that it stands on is pressed", async () => {
  await begin("a");
  setFields("a", { focus: [0.2, 0.5] }, "Focus");
  await part("focus").get();
  find("details.focus").open = true;
  await until(() => find(".focus-presets"));
  same(
    all(".focus-presets [aria-pressed=true]").map(({ ariaLabel }) => ariaLabel),
    ["middle left"],
  );
  same(all(".focus-presets [aria-pressed=false]").length, 8);
  const box = find(".focus-picture");
  box.setPointerCapture = () => {};
  box.dispatchEvent(new PointerEvent("pointerdown", { button: 2, bubbles: true, cancelable: true }));
  same(box.onpointermove, null);
  await begin("a");
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
