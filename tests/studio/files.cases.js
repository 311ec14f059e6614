/* Media that are chosen, and files on their way in. */

import { closeDialog } from "/static/studio/dialogs.js";
import { setFields } from "/static/studio/editing.js";
import { decode, takeFiles, takePasted, takeStill, uploader } from "/static/studio/files.js";
import { select, selected } from "/static/studio/navigation.js";
import { pictureOf, showFor } from "/static/studio/pictures.js";
import { redraw } from "/static/studio/redraw.js";
import { stage } from "/static/studio/stage.js";
import { draft, saver, undo } from "/static/studio/store.js";
import { uploads } from "/static/studio/upload-list.js";
import { onTheirWay, rendering } from "/static/studio/uploading.js";
import { all, begin, click, drawn, find, ids, key, named, saved, saveNothing } from "./editor.js";
import { films } from "./films.js";
import { holds, pause, same, test, until } from "./runner.js";
import { answerInstead, asked, json, othersSave, refusal } from "./service.js";

// --- media and files

const FILM = { id: "f", kind: "film", filename: "f.mp4", thumbnailUrl: null, duration: 3, posterId: "p" };
const PICTURE = { id: "p", kind: "picture", filename: "p.jpg", thumbnailUrl: "data:," };

test("media that were sent before are chosen for a scene, page by page", async () => {
  await begin();
  const pages = { "": { items: [FILM], nextCursor: "two" }, two: { items: [PICTURE], nextCursor: null } };
  const real = fetch;
  globalThis.fetch = (url, options) => {
    const { pathname, searchParams } = new URL(url, location.href);
    if (!pathname.endsWith("/media")) return real(url, options);
    same([searchParams.get("workspaceId"), searchParams.get("limit")], ["w", "24"]);
    return Promise.resolve(json(pages[searchParams.get("cursor") ?? ""]));
  };
  const open = async () => {
    named("Media", find("#inspector")).click();
    await until(() => named("f", find("#dialog")) || find(".library-item"));
    same(find(".library-item").textContent.replace(/\s+/g, " ").trim(), "film f.mp4");
    holds(!/Looking…|Nothing here yet/.test(find("#dialog").textContent));
  };
  await open();
  find(".library-item").click();
  same([draft.scene("a").film.id, draft.scene("a").animation, draft.scene("a").still.id], ["f", "film", "still-a"]);
  holds(!find("#dialog").open);
  await pause(20);
  await open();
  await click("More", find("#dialog"));
  await until(() => all(".library-item").length === 2);
  all(".library-item")[1].click();
  same([draft.scene("a").still.id, draft.scene("a").film.id], ["p", "f"]);
  globalThis.fetch = real;
});

/** Holds answers back by the end of their path, to give them in any order. */
function held(end) {
  const then = [];
  answerInstead(({ path }) => (path.endsWith(end) ? new Promise((now) => then.push(now)) : undefined));
  return then;
}

test("each medium is listed once, however often it is asked for, and what could not be asked can be again", async () => {
  await begin();
  const pages = held("/media");
  const open = async (count) => {
    closeDialog();
    await pause(10);
    named("Media", find("#inspector")).click();
    await until(() => pages.length === count);
  };
  await open(1);
  await open(2);
  for (const answer of pages) answer(json({ items: [FILM], nextCursor: "two" }));
  await until(() => find(".library-item"));
  await pause(20);
  same(all(".library-item").length, 1);
  for (let times = 0; times < 2; times += 1) named("More", find("#dialog")).click();
  await until(() => pages.length > 2);
  await pause(20);
  same(pages.length, 3);
  pages[2](refusal(500));
  await until(() => find("#dialog .fault")?.textContent === "Refused 500.");
  await click("Try again", find("#dialog"));
  await until(() => pages.length === 4);
  pages[3](json({ items: [PICTURE], nextCursor: null }));
  await until(() => all(".library-item").length === 2);
  same([find("#dialog .fault"), named("More", find("#dialog"))], [null, undefined]);
  await open(5);
  pages[4](refusal(500));
  await until(() => find("#dialog .fault"));
  holds(!find("#dialog").textContent.includes("Looking…"));
  closeDialog();
});

test("the link for a phone is that of the dialog that is open", async () => {
  await begin("a");
  const links = held("/uploads/links");
  for (const id of ["a", "b"]) {
    closeDialog();
    await pause(10);
    select(id);
    await drawn();
    named("From your phone").click();
    await until(() => links.length === (id === "a" ? 1 : 2));
  }
  links[1](json({ url: "https://x.test/up/b" }));
  await until(() => find("#dialog .qr"));
  links[0](json({ url: "https://x.test/up/a" }));
  await pause(20);
  same(find("#dialog input").value, "https://x.test/up/b");
  closeDialog();
});

