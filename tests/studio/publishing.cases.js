/* From "Publish" to what readers get: what is asked, what is chosen, and what a refusal says. */

import { check } from "/static/studio/check.js";
import { closeDialog } from "/static/studio/dialogs.js";
import { live } from "/static/studio/live.js";
import { select } from "/static/studio/navigation.js";
import { pulse } from "/static/studio/presence.js";
import { redraw } from "/static/studio/redraw.js";
import { draft, saver } from "/static/studio/store.js";
import { uploads } from "/static/studio/upload-list.js";
import { all, begin, click, drawn, find, named, saved, type } from "./editor.js";
import { LIVE, MODES, publishes, READY } from "./publisher.js";
import { holds, hurry, pause, same, test, until } from "./runner.js";
import { asked, json, refusal, story } from "./service.js";

const button = () => find("#dialog .dialog-end .pill-accent");
const words = () => button().textContent.trim();
const text = () => find("#dialog").textContent.replace(/\s+/g, " ");
const put = () => asked.findLast(({ method }) => method === "PUT").body;

async function open() {
  named("Publish", find("#bar .bar-tools")).click();
  await until(() => find("#dialog").open);
}

async function opened(live) {
  if (live) {
    Object.assign(story, { publication: { ...live }, visibility: "public" });
    await saver.refresh();
    await drawn();
  }
  await open();
  await until(() => find("#publish-slug") && !text().includes("Looking at"), text);
}

async function choose(name, value) {
  const place = { mode: ["OFF", "FULL"], brand: ["STANDARD", "PLAIN"], unlisted: ["public", "unlisted"] }[name];
  all(`#dialog input[name=${name}]`)[place.indexOf(value)].click();
  await drawn();
}

async function write(slug) {
  find("#publish-slug").value = slug;
  find("#publish-slug").dispatchEvent(new InputEvent("input"));
  await drawn();
}

test("the bar and the foot of a phone both lead to publishing, which asks what is missing", async () => {
  for (const place of ["#bar .bar-tools", "#foot"]) {
    await begin();
    publishes();
    check.isTold = false;
    const press = new MouseEvent("click", { bubbles: true, cancelable: true });
    named("Publish", find(place)).dispatchEvent(press);
    await until(() => find("#publish-slug"));
    same([press.defaultPrevented, check.isTold], [true, true]);
    await click("Cancel", find("#dialog"));
  }
});

test("what was taken down leads to the page that says why, and what can still be done", async () => {
  await begin();
  draft.served.story.takenDown = {};
  draft.folded = null;
  named("Publish", find("#bar .bar-tools")).click();
  await until(() => location.hash === "#publish");
  same(find("#dialog").open, false);
});

test("what cannot be asked of the service is said in the dialog", async () => {
  await begin();
  publishes({}, { "GET options": () => refusal(403) });
  await open();
  same(find("#dialog [role=status]").textContent, "Looking…");
  await until(() => find("#dialog [role=status]").textContent === "Refused 403.");
  same([find("#dialog h2").textContent, find("#publish-slug")], ["Publish “A capsule”", null]);
  publishes();
  await opened(); // the next time it is asked again
  holds(!text().includes("Refused 403."));
});

test("while it works the button says at what, and cannot be pressed again", async () => {
  hurry();
  await begin();
  let state = "building";
  let answer;
  const preview = () => json({ ...READY, state, percent: 20 });
  publishes(
    {},
    {
      "POST previews": preview,
      "GET 1": preview,
      "PUT publication": () =>
        new Promise((then) => {
          answer = () => then(json({ url: "/w/new" }));
        }),
    },
  );
  await opened();
  await choose("mode", "OFF");
  holds(!named("See the emails"), "there is nothing to be seen yet");
  button().click();
  await until(() => words() === "Preparing…", text);
  same([button().disabled, answer], [true, undefined]);
  state = "ready";
  await until(() => answer && words() === "Publishing…", text);
  same(button().disabled, true);
  answer();
  await until(() => find("#dialog h2").textContent === "It is live");
});

test("a preview that failed of itself is nothing that an author can mend", async () => {
  await begin();
  publishes({}, { "GET readiness": () => json({ faults: [{ path: "preview", message: "x" }], advice: [] }) });
  await opened();
  await until(() => text().includes("Ready: 3 scenes."), text);
});

