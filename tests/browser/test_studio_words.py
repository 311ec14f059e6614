"""Nobody loses a word in the editor, whatever happens between a key and the answer of the service."""

from __future__ import annotations

import os
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
from tests.browser.test_studio import PATIENCE, saved, texts, thumbs
from tests.browser.waiting import Held, ready
from tests.support import factories

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
    assert not Revision.objects.filter(story=story, kind=Revision.Kind.CONFLICT).exists()


def others_save(story: Story, owner: User, place: int, **fields: str) -> None:
    scenes.update_scene(story, story.scenes.get(position=place).key, fields, by=Actor.by_token(owner))


def is_saved_and_in_the_history(page: Page, story: Story, words: str, other: str) -> None:
    """The words are the scene's; the other ones, which met them, are kept."""
    saved(page)
    assert texts(story)[0] == words
    kept = Revision.objects.get(story=story, kind=Revision.Kind.CONFLICT)
    assert kept.content["scenes"][0]["text"] == other


def all_is_there(page: Page, story: Story, words: str) -> None:
    saved(page)
    assert texts(story)[0] == page.locator("#field-text").input_value() == words
    nobody_was_quicker(page, story)


def after(act: Callable[[Route], Any]) -> Callable[[Route], None]:
    """The save arrives or not, as `act` has it; the page never hears of it."""

    def handle(route: Route) -> None:
        act(route)
        route.abort()

    return handle


ARRIVES = after(lambda route: route.fetch())
IS_LOST = after(lambda route: None)
either = pytest.mark.parametrize("fate", [ARRIVES, IS_LOST], ids=["arrives", "lost"])


@either
def test_words_typed_after_a_save_without_an_answer_stay(edit, ready_story, fate):
    page = edit(ready_story)
    begin(page)
    page.route(SAVES, fate)
    write(page, "One ")
    save_begun(page)
    expect(page.locator(".save-state")).to_contain_text("Offline", timeout=PATIENCE)
    write(page, "two ")
    write(page, "three.")
    page.unroute(SAVES)
    all_is_there(page, ready_story, "One two three.")


@either
def test_words_typed_while_a_save_is_under_way_stay_when_it_fails(edit, ready_story, fate):
    page = edit(ready_story)
    fate(write_during_a_save(page, "two ").get())
    expect(page.locator(".save-state")).to_contain_text("Offline", timeout=PATIENCE)
    write(page, "three.")
    page.unroute(SAVES)
    all_is_there(page, ready_story, "One two three.")


@pytest.mark.parametrize("arrives", [True, False])
def test_words_typed_while_a_save_is_under_way_survive_a_closed_tab(edit, ready_story, arrives):
    page = edit(ready_story)
    save = write_during_a_save(page, "two.").get()
    if arrives:
        save.fetch()
    page = again(page)
    all_is_there(page, ready_story, "One two.")


LAST_KEY = """() => setTimeout(() => {
  const field = document.getElementById('field-text');
  field.value = 'The last words.';
  field.dispatchEvent(new InputEvent('input', {bubbles: true}));
  for (const end = performance.now() + 60000; performance.now() < end;);
})"""


def test_the_last_key_survives_the_death_of_its_page(edit, ready_story):
    page = edit(ready_story)
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
    assert texts(ready_story)[0] == "The last words."


def test_words_survive_when_the_page_was_made_before_the_last_save_of_the_tab_before(edit, ready_story):
    page = edit(ready_story)
    held = write_during_a_save(page, "two.")

    def arrives_late(route: Route) -> None:
        made = route.fetch()
        held.get().continue_()
        held.get(2)  # the next save begins when the first is answered
        page.close()
        route.fulfill(response=made)

    page.context.route(page.url, arrives_late)
    other = opened(page.context, page.url)
    all_is_there(other, ready_story, "One two.")