test("the still of a film is the one that was asked for last, and none of a film that is gone", async () => {
  await begin("a");
  draft.edit("a", { film: FILM });
  const stills = held("/still");
  const still = (id) => json({ ...PICTURE, id });
  takeStill(draft.scene("a"), 1);
  takeStill(draft.scene("a"), 2);
  await until(() => stills.length === 2);
  stills[1](still("second"));
  await until(() => draft.scene("a").still.id === "second");
  stills[0](still("first"));
  await pause(20);
  same(draft.scene("a").still.id, "second");
  takeStill(draft.scene("a"), 3);
  await until(() => stills.length === 3);
  draft.edit("a", { film: { ...FILM, id: "other" } });
  stills[2](still("third"));
  await pause(20);
  same(draft.scene("a").still.id, "second");
});

test("the link for a phone knows its capsule", async () => {
  await begin();
  answerInstead(({ path }) => (path === "/uploads/links" ? json({ url: "https://x.test/up/1" }) : undefined));
  named("From your phone").click();
  await until(() => find("#dialog .qr"));
  same(asked.find(({ path }) => path === "/uploads/links").body, { storyId: "s", sceneId: "a" });
  same(new URL(find("#dialog .qr").src).searchParams.get("url"), "https://x.test/up/1");
});

/** A service that takes files in slices, once it is `open`; `state` is what it says of a whole file. */
function takesFiles({
  state = { state: "ready", mediaId: "m", note: "A note." },
  broken = () => false,
  open = () => true,
} = {}) {
  const file = { offset: 0, slices: 0 };
  answerInstead(async ({ method, path, headers, body }) => {
    if (path === "/uploads/u/content") await until(open);
    if (broken({ method, path, file })) return refusal(500, [], { "Retry-After": "600" });
    if (method === "POST" && path === "/uploads")
      return json({ id: "u", uploadUrl: `${location.origin}/api/v2/uploads/u/content` }, 201);
    if (path === "/uploads/u/content" && method === "HEAD")
      return new Response(null, { headers: { "Upload-Offset": file.offset } });
    if (path === "/uploads/u/content" && method === "PATCH") {
      if (Number(headers["Upload-Offset"]) !== file.offset) return refusal(409);
      file.offset += body.size;
      file.slices += 1;
      return new Response(null, { status: 204, headers: { "Upload-Offset": file.offset } });
    }
    if (path === "/uploads/u") return json(state);
    if (path === "/media/m") return json({ ...PICTURE, id: "m" });
    if (path === "/media/f2") return json({ ...FILM, id: "f2" });
    if (path === "/media/p") return json(PICTURE);
    return undefined;
  });
  return file;
}

const taken = (name, type, bytes = 10) => new File([new Uint8Array(bytes)], name, { type });

test("a picture is shown at once, and belongs to its scene once it is there", async () => {
  await begin("b");
  let open = false;
  const file = takesFiles({ open: () => open });
  takeFiles([taken("b.jpg", "image/jpeg", 2_000_000)], "b", "b");
  await drawn();
  same(find("#polite").textContent.includes("1 file"), false); // one is seen, several are counted
  holds(find("#inspector .media-thumb").src.startsWith("blob:"));
  same([uploads.underWay, uploads.sending], [1, true]);
  open = true;
  await until(() => draft.scene("b").still.id === "m");
  await until(() => find("#toast").textContent.trim() === "A note.");
  same([file.offset, file.slices >= 2], [2_000_000, true]);
  await until(() => uploads.all.size === 0);
  await drawn();
  holds(find("#inspector .media-thumb").src.startsWith("blob:"), "it is gone until the service's is there");
  const { headers, body } = asked.find(({ method, path }) => method === "POST" && path === "/uploads");
  same(body, { storyId: "s", sceneId: "b", kind: "picture", filename: "b.jpg", size: 2_000_000 });
  holds(headers["Idempotency-Key"]);
  holds(uploads.own.has("u"));
});

test("the browser keeps a file until the service has it or refuses it, and where it is sent", async () => {
  for (const state of [
    { state: "ready", mediaId: "m" },
    { state: "refused", error: "No." },
  ]) {
    await begin("b");
    await uploader.journal.run("files", "readwrite", (rows) => rows.clear());
    const kept = () => uploader.journal.run("files", "readonly", (rows) => rows.getAll());
    let [isAsked, open] = [false, false];
    takesFiles({ open: () => open, state });
    const real = fetch;
    globalThis.fetch = async (url, options) => {
      if (options.method === "POST" && url.endsWith("/uploads")) await until(() => isAsked);
      return real(url, options);
    };
    const entry = uploader.take(taken("", "image/jpeg"), "b", "picture");
    const named = async () => (await kept()).map(({ name, target, kind, upload }) => [name, target, kind, upload]);
    await until(async () => JSON.stringify(await named()) === '[["picture.jpg","b","picture",null]]');
    isAsked = true;
    await until(async () => JSON.stringify(await named()) === '[["picture.jpg","b","picture","u"]]');
    globalThis.fetch = real;
    same((await kept())[0].url, `${location.origin}/api/v2/uploads/u/content`);
    same(
      Object.keys((await kept())[0]).filter((name) => ["localUrl", "percent", "controller", "again"].includes(name)),
      [],
    );
    open = true;
    await until(async () => !(await kept()).length);
    await until(() => !uploads.all.size || entry.state === "refused");
    uploads.all.clear();
  }
});

