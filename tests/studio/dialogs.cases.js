/* What the bar says, and the dialogs. */

import { toast } from "/static/studio/announcements.js";
import { stateWords } from "/static/studio/bar.js";
import { serviceTime, urls } from "/static/studio/boot.js";
import { closeDialog, drawDialog, showDialog } from "/static/studio/dialogs.js";
import { html } from "/static/studio/lit.js";
import { select, selected } from "/static/studio/navigation.js";
import { pulse } from "/static/studio/presence.js";
import { draft, saver } from "/static/studio/store.js";
import { all, begin, click, drawn, find, key, named, saved, type } from "./editor.js";
import { holds, hurry, pause, same, test, until } from "./runner.js";
import { answerInstead, asked, json, refusal, story } from "./service.js";

const words = (root, selector) => [...root.querySelectorAll(selector)].map(({ textContent }) => textContent);
const CARD = {
  title: "A title.",
  opening: "The opening.",
  picture: "data:,",
  alt: "",
  changes: ["New words: scene 1"],
};

// --- the bar and the dialogs

test("the bar says how it stands with saving", () => {
  const words = (state, more = {}) => stateWords({ state, waits: 1, reason: "Why.", draft: { held: [] }, ...more });
  same([words("saved"), words("waiting"), words("saving")], ["Saved", "Saving…", "Saving…"]);
  same(words("offline", { waits: 2 }), "Offline: 2 changes wait on this device");
  same(words("offline"), "Offline: 1 change waits on this device");
  same([words("signed-out"), words("trouble")], ["You are signed out: 1 change waits here", "Not saved: Why."]);
  same([words("read-only"), words("gone")], ["Not saved: Why.", "In the trash, or deleted"]);
  same(words("held", { draft: { held: [{ fields: { a: 1, b: 2 } }] } }), "2 fields are not saved");
});

test("the checklist leads to the field, and Check counts what is missing", async () => {
  await begin();
  draft.served.scenes[0].still = null;
  draft.folded = null;
  const real = fetch;
  globalThis.fetch = (url, options) =>
    url.endsWith("/readiness")
      ? Promise.resolve(
          json({
            faults: [
              { path: "scenes.0.animation", message: "Not animated: nor could it be.", sceneId: "a" },
              { path: "scenes.1.text", message: "No text.", sceneId: "b" },
              { path: "preview", message: "x" },
            ],
            advice: [],
          }),
        )
      : real(url, options);
  await click("", find("#bar .bar-tools .pill.wide-only")?.parentElement);
  all("#foot button")[2].click();
  await until(() => find("#dialog .row-link")?.textContent.includes("No text."));
  same(find("#dialog .row-link").textContent.trim(), "Scene 2: No text.");
  await until(() => find("#foot").textContent.includes("Check (1)"));
  find("#dialog .row-link").click();
  await drawn();
  same([selected, document.activeElement.id, find("#dialog").open], ["b", "field-text", false]);
  globalThis.fetch = real;
});

