"""The studio in a real browser: from three photographs to a live page, and that nobody loses a word on the way."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from capsules.models import Revision, Story
from tests.browser import axe
from tests.browser.waiting import Held, ready, shown_stage, until

pytestmark = pytest.mark.django_db(transaction=True)
PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}


def saved(page: Page) -> None:
    """Waits until the service has everything that was typed."""
    page.keyboard.press("Control+s")
    expect(page.locator(".save-state")).to_have_attribute("data-state", "saved")


def texts(story: Story) -> list[str]:
    return [scene.text for scene in story.scenes.all()]


def thumbs(page: Page):
    return page.locator("#strip [role=option]")


def open_scene(page: Page, number: int) -> None:
    """Chooses a scene and waits until its fields are there: before, they are those of another scene."""
    thumbs(page).nth(number).click()
    expect(page.locator("#inspector h2")).to_contain_text(f"Scene {number + 1} of")


def story_title(page: Page) -> Locator:
    """The field of the whole capsule: the heading of a scene, which it replaces, has the same id."""
    return page.get_by_role("textbox", name="Title", exact=True)


#: Returns once no other page has come to the stage for a second: what falls while one takes its place is lost.
STEADY = """() => new Promise((then) => {
  let since = performance.now();
  const look = () => {
    if (document.querySelector('.stage-next')) since = performance.now();
    if (performance.now() - since > 1000) then();
    else setTimeout(look, 50);
  };
  look();
})"""


def test_pictures_become_scenes_where_they_fall_on_a_stage_with_and_without_a_page_and_a_mouse_moves_one(
    studio, site, ready_story, photographs
):
    page = studio("/robots.txt")
    held = Held(page, "**/frame*")
    page.goto(f"{site}/studio/stories/{ready_story.pk}", wait_until="commit")
    ready(page)
    held.get()
    drop(page, photographs[:2])
    expect(thumbs(page)).to_have_count(6)
    held.let_go()
    open_scene(page, 0)  # which has a picture
    expect(shown_stage(page).locator("h1").first).to_be_visible()
    saved(page)
    page.evaluate(STEADY)
    drop(page, photographs[:2])
    expect(thumbs(page)).to_have_count(8)
    saved(page)
    hold(page, 0)
    pull(page, 2)
    page.mouse.up()
    expect(page.locator("#polite")).to_contain_text("moved to position 3")


def drop(page: Page, files: list[str]) -> None:
    """Lets files of the device fall on the middle of the window."""
    browser = page.context.new_cdp_session(page)
    data = {"items": [], "files": files, "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        browser.send("Input.dispatchDragEvent", {"type": kind, "x": 720, "y": 450, "data": data})


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


# --- Nobody loses a word ---------------------------------------------------------------------------------------


#: The scripts of the editor that were fetched.
LOADED = """() => performance.getEntriesByType('resource').map(({name}) => name.split('/static/studio/')[1])
  .filter((name) => name?.endsWith('.js'))"""


def test_a_slow_line_makes_no_conflict_with_oneself_the_stage_shows_words_at_once_and_two_people_meet_in_one_field(
    edit, ready_story, person
):
    page = edit(ready_story)
    typed_words_fetch_what_writes_and_are_on_the_stage_at_once(page)
    assert texts(ready_story)[0] == "Typed <b>just</b> now.\n\nAnd a second paragraph."

    def late(route):
        page.wait_for_timeout(400)
        route.continue_()

    page.route(re.compile(r"/scenes/"), late)
    for number in range(12):
        page.locator("#field-text").fill(f"Draft number {number} of the same words.")
        page.wait_for_timeout(150)
    page.locator("#field-title").fill("At the end")
    saved(page)
    assert page.locator(".conflict").count() == 0
    assert texts(ready_story)[0] == "Draft number 11 of the same words."
    assert not Revision.objects.filter(kind=Revision.Kind.CONFLICT).exists()
    page.unroute_all()
    other = edit(ready_story, "editor", **PHONE)
    meet_in_one_field_alone_and_get_a_card_with_both_texts(
        page, other, ready_story, person("owner").get_full_name()
    )
    assert [line for line in page.complaints if "Content Security" in line] == []


def typed_words_fetch_what_writes_and_are_on_the_stage_at_once(page: Page) -> None:
    page.wait_for_load_state("networkidle")
    first = set(page.evaluate(LOADED))
    assert "main.js" in first and "save.js" in first
    assert not first & {"dialogs.js", "publishing.js", "files.js", "transfer.js", "conflict.js", "focus.js"}
    stage = page.frame_locator("iframe.stage-frame").first
    expect(stage.locator(".text").first).to_be_visible()
    paragraphs = stage.locator(".text").first.locator("p")
    page.locator("#field-text").fill("The first word fetches what writes on the stage.")
    expect(paragraphs).to_have_text("The first word fetches what writes on the stage.")
    page.locator("#field-text").press("a")  # the first key brings all other parts
    until(page, f"({LOADED})().includes('publishing.js')")
    page.locator("#field-text").fill("Typed <b>just</b> now.\n\nAnd a second paragraph.")
    expect(paragraphs).to_have_text(["Typed <b>just</b> now.", "And a second paragraph."], timeout=1000)
    saved(page)


def meet_in_one_field_alone_and_get_a_card_with_both_texts(
    one: Page, two: Page, story: Story, owner: str
) -> None:
    """Which the second, on a phone, sees at once."""
    late = Held(two, "**/typing*.js")  # which keeps the field in view
    two.locator("#foot").get_by_text("Edit").tap()
    one.locator("#field-text").fill("The owner's words.")
    two.locator("#field-title").fill("The editor's heading")
    saved(one)
    saved(two)
    scene = story.scenes.get(position=0)
    assert (scene.text, scene.title) == ("The owner's words.", "The editor's heading")
    assert one.locator(".conflict").count() == two.locator(".conflict").count() == 0
    two.context.set_offline(True)  # writes before it hears of the other
    two.locator("#field-alt").fill("A wild lake.")
    one.locator("#field-alt").fill("A calm lake.")
    saved(one)
    two.context.set_offline(False)
    two.keyboard.press("Control+s")
    shows_both_texts_above_the_field(two, late, owner)
    kept = Revision.objects.filter(story=story, kind=Revision.Kind.CONFLICT).latest("number")
    assert kept.content["scenes"][0]["alt"] == "A wild lake."
    two.get_by_role("button", name="Keep mine").tap()
    saved(two)
    assert story.scenes.get(position=0).alt == "A wild lake."


def shows_both_texts_above_the_field(page: Page, late: Held, who: str) -> None:
    card = page.locator(".conflict")
    expect(card).to_be_in_viewport(ratio=0.95)
    late.let_go()
    page.wait_for_selector("body[data-typing]", state="attached")
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(card).to_be_in_viewport(ratio=0.95)
    expect(page.locator("#polite")).to_contain_text("This was changed elsewhere, too.")
    expect(card.get_by_role("heading")).to_have_text(f"{who} changed the alternative text too")
    expect(card).to_contain_text("A calm lake.")
    expect(card).to_contain_text("A wild lake.")


def violations(page: Page) -> list[str]:
    return axe.violations(page, label_content_name_mismatch=True)