test("a file for a scene that is gone meanwhile is sent to the capsule alone", async () => {
  await begin("b");
  takesFiles();
  const entry = uploader.take(taken("g.jpg", "image/jpeg"), "gone", "picture");
  await until(() => asked.some(({ path }) => path === "/uploads"));
  const { body } = asked.find(({ path }) => path === "/uploads");
  same(body, { storyId: "s", kind: "picture", filename: "g.jpg", size: 10 });
  await until(() => !uploads.all.has(entry.id));
});

test("a slice that is under way is broken off with its upload, and nothing is said of it any more", async () => {
  await begin("b");
  takesFiles();
  const real = fetch;
  let stopped = 0;
  globalThis.fetch = (url, options) => {
    if (options.method !== "PATCH" || !url.endsWith("content")) return real(url, options);
    return new Promise((_, fail) => {
      options.signal.addEventListener("abort", () => {
        stopped += 1;
        fail(options.signal.reason);
      });
    });
  };
  const entry = uploader.take(taken("b.jpg", "image/jpeg"), "b", "picture");
  await until(() => entry.sent === 0);
  await pause(20);
  let count = 0;
  const hear = () => {
    count += 1;
  };
  uploads.addEventListener("change", hear);
  uploader.cancel(entry);
  await pause(20);
  uploads.removeEventListener("change", hear);
  globalThis.fetch = real;
  same([stopped, count, entry.state, entry.error], [1, 1, "sending", undefined]);
});

test("what is a picture or a film is known by its type, or by its name", async () => {
  await begin("b");
  const { take } = uploader;
  const kinds = [];
  uploader.take = (file, target, kind) => {
    kinds.push(`${file.name} ${kind}`);
    return { kind: "picture", target };
  };
  const pictures = ["1.jpg", "2.JPEG", "3.png", "4.webp", "5.avif", "6.heic", "7.HEIF", "8.gif"];
  const movies = ["1.mp4", "2.M4V", "3.mov", "4.webm", "5.mkv"];
  for (const name of [...pictures, ...movies]) takePasted([taken(name, "")], "b");
  takePasted([taken("x", "video/x")], "b");
  takePasted([taken("notes.jpg.txt", "text/plain"), taken("y", "image/y"), taken("z", "image/z")], "b");
  takePasted([taken("mp4", "")], "b");
  uploader.take = take;
  const wanted = [...pictures.map((name) => `${name} picture`), ...movies.map((name) => `${name} film`)];
  same(kinds, [...wanted, "x film", "y picture"]);
});

test("a film shows a frame of its own at once where its scene has no picture", async () => {
  await begin("b");
  takesFiles({ broken: ({ method, path }) => method === "PATCH" && path.endsWith("content") });
  const { createElement } = document;
  const looks = films();
  takeFiles([taken("b.mp4", "video/mp4")], "b", "b");
  await pause(20);
  document.createElement = createElement;
  same(looks, []); // the scene has a picture
  uploader.cancel([...uploads.all.values()][0]);
  setFields("b", { still: null }, "x");
  films();
  const { write } = stage;
  let writes = 0;
  stage.write = () => {
    writes += 1;
  };
  takeFiles([taken("b.mp4", "video/mp4")], "b", "b");
  await until(() => find("#inspector .media-thumb").src?.startsWith("blob:"));
  same([writes >= 2, uploads.localUrlFor("b").startsWith("blob:")], [true, true]);
  delete stage.write;
  holds(stage.write === write);
  uploader.cancel([...uploads.all.values()][0]);
});

test("a picture of this device stands in until the service's can be drawn, and then gives way", async () => {
  await begin("b");
  const thumbnailUrl = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
  const shown = () => find("#inspector .media-thumb").getAttribute("src");
  const serves = async (fields) => {
    Object.assign(draft.served.scenes[1], fields);
    draft.folded = null;
    redraw();
    await drawn();
    return shown();
  };
  showFor("film-1", "blob:frame");
  const film = { id: "film-1", kind: "film", filename: "f.mp4" };
  same(await serves({ film, still: null }), "blob:frame");
  film.posterId = "still-1";
  const still = { id: "still-1", kind: "picture", filename: "s.jpg", thumbnailUrl: null };
  same(await serves({ film, still }), "blob:frame"); // the still of this film
  same(await serves({ film: { ...film, posterId: "another" }, still: { ...still, thumbnailUrl } }), thumbnailUrl);
  showFor("still-2", "blob:here");
  same(await serves({ film: null, still: { ...still, id: "still-2", thumbnailUrl } }), "blob:here");
  await until(() => pictureOf(draft.scene("b")) === thumbnailUrl);
  await drawn();
  same(shown(), thumbnailUrl);
  showFor("still-2", null); // nothing says no more than it knew
  same(await serves({}), thumbnailUrl);
});