test("what is chosen at a publish is there at the next one, and what was only looked at is not", async () => {
  await begin();
  publishes();
  await opened();
  const shares = () => find(".publish-more input[type=checkbox]");
  shares().click();
  await click("Cancel", find("#dialog"));
  await opened();
  same(shares().checked, true);
  shares().click();
  await choose("mode", "OFF");
  const beats = [];
  pulse.soon = (ms) => beats.push(ms);
  button().click();
  await until(() => find("#dialog h2").textContent === "It is live");
  delete pulse.soon;
  holds(beats.includes(0), "the pulse hears of it at once");
  await click("Done", find("#dialog"));
  story.visibility = "unlisted";
  await type("text", "Other words.");
  await saved();
  await saver.refresh();
  await opened();
  same([shares().checked, all("#dialog [name=unlisted]").map(({ checked }) => checked)], [false, [false, true]]);
  shares().click(); // the next cases begin with it
  await choose("mode", "OFF");
  button().click();
  await until(() => find("#dialog h2").textContent === "The changes are live");
});

test("a card that the service could not show is asked for again when the page is drawn again", async () => {
  await begin();
  let cards = 0;
  const card = () => {
    cards += 1;
    return cards > 1 ? json({ title: "Its card", opening: "", picture: "", alt: "" }) : refusal(500);
  };
  publishes({}, { "POST previews": () => json({ ...READY, number: 9 }), "GET card": card });
  await opened();
  await until(() => {
    uploads.say();
    return find("#dialog .link-card b").textContent === "Its card";
  });
  same(cards, 2);
});

test("how subscribers are told is chosen by a person, and the button says to how many", async () => {
  await begin();
  publishes();
  await opened();
  same([find("#dialog h2").textContent, find("#publish-slug").value], ["Publish “A capsule”", "new"]);
  same(find("#dialog .link-row").textContent.trim(), "x.test/w/");
  holds(text().includes("Ready: 3 scenes."), text());
  holds(text().includes("Email to 3 subscribers, about five minutes after publishing, once"), text());
  holds(!text().includes("Nobody has subscribed yet."));
  holds(!text().includes("All links of this workspace will begin"), "its name is claimed already");
  same([button().disabled, words()], [false, "Choose what subscribers get"]);
  button().click();
  holds(document.activeElement === find("#dialog [name=mode]"), "it leads to the choice, which a phone may not show");
  same(new URL(named("See the emails").href).search, "?as=email");
  await choose("mode", "FULL");
  same([button().disabled, words()], [false, "Publish and email 3"]);
  await choose("mode", "OFF");
  same([button().disabled, words()], [false, "Publish"]);
  button().click();
  await until(() => find("#dialog h2").textContent === "It is live");
  same([put().premiereEmailMode, put().publicationMode], ["OFF", "STANDARD"]);
});

test("who has no subscribers is told that they may come, and asked all the same", async () => {
  await begin();
  publishes({ premiere: { recipients: 0 } });
  await opened();
  holds(text().includes("Email to the subscribers, about"), text());
  holds(text().includes("Nobody has subscribed yet. Who does until then gets it."));
  await choose("mode", "FULL");
  same(words(), "Publish");
});

test("a brand without emails asks for none; what is chosen is said in short", async () => {
  await begin();
  publishes();
  await opened();
  const short = () => find(".publish-more summary .hint").textContent;
  same(short(), "public · Share buttons · STANDARD");
  await choose("brand", "PLAIN");
  await choose("unlisted", "unlisted");
  find(".publish-more input[type=checkbox]").click();
  await drawn();
  same(short(), "unlisted · No share buttons · PLAIN");
  holds(text().includes("No email of this brand.") && !find("#dialog [name=mode]"), text());
  same([words(), button().disabled], ["Publish", false]);
  button().click();
  await until(() => find("#dialog h2").textContent === "It is live");
  same(put(), { slug: "new", unlisted: true, showSocialShare: false, publicationMode: "PLAIN" });
});

test("a publish of changes begins with what readers have, and nothing is chosen before", async () => {
  await begin();
  publishes();
  await opened({ ...LIVE, publicationMode: "PLAIN" });
  holds(text().includes("Readers get this instead of what is live now."), text());
  same(
    all("#dialog [name=brand]").map(({ checked }) => checked),
    [false, true],
  );
  same(
    all("#dialog [name=unlisted]").map(({ checked }) => checked),
    [true, false],
  );
  await write("another");
  find("#dialog .field input[type=checkbox]").click();
  await choose("brand", "STANDARD");
  await choose("mode", "FULL");
  await click("Cancel", find("#dialog"));
  await opened();
  same([find("#publish-slug").value, all("#dialog [name=mode]").length], ["old", 0]);
  await write("another");
  same([button().disabled, find("#dialog .field input[type=checkbox]").checked], [true, false]);
  await choose("brand", "STANDARD");
  same(
    all("#dialog [name=mode]").map(({ checked }) => checked),
    [false, false],
  );
});

