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
from tests.browser.test_studio import PATIENCE, open_scene, saved, texts, thumbs
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
FATES = {"arrives": ARRIVES, "lost": IS_LOST}


def test_words_typed_during_and_after_a_save_without_an_answer_stay_and_survive_a_closed_tab(
    edit, ready_story
):
    page = edit(ready_story)
    for name, fate in FATES.items():
        write_after_a_save(page, fate)
        all_is_there(page, ready_story, "One two three.", name)
        fate(write_during_a_save(page, "two ").get())
        expect(page.locator(".save-state")).to_contain_text("Offline", timeout=PATIENCE)
        write(page, "three.")
        page.unroute(SAVES)
        all_is_there(page, ready_story, "One two three.", name)
    for arrives in (True, False):
        save = write_during_a_save(page, "two.").get()
        if arrives:
            save.fetch()
        page = again(page)
        all_is_there(page, ready_story, "One two.", f"closed, arrives: {arrives}")


def write_after_a_save(page: Page, fate: Callable[[Route], None]) -> None:
    begin(page)
    page.route(SAVES, fate)
    write(page, "One ")
    save_begun(page)
    expect(page.locator(".save-state")).to_contain_text("Offline", timeout=PATIENCE)
    write(page, "two ")
    write(page, "three.")
    page.unroute(SAVES)


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


def write_offline(page: Page, words: str) -> Callable[[], Page]:
    """Writes without a connection and closes the tab; what it gives opens another one, with a connection."""
    address, context = page.url, page.context
    context.set_offline(True)
    page.locator("#field-text").fill(words)
    expect(page.locator(".save-state")).to_contain_text("Offline: 1 change waits", timeout=PATIENCE)
    page.close()

    def other() -> Page:
        context.set_offline(False)
        return opened(context, address)

    return other


def test_words_of_a_closed_tab_are_saved_or_asked_about_once_where_they_met_others(edit, ready_story, owner):
    page = write_offline(edit(ready_story), "Written in a tunnel.")()
    expect(page.locator("#field-text")).to_have_value("Written in a tunnel.")
    saved(page)
    assert texts(ready_story)[0] == "Written in a tunnel."
    another = write_offline(page, "Mine, in a tunnel.")
    others_save(ready_story, owner, 0, text="Theirs, meanwhile.")
    page = another()
    expect(page.locator(".conflict")).to_contain_text("Mine, in a tunnel.")
    is_saved_and_in_the_history(page, ready_story, "Theirs, meanwhile.", "Mine, in a tunnel.")
    is_asked_about_once(page, ready_story, owner)


def is_asked_about_once(page: Page, story: Story, owner: User) -> None:
    """What met others in this tab is not asked about in the next."""
    page.get_by_role("button", name="Take theirs").click()
    expect(page.locator(".conflict")).to_have_count(0)
    page.context.set_offline(True)
    page.locator("#field-text").fill("Mine.")
    others_save(story, owner, 0, text="Theirs.")
    page.context.set_offline(False)
    page.keyboard.press("Control+s")
    expect(page.locator(".conflict")).to_contain_text("Mine.", timeout=PATIENCE)
    saved(page)
    page = again(page)
    saved(page)
    assert page.locator(".conflict").count() == 0
    assert Revision.objects.filter(story=story, kind=Revision.Kind.CONFLICT).count() == 2


def test_a_tab_that_is_still_there_leaves_its_words_to_the_next_which_replace_none_that_is_being_saved(
    edit, ready_story
):
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
    do_not_replace_those_that_are_just_being_saved(other, ready_story)


def do_not_replace_those_that_are_just_being_saved(closing: Page, story: Story) -> None:
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
    is_saved_and_in_the_history(page, story, "Of this tab.", "Of the closed tab.")


#: Notes whether the page is ever an empty one once it has come.
WATCH = """new MutationObserver(() => {
  window.emptied ||= document.readyState !== 'loading' && !document.querySelector('.bar h1');
}).observe(document, {childList: true, subtree: true});"""