test("of several pictures on their way to a scene the last is shown", async () => {
  await begin("b");
  for (const id of ["1", "2"]) coming(id, { localUrl: `blob:${id}` });
  coming("3", { localUrl: null, kind: "film" });
  same(uploads.localUrlFor("b"), "blob:2");
  coming("2", { localUrl: "blob:2", state: "refused" });
  same(uploads.localUrlFor("b"), "blob:1");
  uploads.all.clear();
});

test("an upload that waits goes on at once when the connection is back", async () => {
  await begin("b");
  takesFiles();
  const real = fetch;
  let isAway = true;
  globalThis.fetch = (url, options) =>
    isAway && options.method === "PATCH" && url.endsWith("content")
      ? Promise.reject(new TypeError())
      : real(url, options);
  Object.defineProperty(navigator, "onLine", { value: false, configurable: true });
  const [held, letGo] = holdSeconds();
  const entry = uploader.take(taken("b.jpg", "image/jpeg"), "b", "picture");
  await until(() => entry.waits && held.length);
  letGo();
  delete navigator.onLine;
  isAway = false;
  dispatchEvent(new Event("online"));
  await until(() => draft.scene("b").still.id === "m");
  globalThis.fetch = real;
});

test("a film brings its still where a scene has none, and leaves one that is there", async () => {
  await begin("b");
  takesFiles({ state: { state: "ready", mediaId: "f2" } });
  uploader.take(taken("b.mp4", "video/mp4"), "b", "film");
  await until(() => draft.scene("b").film?.id === "f2");
  same([draft.scene("b").still.id, draft.scene("b").animation], ["still-b", "film"]);
  setFields("b", { still: null, film: null }, "x");
  uploader.take(taken("b.mp4", "video/mp4"), "b", "film");
  await until(() => draft.scene("b").film?.id === "f2");
  same(draft.scene("b").still.id, "p");
});

test("a file that the service has put into its scene is not put there again, and can be undone", async () => {
  await begin("b");
  const placed = { id: "m", kind: "picture", filename: "m.jpg", thumbnailUrl: "data:," };
  const placing = ({ path }) => path === "/uploads/u" && othersSave("b", { still: placed });
  takesFiles({ state: { state: "ready", mediaId: "m", sceneId: "b" }, broken: placing });
  takeFiles([taken("b.jpg", "image/jpeg")], "b", "b");
  await until(() => draft.scene("b").still.id === "m");
  await until(() => uploads.all.size === 0);
  const { body } = asked.find(({ path }) => path === "/uploads");
  same([body.storyId, body.sceneId, body.workspaceId], ["s", "b", undefined]);
  same(asked.filter(({ method, path }) => method === "PATCH" && path.includes("/scenes/")).length, 0);
  undo.back();
  same(draft.scene("b").still.id, "still-b");
  undo.again();
  same(draft.scene("b").still.id, "m");
});

test("a film that the service has put into its scene shows its frame until its still can be drawn", async () => {
  await begin("b");
  const film = { ...FILM, id: "f7", posterId: "p7" };
  const still = { ...PICTURE, id: "p7" };
  const placing = ({ path }) => path === "/uploads/u" && othersSave("b", { still, film, animation: "film" });
  takesFiles({ state: { state: "ready", mediaId: "f7", sceneId: "b" }, broken: placing });
  const real = fetch;
  globalThis.fetch = (url, options) => (url.endsWith("/media/f7") ? Promise.resolve(json(film)) : real(url, options));
  uploader.take(taken("b.mp4", "video/mp4"), "b", "film").localUrl = "blob:frame";
  await until(() => draft.scene("b").film?.id === "f7" && !uploads.all.size);
  globalThis.fetch = real;
  same(pictureOf(draft.scene("b")), "blob:frame");
  setFields("b", { film: null }, "Film");
  same(pictureOf(draft.scene("b")), "blob:frame"); // the still is of that film all the same
});

test("a picture that the scene had already, or that somebody replaced meanwhile, is nothing to undo", async () => {
  const placed = { ...PICTURE, id: "m" };
  for (const now of [placed, PICTURE]) {
    await begin("b");
    othersSave("b", { still: placed });
    await saver.refresh();
    const placing = ({ path }) => path === "/uploads/u" && othersSave("b", { still: now, alt: "Theirs." });
    takesFiles({ state: { state: "ready", mediaId: "m", sceneId: "b" }, broken: placing });
    takeFiles([taken("b.jpg", "image/jpeg")], "b", "b");
    await until(() => draft.scene("b").alt === "Theirs." && uploads.all.size === 0);
    same([draft.scene("b").still.id, undo.done.length], [now.id, 0]);
  }
});

test("a file for a new scene waits for its lasting name", async () => {
  await begin("a");
  takesFiles({ broken: ({ method, path }) => method === "PATCH" && path.endsWith("content") });
  takeFiles([taken("1.jpg", "image/jpeg"), taken("2.jpg", "image/jpeg")], "a", "a");
  await until(() => asked.filter(({ path }) => path === "/uploads").length === 2);
  const sent = asked.filter(({ path }) => path === "/uploads").map(({ body }) => body.sceneId);
  same([sent[0], sent[1].startsWith("new-")], ["a", false]);
  same(uploads.of(sent[1]).length, 1);
});

