"""The editor on phones and upright tablets: everything is in the window, and one writes from scene to scene."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from capsules.models import Story
from tests.browser.test_studio import PHONE, middle, saved, texts, thumbs
from tests.browser.waiting import at_rest, shown_stage, until
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)
#: Buttons and links of the bars that are shown, and do not lie whole in the window or are covered there.
OUTSIDE = """() => [...document.querySelectorAll('#bar a, #bar button, #foot a, #foot button')]
  .filter((one) => one.checkVisibility() && !one.closest('[popover]'))
  .filter((one) => {
    const box = one.getBoundingClientRect();
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return box.left < 0 || box.right > innerWidth || box.bottom > innerHeight || !one.contains(top);
  }).map((one) => one.outerHTML)"""
STAGE = "() => document.querySelector('.stage-frame').getBoundingClientRect().width"
FOCUSED = "() => document.activeElement.id"


def test_every_button_of_the_bars_is_in_the_window_and_the_stage_is_no_stamp_nor_hidden_by_fields_on_a_tablet(
    edit, live_story, rendered
):
    factories.make_edition(live_story, rendered, language="fr")
    live_story.title = "The last ferry to Aldermoor and back again"
    live_story.save()
    page = edit(live_story)
    expect(page.locator(".save-state")).to_have_text("Saved")
    for size in [(390, 844), (768, 1024), (1024, 1366), (1030, 800)]:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        until(page, f"({STAGE})() >= {min(size[0], 460)}")
        assert page.evaluate(OUTSIDE) == [], size
        if size[0] <= 1024:
            page.get_by_role("button", name="More", exact=True).click()
            expect(page.get_by_role("menuitem", name="Editions")).to_be_in_viewport(ratio=1)
            page.keyboard.press("Escape")
    seen_beside_its_fields(page)


def seen_beside_its_fields(page: Page) -> None:
    """On an upright tablet one sees what one types."""
    page.set_viewport_size({"width": 768, "height": 1024})
    page.get_by_role("button", name="Edit", exact=True).click()
    expect(page.locator("#field-text")).to_be_visible()
    stage = shown_stage(page).locator(".text").first
    for width in (768, 1024):
        page.set_viewport_size({"width": width, "height": 1024})
        until(page, f"({STAGE})() >= 390 && ({STAGE})() <= {width - 352}")  # the fields are so wide
        page.locator("#field-text").fill(f"Seen while it is typed at {width}.")
        expect(stage).to_contain_text(f"Seen while it is typed at {width}.")
        expect(stage).to_be_in_viewport()


def test_on_a_phone_one_writes_from_the_title_to_the_last_scene_and_sees_the_words_above_the_keyboard(
    edit, ready_story
):
    ready_story.title = "Untitled"
    ready_story.save()
    ready_story.scenes.update(focus_x=0.4, focus_y=0.3)
    page = edit(ready_story, **PHONE)
    page.evaluate(KEYBOARD)  # before the first touch, with which comes what measures it
    page.get_by_role("button", name="Add a title").tap()
    expect(page.locator("#inspector h2")).to_have_text("The whole capsule")
    for list in ("#strip", ".covers"):  # with room above a head
        expect(page.locator(f"{list} img").first).to_have_css("object-position", "40% 10%")
    expect(page.locator("#field-title")).to_be_focused()
    page.keyboard.type("Four lights")
    expect(page.locator("body[data-typing]")).to_have_count(1)  # with which all moves, the button too
    turn = page.locator("#inspector").get_by_role("button", name="Next scene")
    turn.tap()
    expect(page.locator("#inspector h2")).to_contain_text("Scene 1 of 4")
    expect(page.locator("#field-text")).to_be_focused()
    expect(page.get_by_role("heading", name="Four lights")).to_be_visible()
    page.locator("#field-text").fill("Words 1.")
    turn.tap()
    expect(page.locator("#inspector h2")).to_contain_text("Scene 2 of 4")
    assert page.evaluate(FOCUSED) == "field-text"  # the keyboard stays
    saved(page)
    assert texts(ready_story)[0] == "Words 1."
    no_words_cover_the_fields(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="Done").tap()
    page.locator("#stage-head").get_by_role("button", name="Scene before").tap()
    the_stage_is_seen_above_the_words_while_they_are_typed(page)
    page.set_viewport_size({"width": 390, "height": 844})
    who_goes_offline_is_told_within_the_bar_beside_a_title_that_is_read(page)
    drag_by_a_resting_finger(page, ready_story)
    thumbs(page).first.tap()
    what_is_typed_in_stays_above_the_keyboard_with_three_lines_of_an_empty_text(page)


#: Whether two things are seen one over the other.
OVERLAPS = """() => {
  const [one, other] = ['#toast', '#inspector'].map((each) => document.querySelector(each).getBoundingClientRect());
  return one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top;
}"""


def no_words_cover_the_fields(page: Page) -> None:
    page.locator("#field-text").tap()
    expect(page.locator("body[data-typing]")).to_have_count(1)
    toast = page.locator("#toast")
    toast.evaluate("(one) => { one.textContent = 'Films are silent: the sound of this one is left out.'; }")
    for width, height in [(390, 844), (390, 480), (768, 1024), (1030, 800), (1440, 900)]:
        page.set_viewport_size({"width": width, "height": height})
        expect(toast).to_be_in_viewport(ratio=1)
        until(page, f"!({OVERLAPS})()")


STRIP = """() => {
  const {top, bottom, height, width} = document.querySelector('.stage-box').getBoundingClientRect();
  const covered = document.elementFromPoint(width / 2, (top + bottom) / 2)?.closest('.inspector');
  return {top, bottom, height, covered: Boolean(covered)};
}"""
PLACE = "(field) => { const {top, bottom} = field.getBoundingClientRect(); return {top, bottom}; }"
#: A keyboard that leaves 480 pixels of the window, which the browser has moved up by 60 to show the field; once
#: `withKeyboard` is set.
KEYBOARD = """() => {
  const whole = () => ({height: innerHeight, offsetTop: 0, scale: 1});
  const seen = Object.assign(new EventTarget(), whole());
  Object.defineProperty(window, 'visualViewport', {value: seen, configurable: true});
  const measure = () => {
    const isTyping = window.withKeyboard && document.activeElement.matches('textarea');
    Object.assign(seen, isTyping ? {height: 480, offsetTop: 60} : whole());
    seen.dispatchEvent(new Event('resize'));
  };
  addEventListener('focusin', measure);
  addEventListener('resize', measure);
}"""
IS_MEASURED = "document.documentElement.style.getPropertyValue('--seen') === '480px'"


def the_stage_is_seen_above_the_words_while_they_are_typed(page: Page) -> None:
    pane, edits = page.locator(".stage-pane"), page.locator("#foot").get_by_text("Edit")
    stage = shown_stage(page).locator(".text").first
    for height in (844, 480):
        page.set_viewport_size({"width": 390, "height": height})
        edits.tap()
        expect(pane).to_have_css("visibility", "hidden")
        page.locator("#field-text").tap()
        expect(pane).to_have_css("visibility", "visible")
        until(page, f"!({STRIP})().covered")
        until(page, f"document.getElementById('field-text').getBoundingClientRect().bottom <= {height}")
        strip, field = page.evaluate(STRIP), page.locator("#field-text").evaluate(PLACE)
        assert 0.2 * height < strip["height"] <= 0.31 * height, height
        assert strip["bottom"] <= field["top"], height
        page.locator("#field-text").fill(f"Seen while it is typed at {height}.")
        expect(stage).to_have_text(f"Seen while it is typed at {height}.")
        expect(stage).to_be_in_viewport()
        page.get_by_role("button", name="Done").tap()
        expect(edits).to_be_visible()
        expect(page.get_by_role("button", name="Next scene")).to_be_enabled()
        until(page, f"({STRIP})().height > {height} / 2")


LINES = "(field) => field.clientHeight / parseFloat(getComputedStyle(field).lineHeight)"


def what_is_typed_in_stays_above_the_keyboard_with_three_lines_of_an_empty_text(page: Page) -> None:
    text, field = page.locator("#field-text"), page.locator("#field-alt")
    expect(page.locator("#inspector h2")).to_contain_text("Scene 1 of 4")
    text.fill("")
    page.get_by_role("button", name="Done").focus()
    page.evaluate("window.withKeyboard = true")
    text.tap()
    until(page, IS_MEASURED)
    at_rest(text)
    head = page.locator("#inspector .inspector-head").evaluate(PLACE)
    label = page.locator("label[for=field-text]").evaluate(PLACE)
    assert text.evaluate(LINES) >= 3
    assert head["bottom"] <= label["top"] and text.evaluate(PLACE)["bottom"] <= 540
    field.tap()
    field.fill("A line.\n" * 12)
    until(page, IS_MEASURED)
    for number in [1, 2]:
        expect(page.locator("#inspector h2")).to_contain_text(f"Scene {number} of 4")
        at_rest(field)
        strip, place = page.evaluate(STRIP), field.evaluate(PLACE)
        assert strip["top"] >= 60 and strip["height"] > 100 and not strip["covered"], number
        assert strip["bottom"] < place["top"] and place["bottom"] <= 540, number
        assert page.evaluate(FOCUSED) == "field-alt", number
        page.locator("#inspector").get_by_role("button", name="Next scene").tap()


def who_goes_offline_is_told_within_the_bar_beside_a_title_that_is_read(page: Page) -> None:
    bar, title, state = page.locator("#bar"), page.locator(".bar-title"), page.locator(".save-state")
    title.tap()
    page.locator("#field-title").fill("The last ferry to Aldermoor and back again")
    saved(page)
    page.get_by_role("button", name="Done").tap()
    expect(title).to_have_text("The last ferry to Aldermoor and back again")
    height = bar.bounding_box()["height"]
    page.context.set_offline(True)
    page.locator("#foot").get_by_text("Edit").tap()
    page.locator("#field-text").fill("Typed without a connection.")
    expect(state).to_have_text("Offline: 1 change waits on this device")
    assert bar.bounding_box()["height"] == height
    assert title.evaluate("(it) => it.clientWidth") >= 72
    page.context.set_offline(False)
    page.get_by_role("button", name="Done").tap()
    saved(page)


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