test("a live link is changed only by who ticks that the old one breaks", async () => {
  await begin();
  const publication = { isPublished: true, slug: "old", url: "/w/old", publicationMode: "STANDARD" };
  Object.assign(story, { publication, visibility: "public" });
  await saver.refresh();
  const options = {
    publicationModes: [{ mode: "STANDARD", premiereEmailModes: [] }],
    suggestedSlug: "old",
    currentSlug: "old",
    link: "https://x.test/w/old",
    premiere: { recipients: 0 },
    alongside: [],
  };
  answerInstead(({ method, path, body }) => {
    if (path.endsWith("/publication/options")) return json(options);
    if (path.endsWith("/previews")) return json({ number: 1, state: "ready", percent: 100 });
    if (path.endsWith("/card")) return json(path.startsWith("/preview") ? CARD : { ...CARD, embed: "<iframe>" });
    if (path.endsWith("/premiere")) return refusal(404);
    if (method === "PUT" && path.endsWith("/publication")) return json({ url: `/w/${body.slug}` });
    if (method === "GET" && path === "/stories/s")
      return json({ ...story, publication: { ...publication, slug: "another" } });
    return undefined;
  });
  await key("Enter", { ctrlKey: true }, document.body);
  await until(() => find("#publish-slug"));
  const button = () => find("#dialog .pill-accent");
  await until(() => !button().disabled);
  await until(() => find("#dialog ul")?.textContent.includes("New words: scene 1"));
  same(find("#dialog h2").textContent, "Publish changes to “A capsule”");
  same(
    all("#dialog .link-card").map((card) => card.querySelector("p").textContent),
    ["The opening.", "The opening."],
  );
  same([find(".publish-more").open, find(".publish-more .hint").textContent], [false, "public · Share buttons"]);
  find("#publish-slug").value = "another";
  find("#publish-slug").dispatchEvent(new InputEvent("input"));
  await drawn();
  same(button().disabled, true);
  find("#dialog .field input[type=checkbox]").click();
  await drawn();
  same(button().disabled, false);
  find("#publish-slug").value = "a".repeat(51);
  find("#publish-slug").dispatchEvent(new InputEvent("input"));
  await drawn();
  same([button().disabled, find("#dialog").textContent.includes("1 too many")], [true, true]);
  find("#publish-slug").value = "another";
  find("#publish-slug").dispatchEvent(new InputEvent("input"));
  await drawn();
  button().click();
  await until(() => find("#dialog h2").textContent === "The changes are live");
  const put = asked.find(({ method }) => method === "PUT").body;
  same(put, { slug: "another", unlisted: false, showSocialShare: true, publicationMode: "STANDARD" });
  const embed = () => [find("#dialog textarea").value, named("Copy embed code", find("#dialog")).disabled];
  same(embed(), ["", true]); // until the service has said it
  await until(() => find("#dialog textarea").value);
  const link = `${location.host}/w/another`;
  same([find("#dialog textarea").value, find("#dialog .qr").alt], ["<iframe>", `QR code of ${link}`]);
  same(find("#dialog .link-card b").textContent, "A title.");
  const copied = [];
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => copied.push(text) } });
  await click("Copy link", find("#dialog"));
  await until(() => find("#dialog").textContent.includes("Copied"));
  await click("Copy embed code", find("#dialog"));
  same(copied, [`${location.protocol}//${link}`, "<iframe>"]);
});

test("the dialog shows the link's card from the first moment, with what this page knows", async () => {
  await begin();
  answerInstead(({ path }) => {
    if (path.endsWith("/publication/options"))
      return json({
        publicationModes: [{ mode: "STANDARD", premiereEmailModes: [] }],
        suggestedSlug: "new",
        link: "https://x.test/w/new",
        premiere: { recipients: 0 },
        alongside: [],
      });
    if (path.includes("/previews")) return json({ number: 2, state: "building", percent: 40 });
    return undefined;
  });
  await key("Enter", { ctrlKey: true }, document.body);
  await until(() => find("#dialog progress"));
  const card = find("#dialog .link-card");
  same(
    all("#dialog .link-cards figure").map((each) => [each.className, ...words(each, "small, b, p, figcaption")]),
    [
      ["on-phone", location.host, "A capsule", "Text of a.", "On a phone"],
      ["on-wide", location.host, "A capsule", "Text of a.", "On a wide screen"],
    ],
  );
  same([card.getAttribute("aria-busy"), card.querySelector("img").getAttribute("src")], ["true", "data:,"]);
  Object.assign(draft.served.story, { title: "", cover: "b" });
  Object.assign(draft.served.scenes[1], {
    focus: [0.25, 0.75],
    still: { id: "x", kind: "picture", thumbnailUrl: "data:,b" },
  });
  draft.served.scenes[0].text = " ";
  draft.folded = null;
  drawDialog();
  same([words(card, "b, p"), card.querySelector("img").getAttribute("src")], [["Untitled", "Text of b."], "data:,b"]);
  same(card.querySelector("img").getAttribute("style"), "--x: 25%; --y: 75%;");
  for (const scene of draft.served.scenes) Object.assign(scene, { still: null, text: "" });
  draft.folded = null;
  drawDialog();
  same([words(card, "b, p"), card.querySelector("img")], [["Untitled", ""], null]);
  answerInstead(({ path }) => (path.includes("/previews") ? json({ number: 2, state: "failed" }) : undefined));
  await until(() => !find("#dialog progress"));
});