test("what another device sends is shown in its scene, and one's own uploads only once", async () => {
  await begin("b");
  const [own, other] = ["u", "v"].map((id) => ({
    id,
    scene: "b",
    filename: `${id}.mov`,
    state: "receiving",
    percent: 14,
  }));
  uploads.own.add("u");
  uploads.everywhere = [own, other];
  redraw();
  await until(() => all("#inspector .upload").length === 1);
  same(find("#inspector .upload").textContent.trim().startsWith("v.mov is on its way: 14 % is here."), true);
  uploads.everywhere = [{ ...other, state: "checking", percent: 100 }];
  redraw();
  await until(() => find("#inspector .upload").textContent.includes("v.mov is being checked."));
  uploads.everywhere = [];
  redraw();
  await until(() => !find("#inspector .upload"));
});

/** Holds every timer of one second for ever. Returns what was held, and what lets later ones pass. */
function holdSeconds() {
  const [wait, held] = [setTimeout, []];
  globalThis.setTimeout = (act, ms, ...more) => wait(act, ms === 1000 ? held.push(ms) && 600_000 : ms, ...more);
  return [held, () => Object.assign(globalThis, { setTimeout: wait })];
}

test("an upload goes on where a lost answer left it", async () => {
  await begin("b");
  const [held, letGo] = holdSeconds();
  let lost = 0;
  const file = takesFiles();
  const real = fetch;
  globalThis.fetch = async (url, options) => {
    const response = await real(url, options);
    if (options.method !== "PATCH" || !url.endsWith("content") || lost) return response;
    lost += 1;
    throw new TypeError("the answer was lost");
  };
  uploader.take(taken("b.jpg", "image/jpeg", 3_000_000), "b", "picture");
  await until(() => [...uploads.all.values()][0]?.waits && held.length);
  letGo();
  same([...uploads.all.values()][0].why, "");
  [...uploads.all.values()][0].again();
  await until(() => draft.scene("b").still.id === "m");
  same([lost, file.offset], [1, 3_000_000]);
  globalThis.fetch = real;
});

test("what became of a file is asked again where the service did not answer", async () => {
  await begin("b");
  let failures = 0;
  takesFiles({
    broken: ({ method, path }) => {
      if (method !== "GET" || path !== "/uploads/u" || failures) return false;
      failures += 1;
      return true;
    },
  });
  uploader.take(taken("b.jpg", "image/jpeg"), "b", "picture");
  await until(() => [...uploads.all.values()][0]?.waits);
  [...uploads.all.values()][0].again();
  await until(() => draft.scene("b").still.id === "m");
  same(failures, 1);
});

test("an upload waits while another request still holds it, and goes on", async () => {
  await begin("b");
  let isHeld = true;
  const file = takesFiles();
  const real = fetch;
  globalThis.fetch = (url, options) =>
    isHeld && options.method === "PATCH" && url.endsWith("content") ? refusal(423) : real(url, options);
  uploader.take(taken("b.jpg", "image/jpeg", 300), "b", "picture");
  await until(() => [...uploads.all.values()][0]?.waits);
  same([...uploads.all.values()][0].why, "Refused 423.");
  isHeld = false;
  [...uploads.all.values()][0].again();
  await until(() => draft.scene("b").still.id === "m");
  same(file.offset, 300);
  globalThis.fetch = real;
});

test("a refused file says why and can be dismissed, and the stage is drawn without it", async () => {
  await begin("b");
  takesFiles({ state: { state: "refused", error: "This is no picture that we know." } });
  let drawings = 0;
  stage.refresh = () => {
    drawings += 1;
  };
  uploader.take(taken("b.jpg", "image/jpeg"), "b", "picture");
  await until(() => find("#inspector .fault")?.textContent.includes("This is no picture"));
  same(find("#inspector .fault").getAttribute("role"), "alert");
  delete stage.refresh;
  same([uploads.underWay, uploads.localUrlFor("b"), drawings], [0, undefined, 1]);
  await click("Dismiss");
  same(uploads.all.size, 0);
});

test("an upload that fails says why, and is tried again when asked", async () => {
  await begin("b");
  let working = false;
  takesFiles({ broken: ({ method, path }) => !working && method === "PATCH" && path.endsWith("content") });
  uploader.take(taken("b.jpg", "image/jpeg"), "b", "picture");
  await until(() => find(".upload")?.textContent.includes("Refused 500."));
  working = true;
  await click("Try again", find(".upload"));
  await until(() => draft.scene("b").still.id === "m");
});

