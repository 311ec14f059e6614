"""The page New capsule in a browser: examples that move, and a text that becomes scenes, without any script."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from playwright.sync_api import Page, expect

from capsules.models import Story
from tests.browser.test_every_page import SIZES, faults, turn_into
from tests.browser.test_studio import thumbs
from tests.browser.waiting import ready

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = "The Night Ferry\n\nIt leaves at dusk. Nobody is late.\n\nHalfway over, it goes quiet."
#: How often each picture of the page is moved by the camera of the reader: its animation and whether it runs.
MOVES = """() => [...document.querySelectorAll('.example img')].map((one) =>
  one.getAnimations().map(({animationName, playState}) => `${animationName} ${playState}`).join())"""


def move_as_in_the_reader_and_stand_still_where_motion_is_unwelcome(page: Page) -> None:
    for motion, state in (("reduce", "paused"), ("no-preference", "running")):
        page.emulate_media(reduced_motion=motion)
        assert page.evaluate(MOVES) == [f"camera {state}"] * 6, motion
    page.get_by_label("Hold the pictures still").check()
    assert page.evaluate(MOVES) == ["camera paused"] * 6
    page.emulate_media(reduced_motion="reduce")


def opens_a_copy_with_its_pictures_before_they_are_rendered(page: Page) -> None:
    page.locator(".example").filter(has_text="Recipe").locator(".cover").click(force=True)  # under the button
    ready(page)
    expect(thumbs(page).locator("img[src*='/static/examples/']")).to_have_count(5)
    frame = page.frame_locator("iframe.stage-frame").first
    expect(frame.locator(".scene img[src*='/static/examples/']").first).to_be_visible()
    expect(frame.locator("html")).to_have_class(re.compile("theme-paper"))
    assert Story.objects.filter(title="Apple Cake for a Full Table").count() == 1


def test_examples_move_and_open_and_a_text_becomes_scenes_on_a_page_that_covers_nothing(studio, site):
    page: Page = studio("/studio/new")
    move_as_in_the_reader_and_stand_still_where_motion_is_unwelcome(page)
    for size in SIZES:
        page.goto(f"{site}/studio/new")
        turn_into(SimpleNamespace(page=page), size)
        page.get_by_label("paste a text").fill(TEXT)
        page.get_by_role("button", name="Show the scenes").click()
        page.locator("summary", has_text="Split").first.click()
        assert faults(SimpleNamespace(page=page)) == [], size
    page.get_by_label("Title").fill("Ferries")
    page.get_by_label("Title").press("Enter")  # keeps it, and makes nothing yet
    expect(page.get_by_label("Title")).to_have_value("Ferries")
    assert not Story.objects.filter(title="Ferries").exists()
    page.goto(f"{site}/studio/new")
    opens_a_copy_with_its_pictures_before_they_are_rendered(page)
