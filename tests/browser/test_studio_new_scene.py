"""A scene that was only just added: its words, its name and its place in the strip while it is being saved."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_studio import PATIENCE, saved, texts, thumbs
from tests.browser.test_studio_words import (
    IS_LOST,
    SAVES,
    again,
    write,
)
from tests.browser.waiting import Held

pytestmark = pytest.mark.django_db(transaction=True)


JOURNAL_TOLD = """() => {
  window.told = [];
  const { put, delete: remove } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (entry) {
    window.told.push(`put ${entry.type} ${entry.target}`);
    return put.call(this, entry);
  };
  IDBObjectStore.prototype.delete = function (id) {
    window.told.push('forget');
    return remove.call(this, id);
  };
}"""


def test_words_in_a_new_scene_have_its_name_in_the_journal_and_find_it_after_a_closed_tab(edit, ready_story):
    page, before = edit(ready_story), texts(ready_story)
    held = write_in_a_new_scene(page, "In a new scene.", len(before) + 1)
    page.evaluate(JOURNAL_TOLD)
    held.let_go()
    saved(page)
    told = page.evaluate("() => window.told")
    assert told[0].startswith("put edit ") and "new-" not in told[0]
    assert told[1] == "forget", "the scene leaves the journal after its words have its name"
    page.unroute("**/scenes")
    held = write_in_a_new_scene(page, "In another one.", len(before) + 2)
    page.route(SAVES, IS_LOST)
    with page.expect_request(SAVES, timeout=PATIENCE):
        held.let_go()
    page = again(page)
    saved(page)
    assert sorted(texts(ready_story)) == sorted([*before, "In a new scene.", "In another one."])


def write_in_a_new_scene(page: Page, words: str, count: int) -> Held:
    """Returns what asks for the scene, which is held back."""
    held = Held(page, "**/scenes")
    page.locator(".thumb-add").click()
    expect(page.locator("#inspector h2")).to_contain_text(f"of {count}")
    write(page, words)
    return held


HOLD_FRAMES = """() => {
  const draw = window.requestAnimationFrame.bind(window), held = [];
  window.requestAnimationFrame = (frame) => held.push(frame);
  window.letGo = () => { window.requestAnimationFrame = draw; held.forEach(draw); };
}"""


def test_the_arrows_reach_a_scene_that_gets_its_name_between_key_and_drawing(edit, ready_story):
    page, count = edit(ready_story), len(texts(ready_story))
    for more in (0, 1):  # the focus, and the next key
        thumbs(page).first.click()
        held = Held(page, "**/scenes")
        page.get_by_role("button", name="New scene").click()
        count += 1
        expect(page.locator("#inspector h2")).to_contain_text(f"Scene 2 of {count}")
        thumbs(page).first.click()
        expect(thumbs(page).first).to_be_focused()
        page.evaluate(HOLD_FRAMES)
        page.keyboard.press("ArrowDown")
        with page.expect_response("**/scenes"):
            held.let_go()
        page.wait_for_timeout(300)  # the answer is read; nothing of it can be drawn
        for _ in range(more):
            page.keyboard.press("ArrowDown")
        page.evaluate("() => window.letGo()")
        expect(thumbs(page).nth(1 + more)).to_be_focused()
        expect(page.locator("#inspector h2")).to_contain_text(f"Scene {2 + more} of {count}")
        saved(page)
        page.unroute("**/scenes")