test("a brand that is no longer on offer is given up in so many words", async () => {
  await begin();
  publishes({ publicationModes: [MODES[1]] });
  await opened(LIVE);
  holds(text().includes("Its brand is gone."), text());
  await until(() => !button().disabled);
  button().click();
  await until(() => find("#dialog h2").textContent === "The changes are live");
  same(put().publicationMode, "PLAIN");
  publishes({ publicationModes: [MODES[0]] });
  await type("text", "Other words.");
  await opened(LIVE);
  holds(!text().includes("Its brand is gone."));
});

test("it waits for files on their way in, and says for how many", async () => {
  await begin();
  publishes();
  const entry = (id) => ({ id, state: "sending", file: { size: 10 }, target: "a", name: id, percent: 0 });
  for (const id of ["1", "2"]) uploads.all.set(id, entry(id));
  await open();
  await until(() => text().includes("2 files are still on their way in…"), text);
  uploads.all.delete("1");
  uploads.say();
  await until(() => text().includes("One file is still on its way in…"), text);
  same(asked.length, 0);
  uploads.all.clear();
  uploads.say();
  await until(() => find("#publish-slug"));
  await until(() => text().includes("Ready: 3 scenes."), text);
});

test("where something is missing, nothing is prepared, and the list says what", async () => {
  await begin();
  publishes({}, { "GET readiness": () => json({ faults: [{ path: "title", message: "No title." }], advice: [] }) });
  await opened();
  holds(text().includes("Some things are missing:") && text().includes("No title."), text());
  same([button().disabled, find("#dialog .link-card")], [true, null]);
  same(asked.filter(({ method }) => method === "POST").length, 0);
});

test("that the draft is looked at is said until there is a preview", async () => {
  await begin();
  let answer;
  const preview = () =>
    new Promise((then) => {
      answer = () => then(json(READY));
    });
  publishes({}, { "POST previews": preview });
  await open();
  await until(() => find("#dialog [role=status]")?.textContent === "Looking at the draft…", text);
  await until(() => answer);
  answer();
  await until(() => text().includes("Ready: 3 scenes."), text);
});

test("a preview is followed until it is ready; one that failed keeps it from being published", async () => {
  await begin();
  publishes(
    {},
    { "POST previews": () => json({ ...READY, state: "building", percent: 20 }), "GET 1": () => json(READY) },
  );
  await opened();
  holds(text().includes("Preparing pictures and films: 20 %"), text());
  await until(() => text().includes("Ready: 3 scenes."), text);
  await click("Cancel", find("#dialog"));
  publishes({}, { "POST previews": () => json({ ...READY, state: "failed" }) });
  await opened();
  holds(text().includes("Some pictures or films could not be processed."), text());
  await choose("mode", "OFF");
  same(button().disabled, true);
});

test("a refusal is said beside its field, and can be answered at once", async () => {
  await begin();
  const faults = [
    { path: "slug", message: "This link is taken." },
    { path: "workspaceName", message: "This name is taken." },
  ];
  publishes({}, { "PUT publication": () => refusal(409, faults) });
  await opened();
  await choose("mode", "OFF");
  button().click();
  await until(() => text().includes("Refused 409."), text);
  same(find("#publish-slug").getAttribute("aria-invalid"), "true");
  holds(text().includes("This link is taken.") && text().includes("This name is taken."), text());
  same([button().disabled, words()], [false, "Publish"]);
  let answer;
  publishes(
    {},
    {
      "PUT publication": () =>
        new Promise((then) => {
          answer = then;
        }),
    },
  );
  button().click();
  await until(() => answer);
  await drawn();
  holds(!text().includes("taken"), "it is asked again");
  answer(refusal(409, faults));
  await until(() => text().includes("This link is taken."), text);
  await click("Cancel", find("#dialog"));
  publishes();
  await opened();
  holds(!text().includes("taken") && !text().includes("Refused"), text());
  await choose("mode", "OFF");
  await write("free");
  button().click();
  await until(() => find("#dialog h2").textContent === "It is live", text);
  same([put().slug, find("#dialog .live-link a").textContent], ["free", `${location.host}/w/free`]);
});

test("without a connection the button says so, and the publish goes on by itself", async () => {
  await begin();
  let tries = 0;
  const lost = (request) => {
    tries += 1;
    if (tries < 2) throw new TypeError("no connection");
    story.publication = { ...LIVE, slug: request.body.slug };
    return json({ url: "/w/new" });
  };
  publishes({}, { "PUT publication": lost });
  await opened();
  await choose("mode", "OFF");
  button().click();
  await until(() => words() === "Waiting for the connection…", text);
  same(button().disabled, true);
  await until(() => find("#dialog h2").textContent === "It is live", text);
  same(tries, 2);
});