test("the level that was chosen is the one that is shown", async () => {
  await begin();
  answerInstead(({ method, path, body }) =>
    method === "PUT" && path.endsWith("/visibility") ? json({ ...story, ...body }) : refusal(404),
  );
  Object.assign(draft.served.story, { visibility: "public", publication: { isPublished: true, url: "/w/x" } });
  draft.folded = null;
  const { openVisibility } = await import("/static/studio/live.js");
  openVisibility(false);
  const level = () => all("#dialog input[name=visibility]").map(({ checked }) => checked);
  same(level(), [false, false, true]);
  all("#dialog input[name=visibility]")[1].click();
  await until(() => draft.story.visibility === "unlisted");
  await drawn();
  same(level(), [false, true, false]);
  same(find("#toast").textContent.trim(), "Saved for all readers.");
  all("#dialog input[name=visibility]")[0].click();
  await drawn();
  same([find("#dialog h2").textContent, draft.story.visibility], ["Unpublish?", "unlisted"]);
  await click("Unpublish", find("#dialog"));
  same(find("#dialog").open, false);
  await until(() => draft.story.visibility === "private");
  same(find("#toast").textContent.trim(), "Unpublished. Its address stays reserved.");
  const isPremiere = ({ method, path }) => method === "GET" && path.endsWith("/premiere");
  await until(() => asked.filter(isPremiere).length === 2); // each choice may have ended an email
  answerInstead(() => refusal(409));
  openVisibility(false);
  all("#dialog input[name=visibility]")[2].click();
  await until(() => find("#toast").textContent.trim() === "Refused 409.");
  same([draft.story.visibility, level()], ["private", [true, false, false]]);
  await drawn();
  same(find("#dialog [role=alert]").textContent, "Refused 409."); // what is said at the foot lies under the dialog
  openVisibility(false);
  same(find("#dialog [role=alert]"), null);
});

test("what is left is counted by the service's clock, an hour ahead of this device's (page.html)", () => {
  holds(Math.abs(serviceTime() - Date.now() - 3_600_000) < 60_000);
});

test("an email that is due says to how many, and how many minutes and seconds are left", async () => {
  await begin();
  const { live } = await import("/static/studio/live.js");
  const premiere = { state: "scheduled", dueAt: new Date(serviceTime() + 65_400).toISOString(), recipients: 1 };
  Object.assign(live(), { premiere });
  draft.served.story.publication = { isPublished: true, url: "/w/x" };
  draft.folded = null;
  select("story");
  await drawn();
  const line = () => find(".mail-line").textContent.replace(/\s+/g, " ").trim();
  holds(/^Email to 1 subscriber in 1:0[45]\. Cancel the email/.test(line()), line());
  pulse.touched = 0; // it rests until the next key, and draws nothing
  const before = line();
  await until(() => line() !== before, "the time stands still");
  live().premiere = { ...premiere, state: "sending", counts: { sent: 3 }, recipients: 5 };
  await key("End");
  select("story");
  await drawn();
  same(line(), "Sending: 3 of 5 emails.");
  for (const [more, words] of [
    [{ state: "scheduled", dueAt: new Date(serviceTime() - 5000).toISOString() }, "Email to 1 subscriber in 0:00."],
    [{ state: "sent", note: "Sent to one." }, "Sent to one."],
  ]) {
    live().premiere = { ...premiere, ...more };
    select("story");
    await drawn();
    holds(line().startsWith(words), line());
  }
  live().premiere = { state: "cancelled", note: "" };
  select("story");
  await drawn();
  same(find(".mail-line"), null);
  live().premiere = null;
});

