"""Play: the reader and the embed go on by themselves, and stop for whoever takes part."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from publishing.pages import reading
from tests.browser.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/north-shore/small-voyages"
QUICK = (
    "(seconds) => document.querySelectorAll('.scene').forEach((one) => { one.dataset.seconds = seconds; })"
)
SCENE = "document.querySelector('[aria-current=step]').hash"
#: The second long enough to be seen, the others soon over.
BRIEF = "() => document.querySelectorAll('.scene').forEach((it, n) => { it.dataset.seconds = n === 1 ? 5 : 0.2; })"
MARK = "document.getAnimations().find((each) => each.effect.pseudoElement === '::after')"
TIME = f"{MARK}?.effect.getComputedTiming().progress"


def test_it_goes_on_to_the_end_by_itself_and_stops_there_and_shows_a_high_scene_to_its_foot(
    site, live_story, open_tab
):
    page = open_tab(site + PATH, width=640, height=400, plays=False, reduced_motion="reduce").page
    page.evaluate(BRIEF)
    page.get_by_role("button", name="Play all scenes").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    until(page, f"{SCENE} === '#scene-2'")
    until(page, f"{TIME} > 0")  # its bar grows
    until(page, f"{SCENE} === '#scene-4'")
    expect(page.get_by_role("button", name="Play all scenes")).to_be_visible()
    assert page.evaluate(f"{TIME} ?? null") is None

    page.keyboard.press("Home")
    until(page, f"{SCENE} === '#scene-1'")
    page.evaluate(
        "document.querySelector('.scene .text').textContent = 'Every word of it is read. '.repeat(60)"
    )
    page.evaluate(QUICK, 3)
    page.evaluate(
        "window.least = 1e9; addEventListener('scroll', () => {"
        f" if ({SCENE} !== '#scene-1') return;"
        " least = Math.min(least, document.querySelector('.scene').getBoundingClientRect().bottom - innerHeight); })"
    )
    page.get_by_role("button", name="Play all scenes").click()
    until(page, f"{SCENE} === '#scene-2'")
    assert page.evaluate("least") < 5


HANDS = {
    "Space": lambda page: page.keyboard.press("Space"),
    "the wheel": lambda page: page.mouse.wheel(0, 2),
    "a press": lambda page: page.mouse.click(300, 200),
    "its button by key": lambda page: page.get_by_role("button", name="Stop").press("Enter"),
}


def test_its_time_stands_still_while_nobody_sees_it_and_whatever_the_reader_does_stops_it(
    site, live_story, open_tab
):
    page = open_tab(site + PATH, width=640, height=400, plays=False).page
    page.evaluate(QUICK, 30)
    page.get_by_role("button", name="Play all scenes").click()
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {value: true, configurable: true});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    page.evaluate(f"{MARK}.ready.then(() => true)")  # a pause holds from the next frame on
    before = page.evaluate(TIME)
    page.wait_for_timeout(500)
    assert page.evaluate(TIME) == before
    page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    until(page, f"{TIME} > {before}")

    page.get_by_role("button", name="Stop").click()
    for hand, take_part in HANDS.items():
        page.get_by_role("button", name="Play all scenes").click()
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        page.mouse.move(320, 210)
        if not hand.startswith("its"):
            page.evaluate("document.activeElement.blur()")
        take_part(page)
        expect(page.get_by_role("button", name="Play all scenes"), hand).to_be_visible()
        if hand == "Space":  # which scrolls a page else; a playing one has moved a little
            page.wait_for_timeout(300)
            assert page.evaluate("scrollY") < 200
        page.evaluate("scrollTo({top: 0, behavior: 'instant'})")


@pytest.mark.parametrize(
    "words, film, seconds",
    [(1, None, 4), (100, None, 30), (1, 9.3, 10), (100, 9.3, 30)],
)
def test_a_scene_is_shown_until_its_words_are_read_and_its_film_is_seen(words, film, seconds):
    scene = {"title": "", "text": "word " * words, "film": {"mp4": {"duration": film}} if film else None}
    content = {"title": "", "summary": ""}
    assert reading.seconds_of(content, scene, is_first=False) == seconds


def test_japanese_is_read_by_its_letters():
    assert reading.words_in("港の船は夕方に出る。" * 10) == pytest.approx(40)
    assert reading.words_in("The ship leaves") == 3


# --- The marks of the embed, and fingers ---


def test_the_marks_of_an_embed_can_be_pressed_and_it_plays(site, live_story, open_tab):
    tab = open_tab(f"{site}{PATH}/embed", width=280, height=350, reduced_motion="reduce")
    mark = tab.page.get_by_role("link", name="Scene 3: Scene 3")
    address = tab.page.url
    for width, height in ((280, 350), (800, 450)):
        tab.page.set_viewport_size({"width": width, "height": height})
        tab.page.keyboard.press("Home")
        expect(tab.page.get_by_text("This is scene 1 of")).to_be_in_viewport()
        box = mark.bounding_box()
        assert box["width"] >= 24 and box["height"] >= 24, width
        mark.click()
        expect(tab.page.get_by_text("This is scene 3 of")).to_be_in_viewport()
        expect(mark).to_have_attribute("aria-current", "step")
        assert tab.page.url == address, "Back leads out of the page around, not through the deck"
    tab.page.evaluate(BRIEF)
    tab.page.get_by_role("button", name="Play all scenes").click()
    until(tab.page, f"{SCENE} === '#scene-4'")
    assert tab.complaints == []