test("where readers have the draft as it is, the button shows what is live, and what can be changed about it", async () => {
  await begin();
  let cards = 0;
  const drawAgain = async () => {
    for (let times = 0; times < 3; times += 1) {
      uploads.say();
      await drawn();
    }
  };
  const card = async () => {
    cards += 1;
    await drawAgain(); // what is asked already is not asked twice
    return json({ title: `Card ${cards}`, opening: "", picture: "", alt: "" });
  };
  publishes({}, { "GET card": card });
  Object.assign(story, { publication: { ...LIVE } });
  await saver.refresh();
  pulse.isChanged = false;
  select("b");
  await saved();
  await drawn();
  named("Live", find("#bar .bar-tools")).click();
  await until(() => find("#dialog .link-card b")?.textContent === "Card 1", text);
  await drawAgain();
  same(cards, 1);
  holds(text().includes("Readers get the draft as it is now."), text());
  await click("Done", find("#dialog"));
  named("Live", find("#bar .bar-tools")).click();
  await until(() => find("#dialog .link-card b")?.textContent === "Card 2", text);
  await click("Change how it is published", find("#dialog"));
  await until(() => find("#publish-slug"));
  same([find("#dialog h2").textContent, find(".publish-more").open], ["Link and brand of “A capsule”", true]);
  await choose("mode", "OFF");
  await until(() => words() === "Publish again", text);
  holds(text().includes("Ready: 3 scenes."), text());
});

test("once it is published the page knows it, asks for its email, and claims no name any more", async () => {
  await begin();
  publishes({}, { "GET premiere": () => json({ state: "scheduled", dueAt: new Date().toISOString(), recipients: 3 }) });
  await opened();
  await choose("mode", "FULL");
  button().click();
  await until(() => find("#dialog h2").textContent === "It is live");
  same([draft.story.publication.isPublished, live().state.url], [true, "/w/new"]);
  await until(() => find("#dialog .mail-line"));
  holds(asked.some(({ method, path }) => method === "GET" && path.endsWith("/premiere")));
  live().premiere = null;
});

test("what is passed on from the dialog says so, and a browser that refuses is said to", async () => {
  await begin();
  const shared = [];
  Object.defineProperty(navigator, "share", { value: async (what) => shared.push(what), configurable: true });
  publishes({}, { "GET card": () => json({ title: "", opening: "", picture: "", alt: "", embed: "<iframe>" }) });
  await opened();
  await choose("mode", "OFF");
  button().click();
  await until(() => named("Copy link", find("#dialog")));
  named("Share", find("#dialog .live-link")).click();
  same(shared, [{ title: "A capsule", url: `${location.origin}/w/new` }]);
  await until(() => find("#dialog textarea").value);
  delete navigator.share;
  redraw();
  await until(() => !named("Share", find("#dialog .live-link")), "this browser shares nothing");
  find("#dialog details").open = true;
  find("#dialog textarea").focus();
  same([find("#dialog textarea").selectionStart, find("#dialog textarea").selectionEnd], [0, 8]);
  const real = navigator.clipboard.writeText;
  navigator.clipboard.writeText = async () => {
    throw new Error("no");
  };
  named("Copy link", find("#dialog")).click();
  await until(() => find("#dialog [role=alert]")?.textContent === "Your browser did not allow copying.");
  navigator.clipboard.writeText = async () => {};
  named("Copy link", find("#dialog")).click();
  await until(() => named("Copied", find("#dialog")) && !find("#dialog [role=alert]"));
  same(find("#polite").textContent, "Copied");
  navigator.clipboard.writeText = real;
  await click("Done", find("#dialog"));
  await opened();
  await choose("mode", "OFF");
  button().click();
  await until(() => named("Copy link", find("#dialog")), "nothing was copied this time");
});

test("a link that is wrong says so, and nothing is published while something is missing", async () => {
  await begin();
  publishes({}, { "GET readiness": () => json({ faults: [{ path: "summary", message: "Missing." }], advice: [] }) });
  await open();
  await until(() => text().includes("Some things are missing:"));
  await choose("mode", "OFF");
  holds(button().disabled);
  same(find("#publish-slug").ariaInvalid, "false");
  await write("x".repeat(51));
  same(find("#publish-slug").ariaInvalid, "true");
});