test("an upload that is cancelled is deleted on the service too", async () => {
  await begin("b");
  takesFiles({ broken: ({ method, path }) => method === "PATCH" && path.endsWith("content") });
  uploader.take(taken("b.jpg", "image/jpeg"), "b", "picture");
  await until(() => find(".upload")?.textContent.includes("Refused 500."));
  const keys = () => uploader.journal.run("files", "readonly", (rows) => rows.getAllKeys());
  const before = await keys();
  await click("Cancel", find(".upload"));
  same([uploads.all.size, asked.at(-1).method, asked.at(-1).path], [0, "DELETE", "/uploads/u/content"]);
  same((await keys()).length, before.length - 1);
});

test("a file that is cancelled while the service makes room for it is kept nowhere", async () => {
  await begin("b");
  let answer;
  answerInstead(({ method, path }) =>
    method === "POST" && path === "/uploads"
      ? new Promise((then) => {
          answer = then;
        })
      : undefined,
  );
  const keys = () => uploader.journal.run("files", "readonly", (rows) => rows.getAllKeys());
  const before = await keys();
  takeFiles([taken("b.jpg", "image/jpeg")], "b", "b");
  await until(() => answer && find(".upload"));
  await click("Cancel", find(".upload"));
  answer(json({ id: "u", uploadUrl: `${location.origin}/api/v2/uploads/u/content` }, 201));
  await until(() => asked.some(({ method }) => method === "DELETE"));
  await pause(20);
  same([(await keys()).length, uploads.all.size], [before.length, 0]);
});

test("a file that is cancelled while it is being kept asks the service for nothing more", async () => {
  await begin("b");
  takesFiles();
  const { keep } = uploader;
  let kept;
  uploader.keep = (entry) =>
    entry.upload
      ? new Promise((then) => {
          kept = then;
        })
      : keep.call(uploader, entry);
  const entry = uploader.take(taken("b.jpg", "image/jpeg"), "b", "picture");
  await until(() => kept);
  uploader.cancel(entry);
  delete uploader.keep;
  kept();
  await pause(20);
  same(
    asked.map(({ method }) => method),
    ["POST", "DELETE"],
  );
});

test("a file that is cancelled before its way began is never sent", async () => {
  await begin("b");
  takesFiles();
  uploader.cancel(uploader.take(taken("b.jpg", "image/jpeg"), "b", "picture"));
  await pause(50);
  same([asked, draft.scene("b").still.id], [[], "still-b"]);
});

test("the files of a new scene know its lasting name", async () => {
  await begin();
  takesFiles({ broken: ({ method, path }) => method === "PATCH" && path.endsWith("content") });
  const real = fetch;
  let made;
  globalThis.fetch = async (url, options) => {
    if (options.method === "POST" && url.endsWith("/scenes")) await until(() => made);
    return real(url, options);
  };
  await key("n");
  await until(() => ids().length === 4);
  takeFiles([taken("n.jpg", "image/jpeg")], selected, selected);
  made = selected;
  await saved();
  globalThis.fetch = real;
  same([made.startsWith("new-"), selected, location.hash], [true, "scene-3", "#scene-3"]);
  same(uploads.of("scene-3").length, 1);
  uploader.cancel(uploads.of("scene-3")[0]);
});

test("files become scenes in the order in which they were picked, and one stays with the first", async () => {
  await begin("a");
  takesFiles({ broken: ({ method, path }) => method === "PATCH" && path.endsWith("content") });
  takeFiles([taken("1.jpg", "image/jpeg"), taken("x.txt", "text/plain"), taken("2.MOV", "")], "a", "a");
  same(find("#toast").textContent.trim(), "x.txt is neither a picture nor a film.");
  same([ids().length, selected, find("#polite").textContent], [4, "a", "2 files: one scene each."]);
  same(
    [...uploads.all.values()].map(({ name, kind, target }) => [name, kind, ids().indexOf(target)]),
    [
      ["1.jpg", "picture", 0],
      ["2.MOV", "film", 1],
    ],
  );
  await begin("a");
  takeFiles(
    ["3.jpg", "1.jpg", "2.jpg"].map((name) => taken(name, "image/jpeg")),
    null,
    "a",
  );
  same(
    [...uploads.all.values()].map(({ name, target }) => [name, ids().indexOf(target)]),
    [
      ["3.jpg", 1],
      ["1.jpg", 2],
      ["2.jpg", 3],
    ],
  );
  same([selected === ids()[1], find("#polite").textContent], [true, "3 files: one scene each."]);
});

// --- what is said of files and of what is being prepared

const coming = (id, more) =>
  uploads.all.set(id, {
    id,
    target: "b",
    kind: "picture",
    name: id,
    file: { size: 100 },
    state: "sending",
    percent: 0,
    ...more,
  });

