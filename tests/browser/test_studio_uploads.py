"""Files on their way to a scene, seen from two devices, and arriving once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from capsules.models import Asset, Encode, Scene, Story, Upload
from tests.browser.axe import violations
from tests.browser.test_studio import PATIENCE, PHONE, open_scene
from tests.browser.waiting import at_rest
from tests.support import factories, media_files
from tests.support.checking import check_uploads

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


def test_a_film_arrives_once_in_its_scene_also_on_another_device_beside_words_and_a_part_of_it_is_chosen(
    edit, story, film, request
):
    sender = edit(story)
    open_scene(sender, 1)
    send(sender, film)
    expect(sender.locator("#inspector .upload", has_text="is being checked")).to_be_visible(timeout=PATIENCE)
    sender.close()

    other = edit(story, "editor")
    other.goto(f"{other.url.partition('#')[0]}#{story.scenes.get(position=1).key}")
    expect(other.locator("#inspector .upload")).to_contain_text(
        "ferry.mp4 is being checked", timeout=PATIENCE
    )
    expect(other.get_by_text("Begin with photographs")).to_have_count(0)
    assert Scene.objects.filter(film=None).count() == 2
    check_uploads()
    expect(other.locator("#inspector .media-field")).to_contain_text("Film: ferry.mp4", timeout=PATIENCE)
    expect(other.locator("#inspector .upload")).to_have_count(0)
    scene = story.scenes.get(position=1)
    assert (scene.film.filename, scene.version) == ("ferry.mp4", 2)
    assert scene.still == scene.film.posters.get()
    request.getfixturevalue("workers")
    arrives_once_beside_words_where_its_page_stays_open(other, story, another(film))
    open_scene(other, 1)
    a_part_is_chosen_on_its_frames(other, story)


def another(film: str) -> str:
    """The same for who looks at it, and not for the service: it has a box more."""
    path = Path(film).with_name("harbour.mp4")
    path.write_bytes(Path(film).read_bytes() + b"\0\0\0\x08free")
    return str(path)


def arrives_once_beside_words_where_its_page_stays_open(page: Page, story: Story, film: str) -> None:
    changes: list[str] = []
    page.on("request", lambda r: changes.append(r.post_data or "") if r.method == "PATCH" else None)
    open_scene(page, 0)
    send(page, film)
    page.locator("#field-text").fill("Written while the film was on its way.")
    expect(page.locator("#inspector .media-field")).to_contain_text("Film: harbour.mp4", timeout=PATIENCE)
    expect(page.locator("#inspector .upload")).to_have_count(0, timeout=PATIENCE)
    expect(page.locator(".save-state")).to_have_attribute("data-state", "saved", timeout=PATIENCE)
    scene = story.scenes.get(position=0)
    assert scene.text == "Written while the film was on its way."
    assert scene.film is not None and scene.still is not None
    assert not [sent for sent in changes if '"film"' in sent or '"still"' in sent], "the service did it"
    assert [upload.via for upload in Upload.objects.all()] == ["studio"] * 2


def a_part_is_chosen_on_its_frames(page: Page, story: Story) -> None:
    """And the still follows, at both widths."""
    page.get_by_text("Look: where words and picture stand").click()
    loaded = "() => document.querySelector('.trim-frames img')?.naturalWidth > 500"
    page.wait_for_function(loaded, timeout=PATIENCE)
    strip, begins = page.locator(".trim"), page.get_by_role("slider", name="Begins")
    for width, far, shown, end in ((1440, 1 / 2, r"(0\.9|1\.[01])", 1.9), (390, 1 / 4, r"0\.[456]", 1.8)):
        page.set_viewport_size({"width": width, "height": 900})
        if width < 960:
            page.emulate_media(color_scheme="light")
            page.get_by_role("button", name="Edit", exact=True).click()
        first, begun = story.scenes.get(position=1).still, float(begins.input_value()) / 2
        begins.scroll_into_view_if_needed()
        box = at_rest(strip)
        page.mouse.move(box["x"] + 12 + begun * (box["width"] - 24), box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * far, box["y"] + box["height"] / 2, steps=5)
        page.mouse.up()
        expect(begins).to_have_attribute("aria-valuetext", re.compile(f"^{shown} seconds$"))
        page.get_by_role("slider", name="Ends").press("ArrowLeft")
        expect(page.get_by_role("slider", name="Ends")).to_have_attribute("aria-valuetext", f"{end} seconds")
        expect(page.locator(".save-state")).to_have_attribute("data-state", "saved", timeout=PATIENCE)
        scene = story.scenes.get(position=1)
        assert scene.trim_start + scene.trim_length == pytest.approx(end), width
        assert scene.still != first and scene.still.taken_at == scene.trim_start, width
        strip.scroll_into_view_if_needed()  # elsewhere a bar may stand over half of a field
        assert violations(page, "fieldset:has(.trim)") == [], width


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
    shown = page.frame_locator(".stage-frame").locator("[data-scene] picture img").first
    expect(shown).to_have_class("being-prepared")
    expect(shown).to_have_attribute("src", re.compile(r"/media/.+\.jpeg$"), timeout=PATIENCE)
    page.get_by_role("button", name="Edit", exact=True).click()
    says = page.get_by_text("The picture is being prepared:")  # not that of the focus, which is folded
    expect(says).to_have_count(1, timeout=PATIENCE)
    page.locator("#inspector").evaluate("panel => panel.scrollTo(0, panel.scrollHeight)")
    expect(says).to_be_in_viewport(ratio=1)
    look = page.get_by_text("Look: where words and picture stand")
    before = at_rest(look)
    factories.finish_encodes(rendered)
    expect(says).to_have_count(0, timeout=PATIENCE)
    assert at_rest(look) == before