def test_words_of_a_closed_tab_that_met_others_are_on_a_card_and_in_the_history(
    edit,
    ready_story,
    owner,
):
    page = edit(ready_story)
    page.context.set_offline(True)
    page.locator("#field-text").fill("Mine, in a tunnel.")
    expect(page.locator(".save-state")).to_contain_text("Offline", timeout=PATIENCE)
    address, context = page.url, page.context
    page.close()
    others_save(ready_story, owner, 0, text="Theirs, meanwhile.")
    context.set_offline(False)
    page = opened(context, address)
    expect(page.locator(".conflict")).to_contain_text("Mine, in a tunnel.")
    is_saved_and_in_the_history(page, ready_story, "Theirs, meanwhile.", "Mine, in a tunnel.")


def test_what_met_others_is_not_asked_about_a_second_time(edit, ready_story, owner):
    page = edit(ready_story)
    page.context.set_offline(True)
    page.locator("#field-text").fill("Mine.")
    others_save(ready_story, owner, 0, text="Theirs.")
    page.context.set_offline(False)
    page.keyboard.press("Control+s")
    expect(page.locator(".conflict")).to_contain_text("Mine.", timeout=PATIENCE)
    saved(page)
    page = again(page)
    saved(page)
    assert page.locator(".conflict").count() == 0
    assert Revision.objects.filter(story=ready_story, kind=Revision.Kind.CONFLICT).count() == 1


def test_a_tab_that_is_still_there_leaves_its_words_to_the_next(edit, ready_story):
    page = edit(ready_story)
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
    assert texts(ready_story)[0] == "Left behind. And found."


def test_a_tab_that_is_just_being_closed_is_waited_for(edit, ready_story):
    """Or its words would come in the middle of the next ones."""
    closing = edit(ready_story)
    closing.evaluate("() => { window.fetch = () => Promise.reject(new TypeError()); }")
    closing.locator("#field-text").fill("Of the closed tab.")
    page = closing.context.new_page()
    page.add_init_script(
        "AbortSignal.timeout = () => new AbortController().signal;"
    )  # a moment that does not end
    page.goto(closing.url)
    page.wait_for_timeout(1000)
    assert page.locator("html[data-studio=ready]").count() == 0
    closing.close()
    ready(page)
    assert page.locator("#field-text").input_value() == "Of the closed tab."
    saved(page)
    nobody_was_quicker(page, ready_story)
    assert texts(ready_story)[0] == "Of the closed tab."


def test_a_field_in_use_shows_what_others_saved_before_it_is_written_to(edit, ready_story, owner):
    page = edit(ready_story)
    page.locator("#field-text").fill("A boat comes in.")
    saved(page)
    page.evaluate("() => document.getElementById('field-text').setSelectionRange(6, 6)")
    others_save(ready_story, owner, 0, text="Look! A boat comes in.")
    expect(page.locator("#field-text")).to_have_value("Look! A boat comes in.", timeout=PATIENCE)
    page.keyboard.type(", small,")
    saved(page)
    assert texts(ready_story)[0] == "Look! A boat, small, comes in."
    nobody_was_quicker(page, ready_story)


def test_a_refused_title_does_not_come_back_over_the_next_one(edit, ready_story):
    page = edit(ready_story)
    page.get_by_role("button", name="The whole capsule").click()
    held = Held(page, "**/stories/*")
    title = page.locator("#field-title")
    expect(page.locator("#inspector h2")).to_contain_text("The whole capsule")
    title.fill("")
    with page.expect_request("**/stories/*", timeout=PATIENCE):
        page.keyboard.press("Control+s")
    title.fill("A better title")
    held.let_go()
    saved(page)
    assert title.input_value() == "A better title"
    assert page.locator("#field-title-fault").count() == 0
    ready_story.refresh_from_db()
    assert ready_story.title == "A better title"


def test_scenes_that_come_late_do_not_take_the_field_from_who_types(edit, ready_story, tmp_path):
    """The part that makes scenes of files is still on its way when the author goes on."""
    page, before = edit(ready_story), texts(ready_story)
    held = Held(page, "**/files*.js")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Replace picture").click()
    files = [factories.draw_picture(tmp_path / name) for name in ("1.png", "2.png", "3.png")]
    chooser.value.set_files(files)
    thumbs(page).nth(1).click()
    expect(page.locator("#inspector h2")).to_contain_text("Scene 2 of")
    page.locator("#field-text").fill("")
    write(page, "These words ")
    held.let_go()
    expect(thumbs(page)).to_have_count(len(before) + 2)
    page.keyboard.type("stay together.")
    saved(page)
    assert texts(ready_story) == [before[0], "", "", "These words stay together.", *before[2:]]