test("the bar says how much of all files is here, what is looked at, and what waits", async () => {
  await begin("b");
  coming("1.jpg", { file: { size: 300 }, sent: 90, percent: 30, from: 60, began: Date.now() - 20_000 });
  coming("2.jpg", {});
  coming("3.jpg", { state: "checking" });
  same(onTheirWay(), "Sending 22 %");
  redraw();
  await drawn();
  same(find(".save-state").textContent.trim(), "Sending 22 %");
  const lines = () => all("#inspector .upload").map(({ firstChild }) => firstChild.parentElement.textContent.trim());
  same(lines()[0].startsWith("1.jpg, 1 kB: 30 %, about 3 minutes left"), true);
  same(lines()[2].startsWith("3.jpg, 1 kB: is being checked"), true);
  for (const id of ["1.jpg", "2.jpg"]) coming(id, { waits: true, why: "" });
  same(onTheirWay(), "Waiting to send");
  redraw();
  await drawn();
  same([lines()[0].includes("waits for the connection"), named("Try again", find("#inspector"))], [true, undefined]);
  coming("1.jpg", { waits: true, why: "Busy." });
  redraw();
  await drawn();
  same(lines()[0].includes("not here yet. Busy. It is tried again by itself."), true);
  same(onTheirWay(), "Waiting to send");
  coming("1.jpg", {});
  same(onTheirWay(), "Sending 0 %");
  for (const id of ["1.jpg", "2.jpg"]) uploads.all.delete(id);
  same(onTheirWay(), "Checking…");
  uploads.all.clear();
});

test("a picture that is being prepared says how far it is, or why it could not be", async () => {
  await begin("b");
  const shows = async (still, animation = null) => {
    draft.served.scenes[1].rendering = { still, animation };
    draft.folded = null;
    redraw();
    await drawn();
    return find("#inspector").textContent.replace(/\s+/g, " ");
  };
  const running = { state: "running", percent: 40 };
  holds((await shows(running, { state: "done" })).includes("The picture is being prepared: 70 %."));
  same([find("#inspector progress").value, rendering({ rendering: null }) === rendering({})], [70, true]);
  holds((await shows(running, { state: "failed", error: "It has no end." })).includes("It has no end. Try again"));
  holds(!(await shows({ state: "done" }, { state: "done" })).includes("being prepared"));
  draft.served.scenes[1].rendering = null;
});

test("a film says how long it is, and its still is taken where the slider stands", async () => {
  await begin("b");
  saveNothing();
  answerInstead(({ path, body }) => (path === "/media/f/still" ? json({ ...PICTURE, takenAt: body.at }) : undefined));
  setFields("b", { film: { ...FILM, duration: 14 }, animation: "film" }, "Film");
  await until(() => find(".media-field .slider input"));
  const words = () => find(".media-field").textContent.replace(/\s+/g, " ");
  holds(words().includes("Film: f.mp4, 14.0 s") && words().includes("Only the first 12 seconds are shown."), words());
  const slider = find(".media-field .slider input");
  slider.value = "3";
  slider.dispatchEvent(new Event("change"));
  await until(() => draft.scene("b").still.takenAt === 3);
  same([draft.scene("b").still.id, undo.done.at(-1).what], ["p", "Still from the film"]);
  await drawn(); // nobody moves the slider again sooner
  answerInstead(({ path }) => (path === "/media/f/still" ? refusal(409) : undefined));
  slider.value = "5";
  slider.dispatchEvent(new Event("change"));
  await until(() => find("#toast").textContent.trim() === "Refused 409.");
  same(slider.value, "3");
  setFields("b", { film: { ...FILM, id: "g", duration: null } }, "Film");
  await drawn();
  holds(words().includes("Film: f.mp4") && !words().includes("f.mp4, "), words());
});

test("a film without a still of its own gets one from a tenth into it", async () => {
  await begin("b");
  setFields("b", { still: null }, "x");
  const takes = takesFiles({ state: { state: "ready", mediaId: "long" } });
  const real = fetch;
  const asks = [];
  globalThis.fetch = (url, options) => {
    if (url.endsWith("/media/long"))
      return Promise.resolve(json({ ...FILM, id: "long", posterId: null, duration: 60 }));
    if (!url.endsWith("/media/long/still")) return real(url, options);
    asks.push(JSON.parse(options.body).at);
    return Promise.resolve(json({ ...PICTURE, id: "tenth" }));
  };
  uploader.take(taken("b.mp4", "video/mp4"), "b", "film").localUrl = "blob:frame";
  await until(() => draft.scene("b").film?.id === "long" && uploads.all.size === 0);
  globalThis.fetch = real;
  same([asks, draft.scene("b").still.id, takes.offset], [[1.2], "tenth", 10]);
  await drawn();
  same(find("#inspector .media-thumb").src, "blob:frame"); // until the picture of the service can be drawn
});

test("a picture is decoded once, however often it is drawn meanwhile, and again where it could not be", async () => {
  const { decode: real } = HTMLImageElement.prototype;
  const broken = "data:image/gif;base64,AAAA";
  const asks = [];
  HTMLImageElement.prototype.decode = function ask() {
    const decoded = real.call(this);
    if (this.src === broken) asks.push(decoded);
    return decoded;
  };
  for (let times = 0; times < 3; times += 1) decode("x", broken);
  same(asks.length, 1);
  await asks[0].catch(() => {});
  decode("x", broken);
  HTMLImageElement.prototype.decode = real;
  same(asks.length, 2);
});

