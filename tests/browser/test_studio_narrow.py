"""The editor on phones and upright tablets: everything is in the window, and one writes from scene to scene."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_studio import PHONE, saved, texts, thumbs
from tests.browser.waiting import ready, until
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
PICKED = "[...document.querySelectorAll('#strip img[src^=blob]')].map((picture) => picture.naturalWidth)"


def test_every_button_of_the_bars_is_in_the_window_and_the_stage_is_no_stamp(edit, live_story, rendered):
    factories.make_edition(live_story, rendered, language="fr")
    live_story.title = "The last ferry to Aldermoor and back again"
    live_story.save()
    page = edit(live_story)
    expect(page.locator(".save-state")).to_have_text("Saved")
    for size in [(390, 844), (768, 1024), (820, 1180), (1024, 1366), (1030, 800), (1180, 820)]:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        until(page, f"({STAGE})() >= {min(size[0], 460)}")
        assert page.evaluate(OUTSIDE) == [], size
        if size[0] <= 1024:
            page.get_by_role("button", name="More", exact=True).click()
            expect(page.get_by_role("menuitem", name="Editions")).to_be_in_viewport(ratio=1)
            page.keyboard.press("Escape")


#: The words of the bar at the foot that run out of their button.
RUN_OUT = """() => [...document.querySelectorAll('#foot a, #foot button')].filter((one) => {
  const words = document.createRange();
  words.selectNodeContents(one);
  const [inner, outer] = [words.getBoundingClientRect(), one.getBoundingClientRect()];
  return inner.left < outer.left || inner.right > outer.right || outer.right > innerWidth;
}).map((one) => one.textContent)"""


def test_the_words_at_the_foot_keep_apart_where_they_are_twice_as_large(edit, ready_story):
    page = edit(ready_story, **PHONE, bypass_csp=True)
    assert page.evaluate(RUN_OUT) == []
    page.add_style_tag(content="html { font-size: 200% }")
    assert page.evaluate(RUN_OUT) == []
    assert page.evaluate(OUTSIDE) == []


def test_on_an_upright_tablet_the_page_is_seen_beside_its_fields(edit, ready_story):
    page = edit(ready_story, width=768, height=1024)
    page.get_by_role("button", name="Edit", exact=True).click()
    expect(page.locator("#field-text")).to_be_visible()
    stage = page.frame_locator(".stage-dressed").locator(".text").first
    for width in (768, 1024):
        page.set_viewport_size({"width": width, "height": 1024})
        until(page, f"({STAGE})() >= 390")
        page.locator("#field-text").fill(f"Seen while it is typed at {width}.")
        expect(stage).to_contain_text(f"Seen while it is typed at {width}.")
        expect(stage).to_be_in_viewport()


def test_on_a_phone_the_keyboard_stays_from_scene_to_scene(edit, ready_story):
    page = edit(ready_story, **PHONE)
    page.locator("#foot").get_by_text("Edit").tap()
    page.locator("#field-text").tap()
    turn = page.locator("#inspector").get_by_role("button", name="Next scene")
    for number in range(1, 4):
        page.locator("#field-text").fill(f"Words {number}.")
        turn.tap()
        expect(page.locator("#inspector h2")).to_contain_text(f"Scene {number + 1} of 4")
        assert page.evaluate(FOCUSED) == "field-text"
    expect(turn).to_be_disabled()
    saved(page)
    assert texts(ready_story)[:3] == ["Words 1.", "Words 2.", "Words 3."]
    page.go_back()
    expect(page.locator("#inspector h2")).to_contain_text("Scene 3 of 4")
    expect(page.locator("#field-text")).to_be_visible()


def test_what_the_fields_cover_on_a_phone_is_not_there_for_keys_and_screen_readers(edit, ready_story):
    page = edit(ready_story, **PHONE)
    expect(page.get_by_role("button", name="Next scene")).to_have_count(1)
    page.locator("#foot").get_by_text("Edit").tap()
    expect(page.get_by_role("button", name="Next scene")).to_have_count(1)
    expect(page.locator("#inspector").get_by_role("button", name="Next scene")).to_be_visible()
    inside = "() => Boolean(document.activeElement.closest('.stage-pane'))"
    for _ in range(25):
        page.keyboard.press("Tab")
        assert not page.evaluate(inside)


def test_files_become_scenes_in_the_order_in_which_they_were_picked(edit, ready_story, tmp_path):
    page = edit(ready_story)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Replace picture").click()
    widths = {"c.png": 300, "a.png": 100, "b.png": 200}
    files = [factories.draw_picture(tmp_path / name, size=(width, 100)) for name, width in widths.items()]
    chooser.value.set_files(files)
    expect(thumbs(page).locator("img[src^='blob:']")).to_have_count(3)
    until(page, f"JSON.stringify({PICKED}) === '[300,100,200]'")


STRIP = """() => {
  const {top, bottom, height, width} = document.querySelector('.stage-box').getBoundingClientRect();
  const covered = document.elementFromPoint(width / 2, (top + bottom) / 2)?.closest('.inspector');
  return {top, bottom, height, covered: Boolean(covered)};
}"""
PLACE = "(field) => { const {top, bottom} = field.getBoundingClientRect(); return {top, bottom}; }"
#: A keyboard that leaves 480 pixels of the window, which the browser has moved up by 60 to show the field.
KEYBOARD = """() => {
  Object.defineProperty(window, 'visualViewport', {
    value: Object.assign(new EventTarget(), {height: innerHeight, offsetTop: 0, scale: 1}), configurable: true,
  });
  addEventListener('focusin', ({target}) => {
    if (target.matches('textarea')) Object.assign(visualViewport, {height: 480, offsetTop: 60});
    visualViewport.dispatchEvent(new Event('resize'));
  });
}"""


def fields_over_a_keyboard(edit, story) -> Page:
    """The fields of the first scene on a phone, whose keyboard comes up with a text."""
    page = edit(story, **PHONE)
    page.add_init_script(f"({KEYBOARD})()")
    page.reload()
    ready(page)
    page.locator("#foot").get_by_text("Edit").tap()
    return page


@pytest.mark.parametrize("height", [844, 480])
def test_the_stage_is_seen_above_the_words_while_they_are_typed_on_a_phone(edit, ready_story, height):
    page = edit(ready_story, **{**PHONE, "height": height})
    page.locator("#foot").get_by_text("Edit").tap()
    pane = page.locator(".stage-pane")
    expect(pane).to_have_css("visibility", "hidden")
    page.locator("#field-text").tap()
    expect(pane).to_have_css("visibility", "visible")
    until(page, f"!({STRIP})().covered")
    until(page, f"document.getElementById('field-text').getBoundingClientRect().bottom <= {height}")
    strip, field = page.evaluate(STRIP), page.locator("#field-text").evaluate(PLACE)
    assert 0.2 * height < strip["height"] <= 0.31 * height
    assert strip["bottom"] <= field["top"]
    stage = page.frame_locator(".stage-dressed").locator(".text").first
    page.locator("#field-text").fill("Seen while it is typed.")
    expect(stage).to_have_text("Seen while it is typed.")
    expect(stage).to_be_in_viewport()
    page.get_by_role("button", name="Done").tap()
    expect(page.locator("#foot").get_by_text("Edit")).to_be_visible()
    expect(page.get_by_role("button", name="Next scene")).to_be_enabled()
    until(page, f"({STRIP})().height > {height} / 2")


def test_what_is_typed_in_stays_above_the_keyboard_of_a_phone(edit, ready_story):
    page = fields_over_a_keyboard(edit, ready_story)
    field = page.locator("#field-alt")
    field.tap()
    field.fill("A line.\n" * 12)
    until(page, "document.documentElement.style.getPropertyValue('--seen') === '480px'")
    for number in [1, 2, 3]:
        expect(page.locator("#inspector h2")).to_contain_text(f"Scene {number} of 4")
        page.wait_for_timeout(300)
        strip, place = page.evaluate(STRIP), field.evaluate(PLACE)
        assert strip["top"] >= 60 and strip["height"] > 100 and not strip["covered"]
        assert strip["bottom"] < place["top"] and place["bottom"] <= 540, number
        assert page.evaluate(FOCUSED) == "field-alt"
        page.locator("#inspector").get_by_role("button", name="Next scene").tap()


LINES = "(field) => field.clientHeight / parseFloat(getComputedStyle(field).lineHeight)"


def test_three_lines_of_an_empty_text_are_seen_above_the_keyboard_of_a_phone(edit, ready_story):
    ready_story.scenes.update(text="")
    page = fields_over_a_keyboard(edit, ready_story)
    field = page.locator("#field-text")
    field.tap()
    until(page, "document.documentElement.style.getPropertyValue('--seen') === '480px'")
    page.wait_for_timeout(300)
    head = page.locator("#inspector .inspector-head").evaluate(PLACE)
    label = page.locator("label[for=field-text]").evaluate(PLACE)
    assert field.evaluate(LINES) >= 3
    assert head["bottom"] <= label["top"] and field.evaluate(PLACE)["bottom"] <= 540


def test_a_title_is_one_tap_away_on_a_phone_and_the_first_words_one_more(edit, ready_story):
    ready_story.title = "Untitled"
    ready_story.save()
    page = edit(ready_story, **PHONE)
    page.get_by_role("button", name="Add a title").tap()
    expect(page.locator("#inspector h2")).to_have_text("The whole capsule")
    expect(page.locator("#field-title")).to_be_focused()
    page.keyboard.type("Four lights")
    page.locator("#inspector").get_by_role("button", name="Next scene").tap()
    expect(page.locator("#inspector h2")).to_contain_text("Scene 1 of 4")
    expect(page.locator("#field-text")).to_be_focused()
    expect(page.get_by_role("heading", name="Four lights")).to_be_visible()


def test_whoever_is_done_with_the_title_is_where_they_were_before(edit, ready_story):
    page = edit(ready_story, **PHONE)
    page.get_by_role("button", name="Next scene").tap()
    page.locator(".bar-title").tap()
    page.get_by_role("button", name="Done").tap()
    expect(page.locator("#stage-head .turn span")).to_have_text("2 / 4")
    page.locator("#foot").get_by_text("Edit").tap()
    expect(page.locator("#inspector h2")).to_contain_text("Scene 2 of 4")


def test_the_strip_above_the_words_is_not_there_for_keys_and_screen_readers(edit, ready_story):
    page = edit(ready_story, **PHONE)
    page.locator("#foot").get_by_text("Edit").tap()
    page.locator("#field-title").tap()
    expect(page.locator("body[data-typing]")).to_have_count(1)
    expect(page.get_by_role("button", name="Next scene")).to_have_count(1)
    inside = "() => Boolean(document.activeElement.closest('.stage-pane'))"
    for _ in range(25):
        page.keyboard.press("Tab")
        assert not page.evaluate(inside)


def test_on_a_phone_the_first_step_stands_in_the_middle_of_the_stage(edit, ready_story):
    ready_story.scenes.all().delete()
    ready_story.title = "Untitled"
    ready_story.save()
    page = edit(ready_story, **PHONE)
    box, stage = (page.locator(name).bounding_box() for name in (".stage-start-box", "#stage-start"))
    assert box["width"] > 300
    for start, side in (("x", "width"), ("y", "height")):
        assert box[start] + box[side] / 2 == pytest.approx(stage[start] + stage[side] / 2, abs=1)


#: Whether two things are seen one over the other.
OVERLAPS = """() => {
  const [one, other] = ['#toast', '#inspector'].map((each) => document.querySelector(each).getBoundingClientRect());
  return one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top;
}"""


def test_what_the_editor_says_does_not_cover_what_one_writes_in(edit, ready_story):
    page = edit(ready_story, **PHONE)
    page.locator("#foot").get_by_text("Edit").tap()
    page.locator("#field-text").tap()
    expect(page.locator("body[data-typing]")).to_have_count(1)
    toast = page.locator("#toast")
    toast.evaluate("(one) => { one.textContent = 'Films are silent: the sound of this one is left out.'; }")
    for width, height in [(390, 844), (390, 480), (768, 1024), (1030, 800), (1440, 900)]:
        page.set_viewport_size({"width": width, "height": height})
        expect(toast).to_be_in_viewport(ratio=1)
        until(page, f"!({OVERLAPS})()")


@pytest.mark.parametrize("title", ["Ferry", "The last ferry to Aldermoor and back again"])
def test_who_goes_offline_on_a_phone_is_told_within_the_bar_beside_a_title_that_is_read(
    edit, ready_story, title
):
    ready_story.title = title
    ready_story.save()
    page = edit(ready_story, **PHONE)
    bar = page.locator("#bar")
    height = bar.bounding_box()["height"]
    page.context.set_offline(True)
    page.locator("#foot").get_by_text("Edit").tap()
    page.locator("#field-text").fill("Typed without a connection.")
    state = page.locator(".save-state")
    expect(state).to_have_text("Offline: 1 change waits on this device")
    assert bar.bounding_box()["height"] == height
    title = page.locator(".bar-title")
    assert title.evaluate("(it) => it.scrollWidth <= it.clientWidth || it.clientWidth >= 72")
