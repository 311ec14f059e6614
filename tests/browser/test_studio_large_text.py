"""The editor on a phone beside a long title, and where its words are twice as large: nothing is cut off or covered."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_studio import PHONE
from tests.browser.test_studio_narrow import OUTSIDE
from tests.browser.waiting import ready, until
from tests.support.factories import make_draft

pytestmark = pytest.mark.django_db(transaction=True)
TITLE = "Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle am Markt"
#: How far the words of the state are from the button beside them, in pixels.
GAP = """() => {
  const words = document.createRange(), state = document.querySelector('.save-state');
  words.selectNodeContents(state);
  const right = Math.min(words.getBoundingClientRect().right,
    getComputedStyle(state).overflowX === 'hidden' ? state.getBoundingClientRect().right : Infinity);
  return document.querySelector('.bar-tools').getBoundingClientRect().left - right;
}"""
#: The words of the bar at the foot that run out of their button.
RUN_OUT = """() => [...document.querySelectorAll('#foot a, #foot button')].filter((one) => {
  const words = document.createRange();
  words.selectNodeContents(one);
  const [inner, outer] = [words.getBoundingClientRect(), one.getBoundingClientRect()];
  return inner.left < outer.left || inner.right > outer.right || outer.right > innerWidth;
}).map((one) => one.textContent)"""
#: How far the words at the foot are from those before them.
GAPS = """(foot) => [...foot.children].filter((one) => one.checkVisibility()).map((one) => {
  const words = document.createRange();
  words.selectNodeContents(one);
  return words.getBoundingClientRect();
}).flatMap((box, at, all) => at && all[at - 1].top === box.top ? [box.left - all[at - 1].right] : [])"""
#: What can be seen in the editor and reaches beyond the window; the page itself never scrolls, so it would be cut off.
CUT_OFF = """() => [...document.querySelectorAll('.editor-page, .editor-page *')]
  .filter((one) => one.checkVisibility({visibilityProperty: true}) && one.getBoundingClientRect().width)
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5)
  .map((one) => one.outerHTML.slice(0, 160))"""
LINES = "(it) => it.getBoundingClientRect().height / parseFloat(getComputedStyle(it).lineHeight)"


def twice_as_large(page: Page) -> None:
    page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")


def is_whole_beside_what_was_saved(page: Page) -> None:
    state = page.locator(".save-state")
    expect(state).to_have_text("Saved")
    assert page.evaluate(GAP) >= 4
    assert state.evaluate("(it) => it.scrollWidth - it.clientWidth") <= 0
    assert page.locator(".bar-tools").bounding_box()["x"] + 44 <= 390
    assert page.evaluate(RUN_OUT) == []


def nothing_is_cut_off(page: Page) -> None:
    expect(page.locator("#foot")).to_contain_text("Publish")  # the longest word that stands there
    for part in ("", "Edit", "Scenes"):
        if part:
            page.locator("#foot").get_by_text(part).tap()
        for width in (320, 390):
            page.set_viewport_size({"width": width, "height": 844})
            until(page, f"({CUT_OFF})().join() === ''")  # the stage takes its new size with the next drawing


def test_beside_a_long_title_bar_foot_menu_fields_and_dialogs_are_whole_also_where_words_are_twice_as_large(
    edit, live_story, api, site
):
    api.call("PATCH", f"/stories/{live_story.pk}", {"title": TITLE})
    page = edit(live_story, **PHONE)
    nothing_is_cut_off(page)
    page.locator("#foot").get_by_text("Scenes").tap()  # closes their list
    is_whole_beside_what_was_saved(page)
    twice_as_large(page)
    assert page.evaluate(OUTSIDE) == []
    is_whole_beside_what_was_saved(page)
    assert min(page.locator("#foot").evaluate(GAPS), default=8) >= 8, "words at the foot are a space apart"
    page.get_by_role("button", name="More", exact=True).tap()
    menu = page.locator(".menu:popover-open").bounding_box()
    assert menu["y"] >= 0 and menu["x"] >= 0 and menu["x"] + menu["width"] <= 390
    page.get_by_role("menuitem", name="Undo").scroll_into_view_if_needed()
    expect(page.get_by_role("menuitem", name="Undo")).to_be_in_viewport(ratio=1)
    dialog = page.locator("#dialog")
    page.get_by_role("menuitem", name="Keyboard", exact=True).tap()
    expect(dialog).to_be_visible()
    assert dialog.evaluate("(it) => it.scrollWidth - it.clientWidth") == 0
    assert page.locator(".keys dd", has_text="Undo").evaluate(LINES) < 1.5, "no word is broken"
    for item in ("Unpublish", "Move to trash"):  # a question is read from its beginning
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        page.get_by_role("button", name="More", exact=True).tap()
        page.get_by_role("menuitem", name=item, exact=True).tap()
        expect(dialog).to_be_visible()
        expect(dialog.locator("h2")).to_be_in_viewport(ratio=1)
        expect(dialog.locator(".dialog-end button").first).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.locator("#foot").get_by_role("button", name="Check").tap()
    expect(dialog.locator(".rows button").first).to_be_focused()
    expect(dialog.locator("h2")).to_be_in_viewport(ratio=1)  # so is a list of what to do

    page.keyboard.press("Escape")
    leaves_most_of_the_window_to_the_fields(page)
    page.goto(f"{site}/studio/stories/{live_story.pk}/publish")
    assert page.get_by_role("link", name="How it is read, in numbers").bounding_box()["height"] >= 24
    page.goto(f"{site}/studio/stories/{make_draft(live_story.workspace).pk}")
    ready(page)
    leaves_the_words_at_the_foot_free_in_the_first_step(page)


def leaves_the_words_at_the_foot_free_in_the_first_step(page: Page) -> None:
    twice_as_large(page)
    assert page.locator(".stage-start").evaluate("(it) => it.scrollWidth - it.clientWidth") == 0
    page.locator("#foot").get_by_role("button", name="Check").tap()
    expect(page.locator("#dialog h2")).to_be_in_viewport(ratio=1)


def leaves_most_of_the_window_to_the_fields(page: Page) -> None:
    expect(page.locator("#dialog")).to_be_hidden()
    page.locator("#foot").get_by_role("button", name="Edit").tap()
    head = page.locator(".inspector-head")
    expect(head).to_be_visible()
    assert head.bounding_box()["height"] < 150, "one row, or two"
    assert page.locator("#inspector").evaluate("(it) => it.scrollWidth - it.clientWidth") == 0
    move = page.get_by_role("button", name="Move earlier")
    move.scroll_into_view_if_needed()
    assert move.evaluate(LINES) < 3.5, "no word is broken"
