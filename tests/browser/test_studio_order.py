"""Scenes in their order: by keyboard, mouse and finger, and back again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from capsules.models import Story
from tests.browser.test_studio import PATIENCE, saved, texts, thumbs
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)


#: What shows where a scene would fall.
DRAGGED = "#strip .dragging, #strip .drop-before, #strip .drop-at-end"


def test_scenes_are_ordered_by_keyboard_and_mouse_to_the_end_of_a_long_strip_and_undo_brings_all_back(
    edit, north_shore
):
    story = factories.make_draft(north_shore, scenes=8)
    page = edit(story)
    are_ordered_and_deleted_by_keyboard_and_brought_back(page, story)
    neither_a_click_nor_escape_moves_any(page, story)
    before = texts(story)
    hold(page, 0)
    pull(page, 2)
    expect(thumbs(page).nth(0)).to_have_class(re.compile("dragging"))
    page.mouse.up()
    expect(page.locator("#polite")).to_contain_text("moved to position 3")
    saved(page)
    before[:3] = [before[1], before[2], before[0]]
    assert texts(story) == before
    expect(page.locator(DRAGGED)).to_have_count(0)
    page.set_viewport_size({"width": 1440, "height": 450})
    strip = page.locator("#strip").bounding_box()
    hold(page, 0)
    page.mouse.move(strip["x"] + 80, strip["y"] + strip["height"] - 10, steps=6)
    # The mouse rests, and the strip goes on to its end.
    expect(page.locator(".thumb-add")).to_be_in_viewport(ratio=0.9, timeout=PATIENCE)
    page.mouse.up()
    saved(page)
    assert texts(story) == [*before[1:], before[0]]


def are_ordered_and_deleted_by_keyboard_and_brought_back(page: Page, story: Story) -> None:
    before = texts(story)
    thumbs(page).nth(1).focus()
    page.keyboard.press("Alt+Shift+ArrowUp")
    expect(page.locator("#polite")).to_have_text(f"Scene 2 moved to position 1 of {len(before)}.")
    expect(thumbs(page).nth(0)).to_be_focused()
    saved(page)
    assert texts(story)[:2] == [before[1], before[0]]
    page.keyboard.press("Control+z")
    saved(page)
    assert texts(story) == before
    thumbs(page).nth(1).focus()
    page.keyboard.press("Delete")
    expect(page.locator("#toast")).to_contain_text("Scene 2 deleted")
    saved(page)
    assert len(texts(story)) == len(before) - 1
    page.locator("#toast").get_by_role("button", name="Undo").click()
    saved(page)
    assert texts(story) == before


def neither_a_click_nor_escape_moves_any(page: Page, story: Story) -> None:
    before, moves = texts(story), orders(story)
    hold(page, 2)
    page.mouse.move(*[at + 3 for at in middle(page, 2)], steps=3)  # no hand is quite still
    expect(page.locator("#strip .dragging")).to_have_count(0)
    page.mouse.up()
    expect(thumbs(page).nth(2)).to_have_attribute("aria-selected", "true")
    saved(page)
    assert (texts(story), orders(story)) == (before, moves)
    hold(page, 0)
    pull(page, 2)
    page.keyboard.press("Escape")
    expect(page.locator(DRAGGED)).to_have_count(0)
    page.mouse.move(*middle(page, 1), steps=3)
    page.mouse.up()
    saved(page)
    assert (texts(story), orders(story)) == (before, moves)


def drag_by_a_resting_finger(page: Page, story: Story) -> None:
    """On a phone: from the first place to the third."""
    before = texts(story)
    page.locator("#foot").get_by_text("Scenes").tap()
    with finger(page, 0) as move:
        expect(thumbs(page).nth(0)).to_have_class(re.compile("dragging"))
        x, y = middle(page, 2)
        move(x, y + 20)
    expect(page.locator("#polite")).to_contain_text("moved to position 3")
    saved(page)
    assert texts(story)[:3] == [before[1], before[2], before[0]]


@contextmanager
def finger(page: Page, number: int) -> Iterator[Callable[[float, float], None]]:
    """A finger on a scene of the strip until the end of the `with`; what it gives moves it."""
    touches = page.context.new_cdp_session(page)

    def touch(kind: str, *at: float) -> None:
        points = [dict(zip("xy", at, strict=True))] if at else []
        touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    thumbs(page).nth(number).tap(trial=True)  # which waits until it stands still and can be touched
    touch("touchStart", *middle(page, number))
    yield lambda x, y: touch("touchMove", x, y)
    touch("touchEnd")


def middle(page: Page, number: int) -> tuple[float, float]:
    box = thumbs(page).nth(number).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def hold(page: Page, number: int) -> None:
    """Takes hold of a scene of the strip by the mouse."""
    page.mouse.move(*middle(page, number))
    page.mouse.down()


def pull(page: Page, number: int) -> None:
    """Moves what the mouse holds below the middle of another scene."""
    x, y = middle(page, number)
    page.mouse.move(x, y + 20, steps=6)


def orders(story: Story) -> list[tuple]:
    """Where each scene is, and how often it or the draft was written."""
    story.refresh_from_db()
    return [(story.revision, scene.key, scene.position, scene.version) for scene in story.scenes.all()]
