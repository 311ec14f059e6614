"""The studio in a real browser: from three photographs to a live page, and that nobody loses a word on the way."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from capsules.models import Revision, Story
from tests.browser import axe
from tests.browser.waiting import Held, ready, until
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)
PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}
PATIENCE = 30_000  # ms


def saved(page: Page) -> None:
    """Waits until the service has everything that was typed."""
    page.keyboard.press("Control+s")
    expect(page.locator(".save-state")).to_have_attribute("data-state", "saved", timeout=PATIENCE)


def texts(story: Story) -> list[str]:
    return [scene.text for scene in story.scenes.all()]


def thumbs(page: Page):
    return page.locator("#strip [role=option]")


def open_scene(page: Page, number: int) -> None:
    """Chooses a scene and waits until its fields are there: before, they are those of another scene."""
    thumbs(page).nth(number).click()
    expect(page.locator("#inspector h2")).to_contain_text(f"Scene {number + 1} of", timeout=PATIENCE)


def story_title(page: Page) -> Locator:
    """The field of the whole capsule: the heading of a scene, which it replaces, has the same id."""
    return page.get_by_role("textbox", name="Title", exact=True)


def publish(page: Page) -> None:
    """Goes through the dialog; no email mode is chosen before a person chooses one."""
    page.locator(".bar .pill-accent:visible, .foot a:visible").first.click()
    expect(page.locator("#dialog")).to_contain_text("Ready:", timeout=PATIENCE)
    button = page.locator("#dialog .pill-accent")
    expect(button).to_have_text("Choose what subscribers get")
    button.click()
    expect(page.locator("#dialog input[name=mode]").first).to_be_focused()
    assert page.locator("#dialog input[name=mode]:checked").count() == 0
    page.locator("#dialog").get_by_text("A teaser").click()
    expect(button).to_have_text("Publish and email 3")
    button.click()
    expect(page.locator("#dialog")).to_contain_text("It is live", timeout=PATIENCE)


def test_the_first_step_takes_photographs_and_films_and_covers_the_stage_only_until_there_are_words(studio):
    page = studio("/studio/new")
    page.get_by_role("button", name="Start with photographs").click()
    ready(page)
    expect(page.locator("#stage-start")).to_contain_text("Begin with photographs")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose photographs").click()
    accepted = chooser.value.element.get_attribute("accept").split(",")
    assert {"image/jpeg", "video/mp4", "video/quicktime"} <= set(accepted)
    assert chooser.value.is_multiple()
    stands_in_the_middle_of_a_phone(page)
    middle = "() => document.elementFromPoint(720, 600)?.closest('.stage-start, .stage-box')?.className"
    assert page.evaluate(middle) == "stage-start covering"
    page.locator("#field-text").fill("First the words.")
    expect(page.locator("#stage-start")).not_to_have_class(re.compile("covering"))
    expect(page.frame_locator("iframe.stage-frame").first.locator(".text").first).to_be_visible()


def stands_in_the_middle_of_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    box, stage = (page.locator(name).bounding_box() for name in (".stage-start-box", "#stage-start"))
    assert box["width"] > 300
    for start, side in (("x", "width"), ("y", "height")):
        assert box[start] + box[side] / 2 == pytest.approx(stage[start] + stage[side] / 2, abs=1), side
    page.set_viewport_size({"width": 1440, "height": 900})


def test_a_photograph_is_shown_at_once_and_a_reload_does_not_lose_it(studio, workers, photographs):
    page = studio("/studio/new")
    page.get_by_role("button", name="Start with photographs").click()
    ready(page)
    page.route("**/uploads/*/content", lambda route: route.abort())
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose photographs").click()
    chooser.value.set_files(photographs)
    expect(thumbs(page).locator("img[src^='blob:']")).to_have_count(3)
    saved(page)
    page.unroute("**/uploads/*/content")
    page.reload()
    ready(page)
    for number in range(3):
        open_scene(page, number)
        expect(page.locator("#field-still")).to_have_text("Replace picture", timeout=PATIENCE)
    saved(page)
    assert Story.objects.latest("created_at").scenes.filter(still=None).count() == 0


def test_photographs_that_fall_on_the_stage_become_scenes_also_while_it_has_no_page(
    edit, ready_story, photographs
):
    page = edit(ready_story)
    expect(page.frame_locator(".stage-dressed").locator("h1").first).to_be_visible()
    drop(page, photographs[:2])
    expect(thumbs(page)).to_have_count(6)
    saved(page)
    open_scene(page, 0)  # which has a picture
    held = Held(page, "**/frame*")
    page.reload(wait_until="commit")
    ready(page)
    expect(thumbs(page)).to_have_count(6)
    held.get()
    drop(page, photographs[:2])
    expect(thumbs(page)).to_have_count(8)
    held.let_go()


def drop(page: Page, files: list[str]) -> None:
    """Lets files of the device fall on the middle of the window."""
    browser = page.context.new_cdp_session(page)
    data = {"items": [], "files": files, "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        browser.send("Input.dispatchDragEvent", {"type": kind, "x": 720, "y": 450, "data": data})


def test_a_capsule_that_lacks_something_leads_to_the_field(edit, north_shore):
    page = edit(factories.make_draft(north_shore, scenes=3))
    page.get_by_role("link", name="Publish").first.click()
    expect(page.locator("#dialog")).to_contain_text("Some things are missing")
    page.locator("#dialog").get_by_text("Scene 2: This scene has no picture.").click()
    expect(page.locator("#field-still")).to_be_focused()
    expect(page.locator("#inspector")).to_contain_text("Scene 2 of 3")


# --- Nobody loses a word ---------------------------------------------------------------------------------------


#: The scripts of the editor that were fetched.
LOADED = """() => performance.getEntriesByType('resource').map(({name}) => name.split('/static/studio/')[1])
  .filter((name) => name?.endsWith('.js'))"""


def test_typed_words_fetch_what_writes_and_are_on_the_stage_at_once_and_on_the_service_soon(
    edit, ready_story
):
    page = edit(ready_story)
    page.wait_for_load_state("networkidle")
    first = set(page.evaluate(LOADED))
    assert "main.js" in first and "save.js" in first
    assert not first & {"dialogs.js", "publishing.js", "files.js", "transfer.js", "conflict.js", "focus.js"}
    stage = page.frame_locator("iframe.stage-frame").first
    expect(stage.locator(".text").first).to_be_visible()
    paragraphs = stage.locator(".text").first.locator("p")
    page.locator("#field-text").fill("The first word fetches what writes on the stage.")
    expect(paragraphs).to_have_text("The first word fetches what writes on the stage.", timeout=PATIENCE)
    page.locator("#field-text").press("a")  # the first key brings all other parts
    until(page, f"({LOADED})().includes('publishing.js')")
    page.locator("#field-text").fill("Typed <b>just</b> now.\n\nAnd a second paragraph.")
    expect(paragraphs).to_have_text(["Typed <b>just</b> now.", "And a second paragraph."], timeout=1000)
    saved(page)
    assert texts(ready_story)[0] == "Typed <b>just</b> now.\n\nAnd a second paragraph."
    assert [line for line in page.complaints if "Content Security" in line] == []


def test_words_written_while_signed_out_are_saved_after_signing_in_again(
    edit, site, client, owner, ready_story
):
    page = edit(ready_story)
    expect(page.locator(".save-state")).to_have_text("Saved")
    page.context.clear_cookies()
    page.evaluate("() => { performance.mark('out'); }")
    from django.contrib.sessions.models import Session

    Session.objects.all().delete()
    page.locator("#field-text").fill("Written after the session ended.")
    expect(page.locator(".save-state")).to_contain_text("You are signed out", timeout=PATIENCE)
    client.force_login(owner)
    page.context.add_cookies(
        [{"name": name, "value": cookie.value, "url": site} for name, cookie in client.cookies.items()]
    )
    expect(page.locator(".save-state")).to_have_attribute("data-state", "saved", timeout=PATIENCE)
    assert texts(ready_story)[0] == "Written after the session ended."


def test_two_people_in_different_scenes_and_fields_never_meet_a_conflict(edit, ready_story):
    one, two = edit(ready_story, "owner"), edit(ready_story, "editor")
    one.locator("#field-text").fill("The owner's words.")
    two.locator("#field-title").fill("The editor's heading")
    saved(one)
    saved(two)
    open_scene(two, 1)
    two.locator("#field-text").fill("Scene two by the editor.")
    saved(two)
    scene = ready_story.scenes.get(position=0)
    assert (scene.text, scene.title) == ("The owner's words.", "The editor's heading")
    assert texts(ready_story)[1] == "Scene two by the editor."
    assert one.locator(".conflict").count() == two.locator(".conflict").count() == 0


def test_two_people_in_one_field_get_a_card_with_both_texts(edit, ready_story, person):
    one, two = edit(ready_story, "owner"), edit(ready_story, "editor")
    two.context.set_offline(True)  # writes before it hears of the other
    two.locator("#field-text").fill("The lake was wild.")
    one.locator("#field-text").fill("The lake was calm.")
    saved(one)
    two.context.set_offline(False)
    two.keyboard.press("Control+s")
    card = two.locator(".conflict")
    expect(card).to_contain_text("The lake was calm.", timeout=PATIENCE)
    expect(card).to_contain_text("The lake was wild.")
    expect(card.get_by_role("heading")).to_have_text(
        f"{person('owner').get_full_name()} changed the text too"
    )
    kept = Revision.objects.get(story=ready_story, kind=Revision.Kind.CONFLICT)
    assert kept.content["scenes"][0]["text"] == "The lake was wild."
    two.get_by_role("button", name="Keep mine").click()
    saved(two)
    assert texts(ready_story)[0] == "The lake was wild."


def test_the_card_of_a_conflict_comes_into_view_of_whoever_types_on_a_phone(edit, ready_story):
    one, two = edit(ready_story, "owner"), edit(ready_story, "editor", **PHONE)
    late = Held(two, "**/typing*.js")  # which keeps the field in view
    two.locator("#foot").get_by_text("Edit").tap()
    two.context.set_offline(True)  # writes before it hears of the other
    two.locator("#field-alt").fill("A wild lake.")
    one.locator("#field-alt").fill("A calm lake.")
    saved(one)
    two.context.set_offline(False)
    two.keyboard.press("Control+s")
    expect(two.locator(".conflict")).to_be_in_viewport(ratio=0.95, timeout=PATIENCE)
    late.let_go()
    two.wait_for_selector("body[data-typing]", state="attached")
    two.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(two.locator(".conflict")).to_be_in_viewport(ratio=0.95)
    expect(two.locator("#polite")).to_contain_text("This was changed elsewhere, too.")


def test_a_slow_line_never_makes_a_person_conflict_with_themselves(edit, ready_story):
    page = edit(ready_story)

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


# --- Order, undo, roles, access --------------------------------------------------------------------------------


def test_a_viewer_reads_everything_and_can_change_nothing(edit, ready_story):
    page = edit(ready_story, "viewer")
    expect(page.locator("#field-text")).to_have_attribute("readonly", "")
    assert page.get_by_role("button", name="Add a scene").count() == 0
    assert page.get_by_role("link", name="Publish").count() == 0
    expect(page.locator("#stage-head")).to_contain_text("ask an owner")
    taken = """(scene, key) => !scene.dispatchEvent(
      new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}))"""
    scene = page.locator("#strip [data-scene]").nth(1)
    assert [scene.evaluate(taken, key) for key in ("n", "d", "m", "Delete", "Backspace")] == [False] * 5
    assert [scene.evaluate(taken, key) for key in ("ArrowUp", "End", "Enter")] == [True] * 3


def violations(page: Page) -> list[str]:
    return axe.violations(page, label_content_name_mismatch=True)