test("a preview that cannot be made says why, and closes the page that waits for it", async () => {
  await begin();
  const { openPreview } = await import("/static/studio/preview.js");
  answerInstead(({ path }) => (path.endsWith("/previews") ? refusal(409) : undefined));
  let closed = 0;
  const close = () => {
    closed++;
  };
  await openPreview({ location: { host: "" }, close });
  same([find("#toast").textContent.trim(), closed], ["Refused 409.", 1]);
  await openPreview({ location, close }); // an older preview
  same(closed, 1);
  const page = { location: { href: "" } };
  answerInstead(({ path }) => (path.endsWith("/previews") ? json({ number: 7 }, 201) : undefined));
  await openPreview(page);
  same(page.location.href, "/preview/7");
  const { preview } = urls;
  urls.preview = "#preview-";
  await openPreview(null); // the browser let none be opened
  same(location.hash, "#preview-7");
  urls.preview = preview;
  asked.length = 0;
  await type("text", "x".repeat(60));
  closed = 0;
  await openPreview({ location: { host: "" }, close });
  same([find("#toast").textContent.startsWith("Scene 1 has a field that is not saved"), closed], [true, 1]);
  same(asked, []);
});

test("a dialog that opens as another one closes goes on being drawn", async () => {
  await begin();
  let words = "One";
  showDialog(() => "Before");
  closeDialog();
  showDialog(() => words);
  await pause(30); // the browser tells of the first one's end
  words = "Two";
  drawDialog();
  same([find("#dialog").textContent, find("#stage").inert], ["Two", true]);
  closeDialog();
  await until(() => !find("#stage").inert);
});

test("an announcement stays its whole time after another one", () => {
  const [real, clear, timers] = [setTimeout, clearTimeout, new Map()];
  globalThis.setTimeout = (act, ms) => {
    same(ms, 10_000);
    return timers.set(timers.size + 1, act).size;
  };
  globalThis.clearTimeout = (timer) => timers.delete(timer);
  toast("One");
  toast("Two");
  Object.assign(globalThis, { setTimeout: real, clearTimeout: clear });
  same([timers.size, find("#toast").textContent.trim()], [1, "Two"]);
  for (const act of timers.values()) act();
  same(find("#toast").textContent.trim(), "");
});

test("the bar says that readers get the draft until it is changed", async () => {
  await begin();
  const words = () => find("#bar .pill-accent, #bar .pill-live").textContent.trim();
  const atFoot = () => find("#foot a").textContent;
  same([words(), atFoot()], ["Publish", "Publish"]);
  Object.assign(story, { publication: { isPublished: true, url: "/w/x" } });
  await saver.refresh();
  pulse.isChanged = false;
  await drawn();
  same([words(), atFoot()], ["Live", "Live"]);
  await type("text", "Other words.");
  same([words(), atFoot()], ["Publish changes", "Publish"]);
  await saved();
  await drawn();
  same([words(), pulse.isChanged], ["Publish changes", true]);
});

test("a live capsule is unpublished when it goes to the trash", async () => {
  await begin();
  Object.assign(draft.served.story, { publication: { isPublished: true, url: "/w/x" } });
  draft.folded = null;
  const { askForTrash } = await import("/static/studio/trash-dialog.js");
  askForTrash();
  same(find("#dialog").textContent.includes("It is live at /w/x"), true);
  find("#dialog .pill-danger").click();
  await until(() => asked.some(({ method }) => method === "DELETE"));
  same(asked.at(-1).search, "?unpublish=true");
  await until(() => location.hash === "#list?trashed=s");
});