def test_who_hands_over_several_photographs_stays_with_the_first(edit, ready_story, tmp_path):
    page, before = edit(ready_story), texts(ready_story)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Replace picture").click()
    chooser.value.set_files([factories.draw_picture(tmp_path / name) for name in ("1.png", "2.png")])
    expect(page.locator("#polite")).to_contain_text("2 files: one scene each.")
    expect(thumbs(page).nth(0)).to_have_attribute("aria-selected", "true")
    expect(page.locator("#inspector h2")).to_contain_text(f"Scene 1 of {len(before) + 1}")


# --- News, and whose words they are -------------------------------------------------------------------------------


def ask_for_news(page: Page) -> None:
    with page.expect_response("**/pulse?*"):
        page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")


def test_news_from_before_a_save_bring_no_old_words_back(edit, ready_story, owner):
    page = edit(ready_story)
    begin(page)
    late: list[tuple[Route, Any]] = []
    page.route("**/draft", lambda route: route.continue_() if late else late.append((route, route.fetch())))
    others_save(ready_story, owner, 1, title="Theirs.")
    ask_for_news(page)
    while not late:
        page.wait_for_timeout(50)
    write(page, "One ")
    saved(page)
    held = Held(page, SAVES)
    write(page, "two.")
    late[0][0].fulfill(response=late[0][1])
    page.wait_for_timeout(500)
    held.let_go()
    all_is_there(page, ready_story, "One two.")
    ask_for_news(page)
    expect(thumbs(page).nth(1)).to_contain_text("Theirs.", timeout=PATIENCE)


def test_words_of_a_closed_tab_do_not_replace_those_that_are_just_being_saved(edit, ready_story):
    closing = edit(ready_story)
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
    is_saved_and_in_the_history(page, ready_story, "Of this tab.", "Of the closed tab.")


def test_what_others_saved_during_a_composed_word_is_not_written_over(edit, ready_story, owner):
    page = edit(ready_story)
    page.locator("#field-text").fill("A boat. ")
    saved(page)
    keyboard = page.context.new_cdp_session(page)

    def compose(word: str) -> None:
        end = {"selectionStart": len(word), "selectionEnd": len(word)}
        keyboard.send("Input.imeSetComposition", {"text": word, **end})

    with page.expect_response(SAVES, timeout=PATIENCE):
        compose("に")
    expect(page.locator(".save-state")).to_have_attribute("data-state", "saved", timeout=PATIENCE)
    others_save(ready_story, owner, 0, text="Look! A boat.")
    ask_for_news(page)
    page.wait_for_timeout(500)
    compose("にほん")
    keyboard.send("Input.insertText", {"text": "日本"})
    expect(page.locator(".conflict")).to_contain_text("Look! A boat.", timeout=PATIENCE)
    expect(page.locator(".conflict")).to_contain_text("A boat. 日本")
    saved(page)
    assert texts(ready_story)[0] == "Look! A boat."


def test_words_typed_in_two_goes_meet_nobody_who_saved_another_field(edit, ready_story, owner):
    """Their version is stale (412), but the text stands on what the service has: on what was there at the first key."""
    page = edit(ready_story)
    begin(page)
    page.context.set_offline(True)
    write(page, "One ")
    write(page, "two.")
    others_save(ready_story, owner, 0, title="Theirs.")
    page.context.set_offline(False)
    with page.expect_response(lambda answer: answer.status == 412, timeout=PATIENCE):
        page.keyboard.press("Control+s")
    saved(page)
    expect(page.locator("#field-title")).to_have_value("Theirs.")
    assert page.locator(".conflict").count() == 0
    assert texts(ready_story)[0] == page.locator("#field-text").input_value() == "One two."
