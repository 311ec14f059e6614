"""Files on their way to a scene, and in it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from capsules.models import Asset, Encode, Story
from tests.browser.axe import violations
from tests.browser.test_studio import PHONE, open_scene
from tests.browser.waiting import at_rest, come, shown_stage, until
from tests.support import factories, media_files

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def story(north_shore):
    return factories.make_draft(north_shore, scenes=2)


@pytest.fixture
def film(tmp_path) -> str:
    made = media_files.film(tmp_path, size="320x180", rate=10, seconds=2)
    return str(made.rename(tmp_path / "ferry.mp4"))


def send(page: Page, file: str) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add a film").click()
    chooser.value.set_files(file)


def test_what_somebody_takes_long_to_choose_arrives_though_the_browser_tidies_its_memory(edit, story, film):
    page = edit(story)
    open_scene(page, 1)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Page.setInterceptFileChooserDialog", {"enabled": True})
    asked: list[dict] = []
    devtools.on("Page.fileChooserOpened", lambda event: asked.append(event))
    devtools.send("Page.enable")
    page.get_by_role("button", name="Add a film").click()
    node = come(page, asked)["backendNodeId"]
    devtools.send("HeapProfiler.collectGarbage")
    devtools.send("DOM.setFileInputFiles", {"files": [film], "backendNodeId": node})
    expect(page.locator("#inspector .upload")).to_contain_text("is being checked")


def test_a_film_is_shown_at_once_arrives_in_its_scene_beside_words_and_a_part_of_it_is_chosen(
    edit, story, film, request
):
    page = edit(story)
    open_scene(page, 1)
    send(page, film)
    until(
        page, "document.querySelectorAll('#strip img')[0]?.currentSrc.startsWith('blob:')"
    )  # a frame of its own
    page.locator("#field-text").fill("Written while the film was on its way.")
    expect(page.locator("#inspector .upload")).to_contain_text("is being checked")
    request.getfixturevalue("workers")
    expect(page.locator("#inspector .media-field")).to_contain_text("Film: ferry.mp4")
    expect(page.locator("#inspector .upload")).to_have_count(0)
    expect(page.locator(".save-state")).to_have_attribute("data-state", "saved")
    scene = story.scenes.get(position=1)
    assert (scene.film.filename, scene.text) == ("ferry.mp4", "Written while the film was on its way.")
    assert scene.still == scene.film.posters.get()
    a_part_is_chosen_on_its_frames(page, story)


def a_part_is_chosen_on_its_frames(page: Page, story: Story) -> None:
    """And the still follows."""
    page.get_by_text("Look: where words and picture stand").click()
    loaded = "() => document.querySelector('.trim-frames img')?.naturalWidth > 500"
    page.wait_for_function(loaded)
    assert violations(page, "fieldset:has(.trim)") == []
    page.set_viewport_size({"width": 390, "height": 900})
    page.emulate_media(color_scheme="light")
    page.get_by_role("button", name="Edit", exact=True).click()
    strip, begins = page.locator(".trim"), page.get_by_role("slider", name="Begins")
    first = story.scenes.get(position=1).still
    begins.scroll_into_view_if_needed()
    box = at_rest(strip)
    page.mouse.move(box["x"] + 12, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    expect(begins).to_have_attribute("aria-valuetext", re.compile(r"^(0\.9|1\.[01]) seconds$"))
    expect(page.locator(".save-state")).to_have_attribute("data-state", "saved")
    scene = story.scenes.get(position=1)
    assert scene.still != first and scene.still.taken_at == scene.trim_start
    strip.scroll_into_view_if_needed()  # elsewhere a bar may stand over half of a field
    assert violations(page, "fieldset:has(.trim)") == []


def test_a_picture_is_on_the_stage_while_it_is_prepared_and_nothing_moves_under_a_finger_once_it_is_ready(
    edit, north_shore, rendered
):
    story = factories.make_story(north_shore, rendered, scenes=1)
    scene = story.scenes.get()
    Asset.objects.filter(pk=scene.still_id).update(
        still_encode=scene.still_encode
    )  # its thumbnail comes first
    Encode.objects.filter(pk=scene.still_encode_id).update(state=Encode.State.QUEUED)
    page = edit(story, **PHONE)
    shown = shown_stage(page).locator("[data-scene] picture img").first
    expect(shown).to_have_class("being-prepared")
    expect(shown).to_have_attribute("src", re.compile(r"/media/.+\.jpeg$"))
    page.get_by_role("button", name="Edit", exact=True).click()
    says = page.get_by_text("The picture is being prepared:")  # not that of the focus, which is folded
    expect(says).to_have_count(1)
    page.locator("#inspector").evaluate("panel => panel.scrollTo(0, panel.scrollHeight)")
    expect(says).to_be_in_viewport(ratio=1)
    look = page.get_by_text("Look: where words and picture stand")
    before = at_rest(look)
    factories.finish_encodes(rendered)
    expect(says).to_have_count(0)
    assert at_rest(look) == before