test("an email is cancelled from the panel, and what the pulse says of it is asked for once it changed", async () => {
  await begin();
  const { live } = await import("/static/studio/live.js");
  const premiere = { state: "scheduled", dueAt: new Date(serviceTime() + 5000).toISOString(), recipients: 0 };
  const answers = { GET: premiere, DELETE: { ...premiere, state: "cancelled", note: "Cancelled by you." } };
  let isRefused = false;
  answerInstead(({ method, path }) => {
    if (!path.endsWith("/premiere")) return undefined;
    return isRefused && method === "DELETE" ? refusal(409) : json(answers[method]);
  });
  Object.assign(live(), { premiere: null });
  draft.served.story.publication = { isPublished: true, url: "/w/x" };
  draft.folded = null;
  select("story");
  live().heard(null);
  await drawn();
  same(asked.filter(({ path }) => path.endsWith("/premiere")).length, 0);
  live().heard({ state: "scheduled" });
  await until(() => find(".mail-line")?.textContent.includes("Nobody has subscribed yet. Who does within 0:0"));
  live().heard({ state: "scheduled" });
  same(asked.filter(({ path }) => path.endsWith("/premiere")).length, 1);
  live().heard({ state: "sending" });
  await until(() => asked.filter(({ path }) => path.endsWith("/premiere")).length === 2);
  isRefused = true;
  await click("Cancel the email", find(".mail-line"));
  await until(() => find("#toast").textContent.trim() === "Refused 409.");
  await until(() => find(".mail-line .fault")?.textContent === "Refused 409."); // a dialog may lie over the toast
  isRefused = false;
  await click("Cancel the email", find(".mail-line"));
  await until(() => find(".mail-line")?.textContent === "Cancelled by you.");
  same(find("#polite").textContent, "The email is cancelled.");
  answerInstead(({ path }) => (path.endsWith("/premiere") ? refusal(404) : undefined));
  await live().lookAtPremiere();
  await drawn();
  same([live().premiere, find(".mail-line")], [null, null]);
});

test("the panel of a live capsule shows its link and who can see it; without a link it says so", async () => {
  await begin("story");
  await until(() => find("#inspector").textContent.includes("Not published."));
  Object.assign(draft.served.story, { visibility: "unlisted", publication: { isPublished: true, url: "/w/x" } });
  draft.folded = null;
  select("story");
  await until(() => find(".live-panel"));
  same(
    [find(".live-panel a").textContent, find(".live-panel a").href],
    [`${location.host}/w/x`, `${location.origin}/w/x`],
  );
  await click("unlisted: change", find(".live-panel"));
  same(find("#dialog h2").textContent, "Who can see it");
  const { openVisibility, live } = await import("/static/studio/live.js");
  openVisibility(true);
  live().premiere = { state: "scheduled" };
  select("story");
  await drawn();
  same([find("#dialog h2").textContent, find("#dialog").textContent.includes("is not sent")], ["Unpublish?", true]);
  live().premiere = null;
  await click("Keep it live", find("#dialog"));
  same([find("#dialog").open, live().confirming, asked.some(({ method }) => method === "PUT")], [false, false, false]);
});

test("what passes on a link says on the button whether it was copied", async () => {
  hurry();
  const card = document.createElement("div");
  card.innerHTML = `<button data-copy="https://x.test/1" hidden>Copy</button>
    <button data-share="https://x.test/1" data-title="A title" hidden>Share</button>`;
  document.body.append(card);
  const shared = [];
  Object.defineProperty(navigator, "share", { value: async (what) => shared.push(what), configurable: true });
  await import("/static/studio/passing-on.js");
  const [copy, share] = card.children;
  same([copy.hidden, share.hidden], [false, false]);
  share.click();
  same(shared, [{ title: "A title", url: "https://x.test/1" }]);
  delete navigator.share;
  const real = navigator.clipboard.writeText;
  const copied = [];
  navigator.clipboard.writeText = async (text) => copied.push(text);
  copy.click();
  await until(() => copy.textContent === "Copied");
  same(find(".visually-hidden[role=status]").textContent, "Copied");
  navigator.clipboard.writeText = async () => {
    throw new Error("no");
  };
  copy.click();
  await until(() => copy.textContent === "Your browser did not allow copying.");
  await until(() => copy.textContent === "Copy");
  same(find(".visually-hidden[role=status]").textContent, "");
  navigator.clipboard.writeText = real;
  same(copied, ["https://x.test/1"]);
  card.remove();
});