test("what is picked is on the stage and beside its fields before the service says anything", async () => {
  await begin("b");
  answerInstead(() => new Promise(() => {}));
  const { write } = stage;
  let writes = 0;
  stage.write = () => {
    writes += 1;
  };
  takeFiles([taken("b.jpg", "image/jpeg")], "b", "b");
  delete stage.write;
  same([writes, stage.write === write], [1, true]);
  await drawn();
  holds(find("#inspector .media-thumb").src.startsWith("blob:"));
  uploader.cancel([...uploads.all.values()][0]);
});

test("a file that is checked for a while is asked about again, and an upload that ran out says so", async () => {
  await begin("b");
  const states = [{ state: "checking" }, { state: "expired" }];
  takesFiles();
  const real = fetch;
  globalThis.fetch = (url, options) =>
    url.endsWith("/uploads/u") ? Promise.resolve(json(states.shift())) : real(url, options);
  uploader.take(taken("b.jpg", "image/jpeg"), "b", "picture");
  await until(() => [...uploads.all.values()][0]?.state === "checking");
  await until(() => find("#inspector .fault")?.textContent.includes("The upload expired."));
  globalThis.fetch = real;
  uploads.all.clear();
});

test("an upload begins its measure where the service has it, and knows how far it is", async () => {
  await begin("b");
  const file = takesFiles({ open: () => true });
  file.offset = 500_000;
  const told = [];
  const hear = () => told.push([...uploads.all.values()].map(({ sent, from, percent }) => [sent, from, percent])[0]);
  uploads.addEventListener("change", hear);
  uploader.take(taken("b.jpg", "image/jpeg", 1_000_000), "b", "picture");
  await until(() => draft.scene("b").still.id === "m");
  uploads.removeEventListener("change", hear);
  same([told[0], file.offset], [[500_000, 500_000, 50], 1_000_000]);
  same(
    told.find(([sent]) => sent === 1_000_000),
    [1_000_000, 500_000, 100],
  );
});

test("a file is for the scene that it was chosen for, also where that got its name meanwhile", async () => {
  await begin("b");
  takesFiles({ broken: ({ method, path }) => method === "PATCH" && path.endsWith("content") });
  const { resume } = await import("/static/studio/files.js");
  draft.names.set("new-9", "b");
  takePasted([taken("b.jpg", "image/jpeg")], "new-9");
  resume([{ id: "left", at: 1, file: taken("l.jpg", "image/jpeg"), target: "new-9", kind: "picture", name: "l.jpg" }]);
  same(
    uploads.of("b").map(({ name }) => name),
    ["b.jpg", "l.jpg"],
  );
  for (const entry of uploads.of("b")) uploader.cancel(entry);
});

test("what makes a scene stays in the journal until its file is kept under the name that the scene got", async () => {
  await begin();
  takesFiles({ broken: ({ method, path }) => method === "PATCH" && path.endsWith("content") });
  const { journal } = saver;
  const [forgotten, targets] = [[], []];
  let keep;
  const kept = new Promise((now) => {
    keep = now;
  });
  saver.journal = { keep: async () => {}, forget: async (_, id) => forgotten.push(id) };
  uploader.journal = { keep: (_, { target }) => targets.push(target) && kept, forget: async () => {} };
  takeFiles([taken("one.jpg", "image/jpeg")], null, "a");
  const [{ id }] = draft.changes;
  await saved();
  same([targets.includes(ids()[1]), forgotten], [true, []]);
  keep("kept");
  await until(() => forgotten.length > 0);
  same(forgotten, [id]);
  for (const one of [saver, uploader]) one.journal = journal;
  for (const entry of uploads.of(ids()[1])) uploader.cancel(entry);
});

test("what an earlier tab left goes on, and a refused file is not kept under its new name", async () => {
  await begin("b");
  takesFiles();
  const { resume } = await import("/static/studio/files.js");
  const left = { id: "left", at: 1, file: taken("l.jpg", "image/jpeg"), target: "b", kind: "picture", name: "l.jpg" };
  uploads.own.clear();
  resume([{ ...left, url: `${location.origin}/api/v2/uploads/u/content`, upload: "u", state: "refused" }]);
  same([uploads.all.get("left").state, uploads.localUrlFor("b").startsWith("blob:")], ["sending", true]);
  holds(uploads.own.has("u")); // or its scene would show it twice once the pulse tells of it
  await until(() => draft.scene("b").still.id === "m");
  same(asked.filter(({ method }) => method === "POST").length, 0);
  const kept = [];
  const real = uploader.journal;
  uploader.journal = { keep: async (_, { id, target }) => kept.push([id, target]), forget: async () => {} };
  coming("going", { target: "new-1" });
  coming("refused", { target: "new-1", state: "refused" });
  await uploader.retarget("new-1", "c");
  uploader.journal = real;
  same([kept, uploads.of("c").length], [[["going", "c"]], 2]);
  uploads.all.clear();
});