def test_a_tab_that_is_just_being_closed_is_waited_for_beside_a_page_that_is_there(edit, ready_story):
    """Or its words would come in the middle of the next ones."""
    closing = edit(ready_story)
    closing.evaluate("() => { window.fetch = () => Promise.reject(new TypeError()); }")
    closing.locator("#field-text").fill("Of the closed tab.")
    page = closing.context.new_page()
    page.add_init_script(
        "AbortSignal.timeout = () => new AbortController().signal;"
    )  # a moment that does not end
    page.add_init_script(WATCH)
    page.goto(closing.url)
    page.wait_for_timeout(1000)
    assert page.locator("html[data-studio=ready]").count() == 0
    expect(page.locator(".bar h1")).to_be_visible()
    closing.close()
    ready(page)
    assert not page.evaluate("window.emptied")
    assert page.locator("#field-text").input_value() == "Of the closed tab."
    saved(page)
    nobody_was_quicker(page, ready_story)
    assert texts(ready_story)[0] == "Of the closed tab."


def test_a_refused_title_stays_away_and_words_for_a_scene_that_is_gone_become_a_scene(
    edit, ready_story, owner
):
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
    become_a_scene(page, ready_story, owner)


def become_a_scene(page: Page, story: Story, owner: User) -> None:
    """Words for a scene that somebody else has deleted meanwhile."""
    open_scene(page, 0)
    scenes.delete_scene(story, story.scenes.get(position=0).key, by=Actor.by_token(owner))
    page.locator("#field-text").fill("Words for nobody?")
    expect(page.locator("#toast")).to_contain_text("Your words are in a new one", timeout=PATIENCE)
    saved(page)
    assert "Words for nobody?" in story.scenes.values_list("text", flat=True)


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


# --- News, and whose words they are -------------------------------------------------------------------------------


def ask_for_news(page: Page) -> None:
    with page.expect_response("**/pulse?*"):
        page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")


def test_what_others_save_is_taken_in_and_written_over_by_no_key_no_news_and_no_composed_word(
    edit, ready_story, owner
):
    page = edit(ready_story)
    what_others_saved_is_in_a_field_before_it_is_written_to(page, ready_story, owner)
    news_from_before_a_save_bring_no_old_words_back(page, ready_story, owner)
    words_typed_in_two_goes_meet_nobody_who_saved_another_field(page, ready_story, owner)
    what_others_saved_during_a_composed_word_is_not_written_over(page, ready_story, owner)


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


def news_from_before_a_save_bring_no_old_words_back(page: Page, story: Story, owner: User) -> None:
    begin(page)
    late: list[tuple[Route, Any]] = []
    page.route("**/draft", lambda route: route.continue_() if late else late.append((route, route.fetch())))
    others_save(story, owner, 1, title="Theirs.")
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
    all_is_there(page, story, "One two.")
    ask_for_news(page)
    expect(thumbs(page).nth(1)).to_contain_text("Theirs.", timeout=PATIENCE)
    page.unroute("**/draft")
    page.unroute(SAVES)


def words_typed_in_two_goes_meet_nobody_who_saved_another_field(
    page: Page, story: Story, owner: User
) -> None:
    """Their version is stale (412), but the text stands on what the service has: on what was there at the first key."""
    begin(page)
    page.context.set_offline(True)
    write(page, "One ")
    write(page, "two.")
    others_save(story, owner, 0, title="Theirs.")
    page.context.set_offline(False)
    with page.expect_response(lambda answer: answer.status == 412, timeout=PATIENCE):
        page.keyboard.press("Control+s")
    saved(page)
    expect(page.locator("#field-title")).to_have_value("Theirs.")
    assert page.locator(".conflict").count() == 0
    assert texts(story)[0] == page.locator("#field-text").input_value() == "One two."


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
