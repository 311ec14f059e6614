"""The editor in a language that nobody speaks: whatever its scripts say, in any state, passes through the catalogue."""

from __future__ import annotations

import re

import pytest

from config.words import scripts
from tests.browser.waiting import until
from tests.support import pseudo

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
  globalThis.seen ??= new Set();
  globalThis.fine ??= new Set(); // texts of an earlier state, most of which are still there
  const look = (text, where) => {
    if (fine.has(text)) return;
    seen.add(text.trim().replace(/\\s+/g, " "));
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
MODULES = """announcements boot capsule-fields check checklist conflict dialog-commands dialogs draft element fields
file-picking files first-step fold held-fields inspector lazy link-card lit live looks media media-dialog menus merging
move-dialog navigation page phone-link presence publish-dialog publish-done publishing redraw save scene-changes
scene-commands scenes session settling shortcuts-list split stage store strip trash-dialog trim upload-list uploading"""
BEGIN = """async (names) => {
  const all = await Promise.all(names.map((name) => import(`/static/studio/${name}.js`)));
  globalThis.s = Object.assign({}, ...all.map((each) => ({ ...each })));
  s.pulse.dispatchEvent = () => {}; // it would tell what the service has of what these states make up
  s.at = (name) => all[names.indexOf(name)];
  s.pause = (ms) => new Promise((then) => setTimeout(then, ms));
  s.scene = () => s.draft.scenes[0];
  s.show = (content) => s.render(content, s.element("toast"));
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
  s.tell = (state, more) => { Object.assign(s.saver, { reason: "", ...more }); s.saver.become(state); };
}"""
PUBLISHED = '{ isPublished: true, url: "/w/x", slug: "x", publicationMode: "STANDARD" }'
OPTIONS = """{ publicationModes: ["STANDARD", "WHITE_LABEL"].map((mode) => ({ mode })), link: "https://x.test/w/x",
  premiere: { recipients: 2 } }"""
STATES = {
    "a scene": "document.querySelectorAll('#inspector details').forEach((each) => { each.open = true; })",
    "look and focus": "s.redrawNow()",
    "a text that is too long": f"s.draft.edit(s.scene().id, {{ text: '{THEIRS}. '.repeat(600) }})",
    "a text that makes scenes": f"s.draft.edit(s.scene().id, {{ text: '{THEIRS}.\\n\\n'.repeat(60) }})",
    "the question of the parts": "document.querySelector('#field-text-hint ~ .linklike').click()",
    "no text": "s.closeDialog(); s.draft.edit(s.scene().id, { text: '', title: '' })",
    "a short text": "s.draft.edit(s.scene().id, { text: 'a' })",
    "a finale too early": "s.draft.edit(s.scene().id, { finale: true })",
    "a film": (
        "s.also({ film: { id: 'f', kind: 'film', filename: 'a.mp4', duration: 20 }, animation: 'film',"
        " finale: false, trim: { start: 1, length: 3 } })"
    ),
    "a long film": "s.also({ trim: null })",
    "rendering": "s.also({ rendering: { still: { state: 'running', percent: 5 } } })",
    "not rendered": "s.also({ rendering: { still: { state: 'failed', error: '' } } })",
    "no picture": "s.also({ still: null, film: null, rendering: {} })",
    "a file": "s.file({ state: 'sending' })",
    "a file that waits": "s.file({ state: 'sending', waits: true })",
    "a file that is tried again": "s.file({ state: 'sending', waits: true, why: '!' })",
    "a file that is checked": "s.file({ state: 'checking' })",
    "a file that was refused": "s.file({ state: 'refused', error: '!' })",
    "files from elsewhere": (
        "s.uploads.all.clear(); s.uploads.everywhere = ['checking', 'sending'].map((state) => ("
        "{ id: state, scene: s.scene().id, filename: 'a.jpg', state, percent: 5 })); s.redrawNow()"
    ),
    "somebody else is here": (
        f"s.uploads.everywhere = []; s.pulse.latest.others = [{{ name: '{THEIRS}', scene: s.scene().id }}];"
        " s.redrawNow()"
    ),
    "two versions": (
        f"s.draft.conflicts.set(s.scene().id, Object.fromEntries(['title', 'text', 'alt', 'still'].map((field, at) => ["
        f"field, {{ mine: '', theirs: '{THEIRS}', by: [{{ id: s.user }}, {{ id: '0', name: '{THEIRS}' }}][at] }}])));"
        " s.redrawNow()"
    ),
    **{
        f"saving: {state}": f"s.draft.conflicts.clear(); s.tell('{state}', {{ reason: '' }})"
        for state in [
            "saved",
            "waiting",
            "saving",
            "held",
            "offline",
            "signed-out",
            "trouble",
            "read-only",
            "gone",
        ]
    },
    "the menus": "s.draft.conflicts.clear(); s.element('more-menu').showPopover(); s.redrawNow()",
    "the checklist": "s.element('more-menu').hidePopover(); s.openCheck()",
    "the keys": "s.at('shortcuts-list').openShortcuts()",
    "the media": "s.at('media-dialog').openMedia(s.scene().id)",
    "a link for a phone": "s.at('phone-link').openPhoneLink()",
    "moving": "s.askPosition(s.scene().id)",
    "the trash": "s.askForTrash()",
    "publishing": "s.ask({ options: null })",
    "publishing waits for a file": "s.file({ state: 'sending' }); s.ask({ options: null })",
    "publishing waits for files": (
        "s.uploads.all.set('2', { ...s.uploads.all.get('1'), id: '2', waits: true }); s.ask({ options: null })"
    ),
    "files wait": "for (const file of s.uploads.all.values()) file.waits = true; s.tell('saved')",
    "files are checked": "for (const file of s.uploads.all.values()) file.state = 'checking'; s.tell('saved')",
    "nothing is chosen": "s.uploads.all.clear(); s.ask({})",
    "something is missing": f"s.ask({{ missing: [{{ path: 'title', message: '{THEIRS}' }}] }})",
    "a preview that failed": "s.ask({ built: { state: 'failed' } })",
    "a preview that is built": "s.ask({ built: { state: 'building', percent: 5 } })",
    "a draft that is looked at": "s.ask({ built: null, shares: false, unlisted: true })",
    "an email to one": f"s.ask({{ options: {{ ...{OPTIONS}, premiere: {{ recipients: 1 }} }} }})",
    "an email to nobody yet": f"s.ask({{ options: {{ ...{OPTIONS}, premiere: {{}} }}, waits: true }})",
    "a capsule without a title": (
        "window.titled = s.draft.served.story.title; s.draft.served.story.title = ''; s.draft.folded = null; s.ask({})"
    ),
    "a capsule with a title again": "s.draft.served.story.title = titled; s.draft.folded = null; s.ask({})",
    "an email is chosen": "s.ask({ mode: 'FULL', slug: 'x'.repeat(51) })",
    "a publish": "s.ask({ mode: 'OFF', step: 'working', slug: 'x'.repeat(60) })",
    "a publish that prepares": "s.ask({ mode: 'OFF', step: 'working', built: { state: 'building', percent: 5 } })",
    "the first publish": "s.ask({ mode: 'OFF', claims: 'x' })",
    "the first publish of an owner": "s.urls.settings = '/x'; s.ask({ claims: 'x' })",
    "it is live": "s.ask({ step: 'done', result: { url: '/w/x' } })",
    "the changes are live": "s.ask({ step: 'done', again: true, result: { url: '/w/x' } })",
    "a capsule that is not published": "s.closeDialog(); s.select('story')",
    "who can see it": f"s.draft.served.story.publication = {PUBLISHED}; s.draft.folded = null;"
    " s.at('live').openVisibility(false)",
    "an unpublish": "s.live().cancelMail()",
    "the trash of a live capsule": "s.askForTrash()",
    "a change of the link": f"s.ask({{ options: {{ ...{OPTIONS}, currentSlug: 'a' }}, slug: 'b', mode: 'OFF' }})",
    "a change of what is live": "s.pulse.isChanged = true; s.ask({ emails: [] })",
    "unpublishing": f"s.draft.served.story.publication = {PUBLISHED}; s.draft.folded = null;"
    " s.at('live').openVisibility(true)",
    "unpublishing while an email is due": (
        "s.live().premiere = { state: 'scheduled', dueAt: new Date(Date.now() + 6e4).toISOString(), recipients: 2 };"
        " s.at('live').openVisibility(true)"
    ),
    "unpublished by somebody else meanwhile": (
        "s.draft.served.story.publication = { isPublished: false }; s.draft.folded = null"
    ),
    "the capsule": (
        f"s.draft.served.story.publication = {PUBLISHED}; s.draft.folded = null; s.closeDialog(); s.select('story')"
    ),
    "an edition": "Object.assign(s.draft.served.story, { capsuleId: 'x' }); s.draft.folded = null; s.redrawNow()",
    "an email to nobody": "s.live().premiere.recipients = 0; s.redrawNow()",
    "an email that goes out": "Object.assign(s.live().premiere, { state: 'sending', recipients: 2 }); s.redrawNow()",
    "an accent": (
        "s.draft.edit('story', { look: { theme: 'night', face: 'serif', accent: '#101010' } });"
        " s.draft.edit('story', { title: 'α'.repeat(2000) })"
    ),
    "another accent": "s.draft.edit('story', { title: '', look: { theme: 'day', face: 'sans', accent: '#fefefe' } })",
    "a live capsule": (
        "s.pulse.isChanged = false; s.draft.changes = []; s.draft.folded = null; s.redrawNow();"
        " s.at('publishing').openPublish()"
    ),
    "the first step": "s.closeDialog(); s.show(s.stageStart())",
    "a scene that is added": "s.at('scenes').addScene(s.scene().id)",
    "a scene that is deleted": "s.at('scenes').removeScene(s.scene().id)",
    "an undone step": "s.undo.back()",
    "a step that is done again": "s.undo.again()",
    "a scene that is moved": "s.at('scenes').moveScene(s.scene().id, 1)",
    "words of a scene that is gone": "s.at('scenes').keepWords({ text: '' })",
    "a file that is none": "s.at('files').takeFiles([new File(['a'], 'a.css', { type: 'text/css' })], null, 'story')",
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
    # Of 340; those that are not seen are of faults and of the network.
    assert len(unseen(page.evaluate("[...seen]"))) < 110


def unseen(seen: list[str]) -> list[str]:
    """The sentences of the scripts that were not looked at in any state."""
    said = [words for pair in scripts.known().items() for words in pair if words]
    return [words for words in said if not any(map(as_shown(words).search, seen))]


def as_shown(words: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, re.split(r"\{\w+\}", pseudo.accented(words)))))
