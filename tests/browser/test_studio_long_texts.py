"""A text that is too long stays whole: on the page, in the journal, and on its way into several scenes."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from capsules.models import Story
from tests.browser.test_studio import PATIENCE, open_scene, saved, story_title, texts, thumbs
from tests.browser.test_studio_words import again, others_save, write
from tests.browser.waiting import ready, until

pytestmark = pytest.mark.django_db(transaction=True)
LONG = "The boat comes in at noon. " * 90 + "SCHLUSS"  # 2,437 characters


def paste(page: Page, words: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("(words) => navigator.clipboard.writeText(words)", words)
    page.locator("#field-text").press("Control+a")
    page.keyboard.press("Control+v")


def is_not_saved(page: Page) -> None:
    expect(page.locator(".save-state")).to_have_attribute("data-state", "held", timeout=PATIENCE)
    expect(page.locator(".save-state")).to_contain_text("1 field is not saved")


def test_pasted_words_are_never_cut_nor_published_and_are_asked_about_where_they_met_others(
    edit, ready_story, owner
):
    page = edit(ready_story)
    before = texts(ready_story)[0]
    paste(page, LONG)
    field = page.locator("#field-text")
    expect(field).to_have_value(LONG)
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#field-text-fault")).to_contain_text("437 characters too many")
    is_not_saved(page)
    is_not_published(page)
    page = again(page)
    expect(page.locator("#field-text")).to_have_value(LONG)
    is_not_saved(page)
    assert texts(ready_story)[0] == before
    others_save(ready_story, owner, 0, text="Theirs.")
    expect(page.locator(".conflict")).to_contain_text("Theirs.", timeout=PATIENCE)
    expect(page.locator("#field-text")).to_have_value(LONG)
    page.get_by_role("button", name="Take theirs").click()
    expect(page.locator("#field-text")).to_have_value("Theirs.")
    saved(page)


def is_not_published(page: Page) -> None:
    page.locator(".bar .pill-accent").click()
    expect(page.locator("#dialog")).to_contain_text("Scene 1 has a field that is not saved", timeout=PATIENCE)
    assert page.locator("#dialog .pill-accent").count() == 0


def test_what_is_too_long_or_refused_says_so_and_stays_and_other_fields_are_saved(edit, ready_story):
    page = edit(ready_story)
    paste(page, LONG)
    page.locator("#field-title").fill("Noon")
    page.locator("#field-alt").fill("x" * 501)
    expect(page.locator(".save-state")).to_contain_text("2 fields are not saved", timeout=PATIENCE)
    page.locator("#field-alt").fill("A boat")
    is_not_saved(page)
    ready_story.refresh_from_db()
    scene = ready_story.scenes.first()
    assert (scene.title, scene.alt) == ("Noon", "A boat")
    page.locator("#field-text").fill("A boat comes in at noon.")  # which fits
    saved(page)
    assert texts(ready_story)[0] == "A boat comes in at noon."
    title_says_so(page, ready_story)
    stays_after_a_reload(page, ready_story)


def title_says_so(page: Page, story: Story) -> None:
    """None or one that is too long; the bar leads to it, and the summary is saved."""
    page.get_by_role("button", name="The whole capsule").click()
    story_title(page).fill("")
    page.locator("#field-summary").fill("This one is fine.")
    expect(page.locator("#field-title-fault")).to_contain_text("needs a title", timeout=PATIENCE)
    is_not_saved(page)
    before = story.title
    story.refresh_from_db()
    assert (story.title, story.summary) == (before, "This one is fine.")
    story_title(page).fill("Noon " * 50)
    open_scene(page, 1)
    is_not_saved(page)
    page.get_by_role("button", name="Show", exact=True).click()
    expect(story_title(page)).to_be_focused()
    expect(page.locator("#field-title-fault")).to_contain_text("room for 200")
    story_title(page).fill("Noon")
    saved(page)


def stays_after_a_reload(page: Page, story: Story) -> None:
    """Words that the service refuses."""
    open_scene(page, 0)
    page.route(
        "**/scenes/*",
        lambda route: route.fulfill(
            status=400,
            json={
                "error": "The request is not valid.",
                "details": [{"path": "text", "message": "Not this."}],
            },
        ),
    )
    page.locator("#field-text").fill("Some words that are refused.")
    expect(page.locator("#field-text-fault")).to_have_text("Not this.", timeout=PATIENCE)
    is_not_saved(page)
    page = again(page)
    expect(page.locator("#field-text")).to_have_value("Some words that are refused.")
    expect(page.locator("#field-text-fault")).to_have_text("Not this.")
    write(page, " Others.")
    saved(page)
    assert texts(story)[0] == "Some words that are refused. Others."


def test_scenes_are_made_of_a_long_text_as_far_as_there_is_room_and_one_undo_brings_it_back(
    edit, ready_story, settings
):
    page = edit(ready_story)
    paragraph = "A boat comes in at noon. " * 5
    draft = f"First. {paragraph}\n\nSecond. {paragraph}\n\nThird. {paragraph}\n\n{LONG}"
    before = texts(ready_story)
    paste(page, draft)
    page.get_by_role("button", name=re.compile(r"Make \d+ scenes of it")).click()
    expect(page.locator("#dialog li")).to_have_count(12)
    page.locator("#dialog .pill-accent").click()
    expect(page.locator("#toast button")).to_have_text("Undo")  # for ten seconds, the bar's for ever
    expect(thumbs(page)).to_have_count(15)
    saved(page)
    made = texts(ready_story)
    assert " ".join(" ".join(made[:12]).split()) == " ".join(draft.split())
    assert made[0].startswith("First.") and made[1].startswith("Second.") and made[12:] == before[1:]
    page.locator("#bar").get_by_role("button", name="Undo").click()
    expect(thumbs(page)).to_have_count(4)
    expect(page.locator("#field-text")).to_have_value(draft)
    is_not_saved(page)
    settings.SCENES_PER_STORY = 4
    words_without_room_go_to_the_scene_before(page, ready_story)


def words_without_room_go_to_the_scene_before(page: Page, story: Story) -> None:
    paste(page, "First.\n\n" + "Second paragraph. " * 30)
    page.get_by_role("button", name=re.compile("scenes of it")).click()
    page.locator("#dialog .pill-accent").click()
    expect(thumbs(page)).to_have_count(4, timeout=PATIENCE)
    saved(page)
    together = texts(story)[0]
    assert together.startswith("First.") and together.count("Second paragraph.") == 30
    ready(page)


def test_no_more_scenes_are_offered_than_there_is_room_for(edit, ready_story, settings):
    settings.SCENES_PER_STORY = 5
    page = edit(ready_story)
    paste(page, "One short paragraph.\n\n" * 30)
    is_long = "document.querySelector('#field-text-hint').textContent.includes('long for one screen')"
    until(page, is_long)
    page.wait_for_timeout(500)  # the part that offers has come
    assert page.get_by_role("button", name=re.compile("scenes of it")).count() == 0
