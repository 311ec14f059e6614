"""The editor on a phone beside a long title, and where its words are twice as large: nothing is cut off or covered."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from capsules.models import Story
from tests.browser.test_studio import PHONE

pytestmark = pytest.mark.django_db(transaction=True)
#: How far the words of the state are from the button beside them, in pixels.
GAP = """() => {
  const words = document.createRange(), state = document.querySelector('.save-state');
  words.selectNodeContents(state);
  const right = Math.min(words.getBoundingClientRect().right,
    getComputedStyle(state).overflowX === 'hidden' ? state.getBoundingClientRect().right : Infinity);
  return document.querySelector('.bar-tools').getBoundingClientRect().left - right;
}"""


@pytest.fixture
def large(edit, live_story: Story) -> Page:
    page = edit(live_story, **PHONE, bypass_csp=True)
    page.add_style_tag(content="html { font-size: 200% }")
    return page


def more(page: Page, item: str) -> None:
    page.get_by_role("button", name="More", exact=True).tap()
    page.get_by_role("menuitem", name=item, exact=True).tap()
    expect(page.locator("#dialog")).to_be_visible()


@pytest.mark.parametrize("size", ["100%", "200%"])
def test_a_long_title_leaves_room_for_what_was_saved(edit, ready_story, size):
    ready_story.title = "Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle am Markt"
    ready_story.save()
    page = edit(ready_story, **PHONE, bypass_csp=True)
    page.add_style_tag(content=f"html {{ font-size: {size} }}")
    expect(page.locator(".save-state")).to_have_text("Saved")
    assert page.evaluate(GAP) >= 4
    assert page.locator(".save-state").evaluate("(it) => it.scrollWidth - it.clientWidth") <= 0, "it is whole"
    assert page.locator(".bar-tools").bounding_box()["x"] + 44 <= 390


def test_the_whole_menu_can_be_reached(large):
    large.get_by_role("button", name="More", exact=True).tap()
    menu = large.locator(".menu:popover-open").bounding_box()
    assert menu["y"] >= 0 and menu["x"] >= 0 and menu["x"] + menu["width"] <= 390
    large.get_by_role("menuitem", name="Undo").scroll_into_view_if_needed()
    expect(large.get_by_role("menuitem", name="Undo")).to_be_in_viewport(ratio=1)


def test_the_list_of_keys_fits(large):
    more(large, "Keyboard")
    assert large.locator("#dialog").evaluate("(it) => it.scrollWidth - it.clientWidth") == 0
    lines = "(it) => it.getBoundingClientRect().height / parseFloat(getComputedStyle(it).lineHeight)"
    assert large.locator(".keys dd", has_text="Undo").evaluate(lines) < 1.5, "no word is broken"


@pytest.mark.parametrize("item", ["Unpublish", "Move to trash"])
def test_a_question_is_read_from_its_beginning(large, item):
    more(large, item)
    expect(large.locator("#dialog h2")).to_be_in_viewport(ratio=1)
    expect(large.locator("#dialog .dialog-end button").first).to_be_in_viewport(ratio=1)


def test_the_words_at_the_foot_are_a_space_apart(large):
    gaps = large.locator("#foot").evaluate(
        """(foot) => [...foot.children].filter((one) => one.checkVisibility()).map((one) => {
          const words = document.createRange();
          words.selectNodeContents(one);
          return words.getBoundingClientRect();
        }).flatMap((box, at, all) => at && all[at - 1].top === box.top ? [box.left - all[at - 1].right] : [])"""
    )
    assert min(gaps, default=8) >= 8