test("a press beside a dialog closes it and one in it does not; what is closed is drawn no more", async () => {
  await begin();
  let count = 0;
  showDialog(() => {
    count += 1;
    return html`<p>Words</p>`;
  });
  find("#dialog p").click();
  same(find("#dialog").open, true);
  find("#dialog").click();
  same(find("#dialog").open, false);
  await until(() => !find("#stage").inert);
  count = 0;
  drawDialog();
  same(count, 0);
});

test("an email that is not cancelled without a connection says so, and one that is gone is shown no more", async () => {
  await begin("story");
  const { live } = await import("/static/studio/live.js");
  const premiere = { state: "scheduled", dueAt: new Date(serviceTime() + 5000).toISOString(), recipients: 1 };
  Object.assign(live(), { premiere: { ...premiere }, isTold: false });
  draft.served.story.publication = { isPublished: true, url: "/w/x" };
  draft.folded = null;
  select("story");
  await until(() => find(".mail-line"));
  const errors = [];
  const heard = (event) => errors.push(event.reason);
  addEventListener("unhandledrejection", heard);
  answerInstead(({ path }) => {
    if (path.endsWith("/premiere")) throw new TypeError("no connection");
  });
  await click("Cancel the email", find(".mail-line"));
  await until(() => find(".mail-line .fault")?.textContent === "The service cannot be reached.");
  await pause(20);
  removeEventListener("unhandledrejection", heard);
  same(errors, []);
  live().heard({ state: "scheduled" });
  answerInstead(({ path }) => (path.endsWith("/premiere") ? json({ state: "none", note: "" }) : undefined));
  live().heard(null);
  await until(() => !find(".mail-line"));
  live().premiere = null;
});

test("a capsule is moved to the trash once, however often its button is pressed", async () => {
  await begin();
  const answers = [];
  answerInstead(({ method }) => (method === "DELETE" ? new Promise((then) => answers.push(then)) : undefined));
  const { askForTrash } = await import("/static/studio/trash-dialog.js");
  askForTrash();
  find("#dialog .pill-danger").click();
  find("#dialog .pill-danger").click();
  await until(() => answers.length);
  await pause(20);
  same(answers.length, 1);
  answers[0](refusal(423));
  await until(() => find("#dialog .fault"));
  same(find("#dialog .pill-danger").disabled, false);
  closeDialog();
});

test("what is missing, where it could not be asked for, says so and is asked for again", async () => {
  await begin();
  const { check } = await import("/static/studio/check.js");
  const { openCheck } = await import("/static/studio/dialog-commands.js");
  check.known = false;
  answerInstead(({ path }) => (path.endsWith("/readiness") ? refusal(503) : undefined));
  openCheck();
  await until(() => find("#dialog .fault")?.textContent.includes("Refused 503."));
  answerInstead(undefined);
  await click("Try again", find("#dialog"));
  same(find("#dialog .hint").textContent, "Looking…");
  await until(() => find("#dialog").textContent.includes("Everything is there."));
  closeDialog();
});

test("a preview whose part does not come closes the page that waits for it, and no older one", async () => {
  await begin();
  const { part } = await import("/static/studio/lazy.js");
  const { openPreview } = await import("/static/studio/dialog-commands.js");
  const preview = part("preview");
  const { here, asked: before } = preview;
  Object.assign(preview, { here: undefined, asked: Promise.reject(new Error("It could not be loaded.")) });
  const { open } = window;
  const closed = [];
  for (const host of ["", location.host]) {
    window.open = () => ({ location: { host }, close: () => closed.push(host) });
    openPreview(new Event("click"));
    await preview.asked.catch(() => {});
    await until(() => find("#toast").textContent.trim() === "It could not be loaded.");
  }
  Object.assign(preview, { here, asked: before });
  window.open = open;
  same(closed, [""]);
});
