"""Nobody loses a word in the editor, whatever happens between a key and the answer of the service."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from accounts.actors import Actor
from accounts.models import User
from capsules.actions import scenes
from capsules.models import Revision, Story
from tests.browser.test_studio import PATIENCE, saved, texts
from tests.browser.waiting import Held, ready

pytestmark = pytest.mark.django_db(transaction=True)
SAVES = "**/scenes/*"


def write(page: Page, words: str) -> None:
    page.locator("#field-text").press("Control+End")
    page.keyboard.type(words)


def begin(page: Page) -> None:
    """Empties the text of the first scene, so that a test sees only what it writes."""
    page.locator("#field-text").fill("")
    saved(page)


def save_begun(page: Page) -> None:
    with page.expect_request(SAVES, timeout=PATIENCE):
        page.keyboard.press("Control+s")


def write_during_a_save(page: Page, words: str) -> Held:
    """Writes "One ", and the words while that is being saved; returns the saves, which are held back."""
    begin(page)
    held = Held(page, SAVES)
    write(page, "One ")
    save_begun(page)
    write(page, words)
    return held


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


def nobody_was_quicker(page: Page, story: Story) -> None:
    assert page.locator(".conflict").count() == 0
    assert kept_in_conflicts(story) == []


def others_save(story: Story, owner: User, place: int, **fields: str) -> None:
    scenes.update_scene(story, story.scenes.get(position=place).key, fields, by=Actor.by_token(owner))


def kept_in_conflicts(story: Story) -> list[str]:
    """What met other words and was kept: the text of the first scene in each, the latest first."""
    kept = Revision.objects.filter(story=story, kind=Revision.Kind.CONFLICT).order_by("-number")
    return [revision.content["scenes"][0]["text"] for revision in kept]


def all_is_there(page: Page, story: Story, words: str, row: str = "") -> None:
    saved(page)
    assert texts(story)[0] == page.locator("#field-text").input_value() == words, row
    nobody_was_quicker(page, story)


def after(act: Callable[[Route], Any]) -> Callable[[Route], None]:
    """The save arrives or not, as `act` has it; the page never hears of it."""

    def handle(route: Route) -> None:
        act(route)
        route.abort()

    return handle


ARRIVES = after(lambda route: route.fetch())
IS_LOST = after(lambda route: None)


def test_no_word_is_lost_around_a_save_without_an_answer_in_a_closed_or_dead_tab_nor_where_others_or_tabs_save(
    edit, ready_story, owner
):
    page = edit(ready_story)
    write_after_a_save(page)
    all_is_there(page, ready_story, "One two three.")
    ARRIVES(write_during_a_save(page, "two ").get())
    expect(page.locator(".save-state")).to_contain_text("Offline", timeout=PATIENCE)
    write(page, "three.")
    page.unroute(SAVES)
    all_is_there(page, ready_story, "One two three.")
    page = also_where_the_page_was_made_before_the_last_save_of_the_tab_before(page, ready_story)
    what_others_saved_is_in_a_field_before_it_is_written_to(page, ready_story, owner)
    what_others_saved_during_a_composed_word_is_not_written_over(page, ready_story, owner)
    page = words_of_a_closed_tab_are_saved_or_asked_about_once(page, ready_story, owner)
    page = a_tab_that_is_still_there_leaves_its_words_to_the_next(page, ready_story)
    page = do_not_replace_those_that_are_just_being_saved(page, ready_story)
    the_last_key_survives_the_death_of_its_page(page, ready_story)


def write_after_a_save(page: Page) -> None:
    begin(page)
    page.route(SAVES, ARRIVES)
    write(page, "One ")
    save_begun(page)
    expect(page.locator(".save-state")).to_contain_text("Offline", timeout=PATIENCE)
    write(page, "two ")
    write(page, "three.")
    page.unroute(SAVES)


def also_where_the_page_was_made_before_the_last_save_of_the_tab_before(page: Page, story: Story) -> Page:
    held = write_during_a_save(page, "two.")

    def arrives_late(route: Route) -> None:
        made = route.fetch()
        held.get().continue_()
        held.get(2)  # the next save begins when the first is answered
        page.close()
        route.fulfill(response=made)

    page.context.route(page.url, arrives_late)
    other = opened(page.context, page.url)
    all_is_there(other, story, "One two.")
    page.context.unroute(page.url, arrives_late)
    return other


def words_of_a_closed_tab_are_saved_or_asked_about_once(page: Page, story: Story, owner: User) -> Page:
    """Where they met those of others."""
    address, context = page.url, page.context
    context.set_offline(True)
    page.locator("#field-title").fill("In a tunnel")
    page.locator("#field-text").fill("Mine, in a tunnel.")
    # Two, where the first was already on its way when the second was made.
    waits = re.compile("Offline: (1 change waits|2 changes wait)")
    expect(page.locator(".save-state")).to_contain_text(waits, timeout=PATIENCE)
    page.close()
    others_save(story, owner, 0, text="Theirs, meanwhile.")
    context.set_offline(False)
    page = opened(context, address)
    expect(page.locator(".conflict")).to_contain_text("Mine, in a tunnel.")
    saved(page)
    scene = story.scenes.get(position=0)
    assert (scene.title, scene.text) == ("In a tunnel", "Theirs, meanwhile.")
    before = kept_in_conflicts(story)
    assert "Mine, in a tunnel." in before
    page = again(page)
    saved(page)
    assert page.locator(".conflict").count() == 0
    assert kept_in_conflicts(story) == before
    return page


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


def a_tab_that_is_still_there_leaves_its_words_to_the_next(page: Page, story: Story) -> Page:
    page.route(SAVES, IS_LOST)
    page.locator("#field-text").fill("Left behind.")
    save_begun(page)
    other = opened(page.context, page.url)
    assert other.locator("#field-text").input_value() != "Left behind."
    other.locator("#field-text").focus()
    other.context.set_offline(True)
    page.close()
    expect(other.locator("#field-text")).to_have_value("Left behind.", timeout=PATIENCE)
    other.context.set_offline(False)
    write(other, " And found.")
    saved(other)
    assert texts(story)[0] == "Left behind. And found."
    return other


def do_not_replace_those_that_are_just_being_saved(closing: Page, story: Story) -> Page:
    before = kept_in_conflicts(story)
    closing.evaluate(
        "() => { window.fetch = () => Promise.reject(new TypeError()); }"
    )  # also when it is closed
    closing.locator("#field-text").fill("Of the closed tab.")
    closing.keyboard.press("Control+s")
    expect(closing.locator(".save-state")).to_contain_text("Offline", timeout=PATIENCE)
    page = opened(closing.context, closing.url)
    held = Held(page, SAVES)
    page.locator("#field-text").fill("Of this tab.")
    save_begun(page)
    closing.close()
    expect(page.locator("#field-text")).to_have_value(
        "Of the closed tab.", timeout=PATIENCE
    )  # it came in on top
    held.let_go()
    expect(page.locator(".conflict")).to_contain_text("Of the closed tab.", timeout=PATIENCE)
    expect(page.locator(".conflict h3")).to_have_text("You changed the text in another tab")
    saved(page)
    assert texts(story)[0] == "Of this tab."
    assert kept_in_conflicts(story) == ["Of the closed tab.", *before]
    return page


# --- News, and whose words they are -------------------------------------------------------------------------------


def ask_for_news(page: Page) -> None:
    with page.expect_response("**/pulse?*"):
        page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")


def what_others_saved_is_in_a_field_before_it_is_written_to(page: Page, story: Story, owner: User) -> None:
    page.locator("#field-text").fill("A boat comes in.")
    saved(page)
    page.evaluate("() => document.getElementById('field-text').setSelectionRange(6, 6)")
    others_save(story, owner, 0, text="Look! A boat comes in.")
    expect(page.locator("#field-text")).to_have_value("Look! A boat comes in.", timeout=PATIENCE)
    page.keyboard.type(", small,")
    saved(page)
    assert texts(story)[0] == "Look! A boat, small, comes in."
    nobody_was_quicker(page, story)


def what_others_saved_during_a_composed_word_is_not_written_over(
    page: Page, story: Story, owner: User
) -> None:
    page.locator("#field-text").fill("A boat. ")
    saved(page)
    keyboard = page.context.new_cdp_session(page)

    def compose(word: str) -> None:
        end = {"selectionStart": len(word), "selectionEnd": len(word)}
        keyboard.send("Input.imeSetComposition", {"text": word, **end})

    with page.expect_response(SAVES, timeout=PATIENCE):
        compose("に")
    expect(page.locator(".save-state")).to_have_attribute("data-state", "saved", timeout=PATIENCE)
    others_save(story, owner, 0, text="Look! A boat.")
    ask_for_news(page)
    page.wait_for_timeout(500)
    compose("にほん")
    keyboard.send("Input.insertText", {"text": "日本"})
    expect(page.locator(".conflict")).to_contain_text("Look! A boat.", timeout=PATIENCE)
    expect(page.locator(".conflict")).to_contain_text("A boat. 日本")
    saved(page)
    assert texts(story)[0] == "Look! A boat."
