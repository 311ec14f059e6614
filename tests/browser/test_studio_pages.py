"""Every page of the studio and the main states of the editor: accessible, 320 pixels narrow, in forced colours."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product

import pytest
from PIL import ImageChops
from playwright.sync_api import Page, expect

from accounts.actors import Actor
from capsules.actions import scenes, trash
from capsules.models import Asset, Encode, Story
from tests.browser.test_studio import PATIENCE, PHONE, saved, story_title, thumbs, violations
from tests.browser.waiting import ready, until
from tests.support import factories
from tests.support.scenes import scenes_of

pytestmark = pytest.mark.django_db(transaction=True)

PAGES = [
    "{workspace}",
    "{workspace}?state=live",
    "{workspace}/trash",
    "{workspace}/media",
    "{workspace}/face",
    "stories/{story}",
    "stories/{story}/history",
    "stories/{story}/versions",
    "stories/{story}/editions",
    "stories/{story}/publish",
    "stories/{story}/trash",
    "stories/{story}/preview/1",
    "up/no-such-link",
]
#: How far the page is wider than the window.
OVERFLOW = "() => document.scrollingElement.scrollWidth - innerWidth"
#: What can be pressed and has neither a border nor an underline in forced colours, where backgrounds are taken away.
SHAPELESS = """() => [...document.querySelectorAll('.pill, .icon-button, .thumb')]
  .filter((one) => one.checkVisibility())
  .filter((one) => getComputedStyle(one).borderTopStyle === 'none' || !parseFloat(getComputedStyle(one).borderTopWidth))
  .map((one) => one.outerHTML.slice(0, 160))"""
FOCUSED = """() => {
  const {outlineStyle, outlineWidth} = getComputedStyle(document.activeElement);
  return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
}"""


@pytest.fixture
def pages(ready_story, north_shore, owner) -> list[str]:
    trash.trash_story(factories.make_draft(north_shore, title="Thrown away"), by=Actor.by_token(owner))
    return ["/studio/" + each.format(workspace=north_shore.pk, story=ready_story.pk) for each in PAGES]


def test_every_page_is_accessible_and_nothing_is_wider_than_320_pixels(studio, site, pages):
    page = studio("/studio", reduced_motion="reduce", bypass_csp=True)
    found: dict[str, list[str]] = {}
    for address in pages:
        page.set_viewport_size({"width": 320, "height": 700})
        page.goto(site + address)
        assert "/login/" not in page.url, address
        faults = [f"{page.evaluate(OVERFLOW)} pixels too wide"] if page.evaluate(OVERFLOW) > 0 else []
        faults += violations(page)
        page.set_viewport_size({"width": 1440, "height": 900})
        found[address] = faults + violations(page)
    assert {address: faults for address, faults in found.items() if faults} == {}


def test_an_edition_is_saved_where_its_reader_stands_and_the_page_says_so_there(
    studio, ready_story, rendered
):
    edition = factories.make_edition(ready_story, rendered, "de")
    first, *_, last = edition.scenes.all()
    page = studio(f"/studio/stories/{edition.pk}/editions", bypass_csp=True)
    address = page.url
    for width in (320, 1440):
        page.set_viewport_size({"width": width, "height": 700})
        page.goto(address)
        assert violations(page) == [] and page.evaluate(OVERFLOW) <= 0
        page.locator(f"#text-{first.key}").fill(f"Eins, {width}.")
        page.locator(f"#text-{last.key}").fill(f"Vier, {width}.")
        page.get_by_role("button", name=f"Save scene {edition.scenes.count()}").click()
        expect(page.get_by_text("Saved.", exact=True)).to_be_in_viewport()
        expect(page.locator(f"#scene-{last.key}")).to_be_in_viewport()
        texts = [scene.text for scene in edition.scenes.all()]
        assert (texts[0], texts[-1]) == (f"Eins, {width}.", f"Vier, {width}.")


#: What can be seen in the editor and reaches beyond the window; the page itself never scrolls, so it would be cut off.
CUT_OFF = """() => [...document.querySelectorAll('.editor-page, .editor-page *')]
  .filter((one) => one.checkVisibility({visibilityProperty: true}) && one.getBoundingClientRect().width)
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5)
  .map((one) => one.outerHTML.slice(0, 160))"""


def test_the_link_to_the_numbers_of_a_live_capsule_is_as_large_as_a_finger(studio, live_story):
    page = studio(f"/studio/stories/{live_story.pk}/publish", width=390)
    assert page.get_by_role("link", name="How it is read, in numbers").bounding_box()["height"] >= 24


def test_nothing_of_the_editor_is_cut_off_on_a_phone(edit, api, live_story):
    api.call("PATCH", f"/stories/{live_story.pk}", {"title": "The last ferry of the year to Aldermoor"})
    page = edit(live_story, **PHONE)
    expect(page.locator("#foot")).to_contain_text("Publish")  # the longest word that stands there
    for part in ("", "Edit", "Scenes"):
        if part:
            page.locator("#foot").get_by_text(part).tap()
        for width in (320, 390):
            page.set_viewport_size({"width": width, "height": 844})
            until(page, f"({CUT_OFF})().join() === ''")  # the stage takes its new size with the next drawing


def test_without_script_the_editor_is_a_page_of_forms(studio, ready_story):
    page = studio(f"/studio/stories/{ready_story.pk}", width=390, java_script_enabled=False)
    form = page.locator("form", has=page.get_by_role("heading", name="Scene 1"))
    form.locator("[name=text]").fill("Typed without script.")
    form.get_by_role("button", name="Save scene 1").click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    assert ready_story.scenes.get(position=0).text == "Typed without script."
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(OVERFLOW) <= 0, width
        expect(page.locator("#stage")).to_be_hidden()
    page.get_by_role("link", name="Publish").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Publish")


STATES: dict[str, Callable[[Page], None]] = {
    "check": lambda page: page.get_by_role("button", name=re.compile("Ready|Check|missing")).first.click(),
    "keys": lambda page: page.keyboard.press("?"),
    "publish": lambda page: page.keyboard.press("Control+Enter"),
    "library": lambda page: page.get_by_role("button", name="Media", exact=True).click(),
    "phone": lambda page: page.get_by_role("button", name="From your phone").click(),
}


def test_every_dialog_and_a_shown_error_are_accessible(edit, ready_story):
    page = edit(ready_story, reduced_motion="reduce", bypass_csp=True)
    found = {}
    for name, open_it in STATES.items():
        page.locator("#strip [role=option]").first.focus()
        open_it(page)
        expect(page.locator("#dialog")).to_be_visible()
        page.wait_for_load_state("networkidle")
        found[name] = violations(page)
        page.keyboard.press("Escape")
        expect(page.locator("#dialog")).to_be_hidden()
    page.get_by_role("button", name="The whole capsule").click()
    story_title(page).fill("")
    expect(page.locator("#field-title-fault")).to_be_visible(timeout=PATIENCE)
    found["error"] = violations(page)
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_forced_colours_keep_the_focus_and_the_buttons_visible(studio, site, pages):
    page = studio("/studio", forced_colors="active")
    for address in pages:
        page.goto(site + address)
        if address.count("/") == 3 and "stories" in address:
            ready(page)
        assert page.evaluate(SHAPELESS) == [], address
        for _ in range(6):
            page.keyboard.press("Tab")
            inside = page.evaluate("() => !['BODY', 'IFRAME'].includes(document.activeElement.tagName)")
            assert not inside or page.evaluate(FOCUSED), page.evaluate(
                "() => document.activeElement.outerHTML"
            )[:200]


def test_keys_that_come_faster_than_the_page_is_drawn_all_count(edit, ready_story):
    page = edit(ready_story)
    thumbs(page).first.focus()
    page.evaluate(
        """() => [1, 2].forEach(() => document.activeElement.dispatchEvent(
          new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true, cancelable: true})))"""
    )
    expect(thumbs(page).nth(2)).to_be_focused()


#: What moved by itself since the page began, and how far in the measure of browsers: 0.1 is still called good.
SHIFTS = """() => new Promise((told) => {
  const found = [];
  new PerformanceObserver((list) => found.push(...list.getEntries())).observe({type: 'layout-shift', buffered: true});
  setTimeout(() => told([found.reduce((sum, {value}) => sum + value, 0),
    found.flatMap(({sources}) => sources.map(({node}) => node?.id || node?.className))]), 1000);
})"""


def test_nothing_of_the_editor_moves_while_it_is_drawn(edit, ready_story):
    page = edit(ready_story)
    for size in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.reload()
        ready(page)
        far, moved = page.evaluate(SHIFTS)
        assert far < 0.01, (size, moved)


# --- The stage is the live page ----------------------------------------------------------------------------------


def test_the_stage_and_the_live_page_are_the_same_pixels(studio, two_capsules_and_an_edition, site):
    page = studio("/studio", bypass_csp=True)
    for (width, height), edition in product([(1280, 720), (390, 844)], ["", "classroom"]):
        page.set_viewport_size({"width": width, "height": height})
        story = two_capsules_and_an_edition[edition]
        stage = list(scenes_of(page, f"{site}/studio/stories/{story.pk}/frame"))
        live = list(scenes_of(page, f"{site}/north-shore/small-voyages?edition={edition}"))
        assert len(stage) == len(live) == 4
        for number, (one, other) in enumerate(zip(stage, live, strict=True)):
            # How the last bits of a pixel are rounded depends on the tiles that are drawn at once.
            seen = ImageChops.difference(one, other).point(lambda level: level if level > 8 else 0)
            assert seen.getbbox() is None, (width, edition, number)


@pytest.fixture
def two_capsules_and_an_edition(live_story, rendered, api) -> dict[str, Story]:
    """A live capsule by the name of each of its editions; its finale leads to the edition and to another capsule."""
    other = factories.make_story(live_story.workspace, rendered, title="What to read next")
    edition = factories.make_edition(live_story, rendered, "classroom")
    assert {api.publish(story).status_code for story in (other, edition)} == {200}
    return {"": live_story, "classroom": edition}


# --- When the service is away ------------------------------------------------------------------------------------


def test_a_publish_goes_on_by_itself_after_a_lost_connection(edit, ready_story, workers):
    page = edit(ready_story)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#dialog")).to_contain_text("Ready:", timeout=PATIENCE)
    lost = []

    def lose_the_first(route):
        lost.append(route.request.method)
        route.fetch() if len(lost) == 1 else None  # it arrives, its answer does not
        route.abort() if len(lost) == 1 else route.continue_()

    page.route("**/publication", lose_the_first)
    page.locator("#dialog").get_by_text("No email").click()
    page.locator("#dialog .pill-accent").click()
    expect(page.locator("#dialog")).to_contain_text("It is live", timeout=PATIENCE)
    assert lost == ["PUT", "PUT"]


def test_a_picture_is_on_the_stage_while_it_is_prepared(edit, ready_story):
    scene = ready_story.scenes.get(position=0)
    # Its thumbnail is there first.
    Asset.objects.filter(pk=scene.still_id).update(still_encode=scene.still_encode)
    Encode.objects.filter(pk=scene.still_encode_id).update(state=Encode.State.QUEUED)
    shown = edit(ready_story).frame_locator(".stage-frame").locator("[data-scene] picture img").first
    expect(shown).to_have_class("being-prepared")
    expect(shown).to_have_attribute("src", re.compile(r"/media/.+\.jpeg$"), timeout=PATIENCE)


def test_words_for_a_scene_that_is_gone_become_a_scene(edit, ready_story, owner):
    page = edit(ready_story)
    scene = ready_story.scenes.get(position=0)
    scenes.delete_scene(ready_story, scene.key, by=Actor.by_token(owner))
    page.locator("#field-text").fill("Words for nobody?")
    expect(page.locator("#toast")).to_contain_text("Your words are in a new one", timeout=PATIENCE)
    saved(page)
    assert "Words for nobody?" in ready_story.scenes.values_list("text", flat=True)


LOADED = """() => performance.getEntriesByType('resource').map(({name}) => name.split('/static/studio/')[1])
  .filter((name) => name?.endsWith('.js'))"""


def test_only_the_first_parts_of_the_script_come_before_anything_is_opened(edit, ready_story):
    page = edit(ready_story)
    page.wait_for_load_state("networkidle")
    first = set(page.evaluate(LOADED))
    assert "main.js" in first and "save.js" in first
    assert not first & {"dialogs.js", "publishing.js", "files.js", "transfer.js", "conflict.js", "focus.js"}
    page.locator("#field-text").press("a")
    page.wait_for_function(f"() => ({LOADED})().includes('publishing.js')")
