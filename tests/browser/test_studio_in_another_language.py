"""The editor in a language that nobody speaks: also words without a capital, which tests.words does not find."""

from __future__ import annotations

import pytest

from tests.browser.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
THEIRS = "Ακτή του βορρά"  # words of people, in letters that none of ours has
#: What the page and the API bring along is not said by scripts: `theirs` has it.
LISTEN = """() => {
  const theirs = (globalThis.theirs = new Set());
  const note = (value) => {
    if (typeof value === "string" && /[^\\w-]|[A-Z]/.test(value.trim())) {
      theirs.add(value.trim()).add(value.split(":")[0]); // choices are said in short, too
    } else if (value && typeof value === "object") Object.values(value).forEach(note);
  };
  note(JSON.parse(document.getElementById("boot").textContent));
  const asked = fetch;
  globalThis.fetch = async (...request) => {
    const answer = await asked(...request);
    const told = await answer.clone().json().catch(() => null);
    note(told);
    return answer;
  };
}"""
#: Texts and attributes with Latin words of ours.
PLAIN = """() => {
  const known = [...theirs].sort((one, other) => other.length - one.length);
  const found = new Set();
  globalThis.fine ??= new Set(); // texts of an earlier state, most of which are still there
  const look = (text, where) => {
    if (fine.has(text)) return;
    let left = text.replace(/[\\w.:-]*\\/[\\w\\/.:-]*|localhost:\\d+|[\\w-]+\\.(?:jpg|png|mp4|css)/g, "");
    for (const each of known) left = left.replaceAll(each, "");
    if (/[A-Za-z]{2,}/.test(left)) found.add(`${where}: ${text.trim()}`);
    else fine.add(text);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (!parentElement.closest("script, noscript, style, textarea")) look(data, parentElement.tagName);
  }
  for (const element of document.querySelectorAll("body *")) {
    for (const name of ["aria-label", "aria-valuetext", "title", "alt", "placeholder"]) {
      if (element.hasAttribute(name)) look(element.getAttribute(name), `${element.tagName} ${name}`);
    }
  }
  return [...found];
}"""
#: What opens each state of the editor, from the modules of the page; each is looked at once it is drawn.
MODULES = """boot dialogs element live navigation presence publish-dialog redraw shortcuts-list store
upload-list"""
BEGIN = """async (names) => {
  const all = await Promise.all(names.map((name) => import(`/static/studio/${name}.js`)));
  globalThis.s = Object.assign({}, ...all.map((each) => ({ ...each })));
  s.pulse.dispatchEvent = () => {}; // it would tell what the service has of what these states make up
  s.at = (name) => all[names.indexOf(name)];
  s.pause = (ms) => new Promise((then) => setTimeout(then, ms));
  s.scene = () => s.draft.scenes[0];
  s.also = (fields) => { // the service has something else
    Object.assign(s.draft.served.scenes[0], fields);
    s.draft.folded = null;
    s.redrawNow();
  };
  s.file = (more) => {
    const file = new File(["a"], "a.jpg");
    const entry = { id: "1", at: 1, file, target: s.scene().id, kind: "picture", name: "a.jpg", percent: 5, url: "" };
    s.uploads.all.set("1", { ...entry, sent: 1, from: 0, began: Date.now() - 9000, ...more });
    s.redrawNow();
  };
  s.ask = (more) => { // the dialog of publishing
    const shown = {
      step: "asking", options: { ...OPTIONS }, built: { state: "ready", number: 1 }, faults: {}, problem: "", slug: "x",
      brand: "STANDARD", emails: ["FULL", "OFF"], missing: [], claims: null, unlisted: false, shares: true, mode: null,
      state: s.draft.story.publication ?? {}, ...more,
    };
    s.showDialog(() => new s.PublishDialog(shown).dialog());
  };
}"""
PUBLISHED = '{ isPublished: true, url: "/w/x", slug: "x", publicationMode: "STANDARD" }'
OPTIONS = """{ publicationModes: ["STANDARD", "WHITE_LABEL"].map((mode) => ({ mode })), link: "https://x.test/w/x",
  premiere: { recipients: 2 }, alongside: [] }"""
FIELDS = "title text alt still film animation focus trim place size fit finale"
STATES = {
    "a scene": "document.querySelectorAll('#inspector details').forEach((each) => { each.open = true; })",
    "look and focus": "s.redrawNow()",
    "a film": (
        "s.also({ film: { id: 'f', kind: 'film', filename: 'a.mp4', duration: 20 }, animation: 'film',"
        " finale: false, trim: { start: 1, length: 3 } })"
    ),
    "a file": "s.file({ state: 'sending' })",
    "two versions": (
        f"s.draft.conflicts.set(s.scene().id, Object.fromEntries('{FIELDS}'.split(' ').map((field, at) => [field,"
        f" {{ mine: '', theirs: '{THEIRS}', by: [{{ id: s.user }}, {{ id: '0', name: '{THEIRS}' }}][at] }}])));"
        " s.redrawNow()"
    ),
    "the menus": "s.draft.conflicts.clear(); s.element('more-menu').showPopover(); s.redrawNow()",
    "the keys": "s.element('more-menu').hidePopover(); s.at('shortcuts-list').openShortcuts()",
    "nothing is chosen": "s.uploads.all.clear(); s.ask({})",
    "it is live": "s.ask({ step: 'done', result: { url: '/w/x' } })",
    "a capsule that is not published": "s.closeDialog(); s.select('story')",
    "unpublishing": f"s.draft.served.story.publication = {PUBLISHED}; s.draft.folded = null;"
    " s.at('live').openVisibility(true)",
    "the capsule": (
        f"s.draft.served.story.publication = {PUBLISHED}; s.draft.folded = null; s.closeDialog(); s.select('story')"
    ),
    "an accent": (
        "s.draft.edit('story', { look: { theme: 'night', face: 'serif', accent: '#101010' } });"
        " s.draft.edit('story', { title: 'α'.repeat(2000) })"
    ),
}


def test_whatever_the_editor_says_is_in_the_language_of_its_page(spoken, edit, ready_story):
    page = edit(ready_story)
    page.evaluate(LISTEN)
    page.evaluate(BEGIN.replace("OPTIONS", OPTIONS), MODULES.split())
    until(page, "document.querySelectorAll('#strip [role=option]').length > 2")
    found = {}
    for state, act in STATES.items():
        drawn = f"{act}; await s.pause(60); s.redrawNow(); await s.pause(40);"
        if plain := page.evaluate(f"async () => {{ {drawn} return ({PLAIN})(); }}"):
            found[state] = plain
    assert found == {}