test("an edition asks before it ends the link that its capsule has, and says what goes live with it", async () => {
  await begin();
  publishes({ currentSlug: "old", suggestedSlug: "old", alongside: ["The original, too."] });
  await opened();
  holds(text().includes("The original, too."), text());
  await choose("brand", "PLAIN");
  holds(text().includes("No email of this brand."), text());
  draft.served.story.shown = true;
  draft.folded = null;
  redraw();
  await until(() => text().includes("No email of its own.") && !text().includes("No email of this brand."), text);
  await choose("brand", "STANDARD");
  await choose("mode", "OFF");
  same(button().disabled, false);
  await write("another");
  same(button().disabled, true);
  find("#dialog .field input[type=checkbox]").click();
  await drawn();
  same(button().disabled, false);
});

test("without a title it says what readers would see, and leads to the field, which names the tab", async () => {
  await begin();
  publishes();
  await opened();
  holds(!text().includes("It has no title"), text());
  await click("Cancel", find("#dialog"));
  draft.served.story.title = "Untitled";
  draft.folded = null;
  await opened();
  holds(text().includes("It has no title: readers and subscribers would see “Untitled”."), text());
  await click("Add a title", find("#dialog"));
  await until(() => document.activeElement.id === "field-title");
  same(find("#dialog").open, false);
  await type("title", "Voyages");
  await until(
    () => document.title === "Voyages · Studio",
    () => document.title,
  );
  await saved();
});

/** Answers that come when they are told to, in any order. */
function kept() {
  const then = [];
  return { then, answer: () => new Promise((now) => then.push(now)) };
}

test("a preview that is refused is said, and the next press begins with another one", async () => {
  await begin();
  publishes({}, { "POST previews": () => refusal(403) });
  await open();
  await until(() => find("#dialog [role=alert]")?.textContent === "Refused 403.", text);
  holds(!text().includes("Looking at the draft…"), text());
  publishes();
  await choose("mode", "OFF");
  button().click();
  await until(() => find("#dialog h2").textContent === "It is live", text);
});

test("a dialog that is opened again shows the publish that is under way, and asks for no other", async () => {
  hurry();
  await begin();
  let state = "building";
  const preview = () => json({ ...READY, state });
  publishes({}, { "POST previews": preview, "GET 1": preview });
  await opened();
  await choose("mode", "OFF");
  button().click();
  await until(() => words() === "Preparing…", text);
  closeDialog();
  await until(() => !find("#stage").inert); // the browser has told of it
  await open();
  same([words(), button().disabled], ["Preparing…", true]);
  state = "ready";
  await until(() => find("#dialog h2").textContent === "It is live", text);
  same(asked.filter(({ path }) => path.endsWith("/options")).length, 1);
});

test("what an earlier opening of the dialog asked for says nothing any more", async () => {
  await begin();
  const options = kept();
  publishes({}, { "GET options": options.answer });
  const answer = (place, suggestedSlug) =>
    options.then[place](
      json({ publicationModes: MODES, suggestedSlug, currentSlug: null, link: "https://x.test/w/n", alongside: [] }),
    );
  for (const count of [1, 2]) {
    closeDialog();
    await pause(10);
    await open();
    await until(() => options.then.length === count);
  }
  answer(1, "new");
  await until(() => find("#publish-slug"), text);
  await write("mine");
  answer(0, "old");
  await pause(50);
  same(find("#publish-slug").value, "mine");
});

test("a preview that an earlier opening of the dialog waits for is followed no more", async () => {
  hurry();
  await begin();
  const faults = [];
  const hear = ({ reason }) => faults.push(String(reason));
  addEventListener("unhandledrejection", hear);
  const building = json({ ...READY, state: "building", percent: 20 });
  const answers = { "POST previews": () => building.clone(), "GET 1": () => json({ ...READY, state: "failed" }) };
  publishes({}, answers);
  await opened();
  closeDialog();
  await until(() => !find("#stage").inert);
  publishes({}, { ...answers, "GET options": kept().answer });
  await open();
  await pause(1200); // the earlier one looks again after a second
  removeEventListener("unhandledrejection", hear);
  same([faults, asked.filter(({ path }) => path.endsWith("/previews/1")).length], [[], 1]);
  holds(text().includes("Looking…"), text());
});

test("it is live, though the answers that come after are lost", async () => {
  await begin();
  publishes({}, { "GET s": () => refusal(500), "GET premiere": () => refusal(500) });
  await opened();
  await choose("mode", "OFF");
  button().click();
  await until(() => /It is live|Refused/.test(text()), text);
  same(
    [find("#dialog h2").textContent, find("#dialog .live-link a").textContent],
    ["It is live", `${location.host}/w/new`],
  );
});
