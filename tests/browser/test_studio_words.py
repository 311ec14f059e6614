"""Nobody loses a word in the editor: of a text that is too long, in a closed tab, or with a page that dies."""

from __future__ import annotations

import os
import signal
import time

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from accounts.actors import Actor
from accounts.models import User
from capsules.actions import scenes
from capsules.models import Story
from tests.browser.test_studio import PATIENCE, saved, texts, thumbs
from tests.browser.waiting import ready

pytestmark = pytest.mark.django_db(transaction=True)
LONG = "The boat comes in at noon. " * 90 + "SCHLUSS"  # 2,437 characters


def again(page: Page) -> Page:
    """Closes the tab and opens the same address in another one."""
    address, context = page.url, page.context
    page.close()
    return opened(context, address)


def opened(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.goto(address)
    ready(page)
    return page


def others_save(story: Story, owner: User, place: int, **fields: str) -> None:
    scenes.update_scene(story, story.scenes.get(position=place).key, fields, by=Actor.by_token(owner))


def paste(page: Page, words: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("(words) => navigator.clipboard.writeText(words)", words)
    page.locator("#field-text").press("Control+a")
    page.keyboard.press("Control+v")


def is_not_saved(page: Page) -> None:
    expect(page.locator(".save-state")).to_have_attribute("data-state", "held", timeout=PATIENCE)
    expect(page.locator(".save-state")).to_contain_text("1 field is not saved")


def test_pasted_words_are_never_cut_nor_published_nor_lost_with_their_tab_and_become_scenes(
    edit, ready_story, owner
):
    page = edit(ready_story)
    before = texts(ready_story)[0]
    paste(page, LONG)
    field = page.locator("#field-text")
    expect(field).to_have_value(LONG)
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#field-text-fault")).to_contain_text("437 characters too many")
    page.locator("#field-title").fill("Noon")
    is_not_saved(page)
    is_not_published(page)
    page = again(page)
    expect(page.locator("#field-text")).to_have_value(LONG)
    is_not_saved(page)
    scene = ready_story.scenes.first()
    assert (scene.title, scene.text) == ("Noon", before)
    others_save(ready_story, owner, 0, text="Theirs.")
    expect(page.locator(".conflict")).to_contain_text("Theirs.", timeout=PATIENCE)
    expect(page.locator("#field-text")).to_have_value(LONG)
    page.get_by_role("button", name="Take theirs").click()
    expect(page.locator("#field-text")).to_have_value("Theirs.")
    saved(page)
    scenes_are_made_of_a_long_text_and_one_undo_brings_it_back(page, ready_story)
    the_last_key_survives_the_death_of_its_page(page, ready_story)


def is_not_published(page: Page) -> None:
    page.locator(".bar .pill-accent").click()
    expect(page.locator("#dialog")).to_contain_text("Scene 1 has a field that is not saved", timeout=PATIENCE)
    assert page.locator("#dialog .pill-accent").count() == 0


def scenes_are_made_of_a_long_text_and_one_undo_brings_it_back(page: Page, story: Story) -> None:
    paragraph = "A boat comes in at noon. " * 5
    draft = f"First. {paragraph}\n\nSecond. {paragraph}\n\nThird. {paragraph}"
    before = texts(story)
    paste(page, draft)
    page.get_by_role("button", name="Make 3 scenes of it").click()
    expect(page.locator("#dialog li")).to_have_count(3)
    page.locator("#dialog .pill-accent").click()
    expect(page.locator("#toast button")).to_have_text("Undo")  # for ten seconds, the bar's for ever
    expect(thumbs(page)).to_have_count(6)
    saved(page)
    made = texts(story)
    assert " ".join(" ".join(made[:3]).split()) == " ".join(draft.split())
    assert made[0].startswith("First.") and made[1].startswith("Second.") and made[3:] == before[1:]
    page.locator("#bar").get_by_role("button", name="Undo").click()
    expect(thumbs(page)).to_have_count(4)
    expect(page.locator("#field-text")).to_have_value(draft)
    saved(page)
    assert texts(story) == [draft, *before[1:]]


LAST_KEY = """() => setTimeout(() => {
  const field = document.getElementById('field-text');
  field.value = 'The last words.';
  field.dispatchEvent(new InputEvent('input', {bubbles: true}));
  for (const end = performance.now() + 60000; performance.now() < end;);
})"""


def the_last_key_survives_the_death_of_its_page(page: Page, story: Story) -> None:
    address, context = page.url, page.context
    page.evaluate(LAST_KEY)
    time.sleep(1)  # the page does not come round any more
    processes = context.browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    for process in processes:
        if process["type"] == "renderer":
            os.kill(process["id"], signal.SIGKILL)
    page = opened(context, address)
    expect(page.locator("#field-text")).to_have_value("The last words.")
    saved(page)
    assert texts(story)[0] == "The last words."
