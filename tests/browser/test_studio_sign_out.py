"""Unsaved work on a shared browser: it is its author's, and signing out deletes it after a question."""

from __future__ import annotations

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import Page, expect

from accounts.models import User
from capsules.models import Story
from tests.browser.test_studio import saved, texts
from tests.browser.waiting import KEPT, ready
from tests.support.chromium import cookies_of

pytestmark = pytest.mark.django_db(transaction=True)
SECRET = "Secret words of the owner."
WAITED = "Words that waited for the owner."
OTHERS = "Other words of the owner."
SAVES = "**/scenes/*"


def leave_unsaved(page: Page, words: str) -> Page:
    """Types while saving fails, and closes the tab without a line; returns another tab, at the list of capsules."""
    context, site = page.context, page.url.split("/studio")[0]
    context.route(SAVES, lambda route: route.abort())
    page.locator("#field-text").fill(words)
    with page.expect_request(SAVES):
        page.keyboard.press("Control+s")
    # A closing tab sends its words once more, past any route, and a service that has them is no subject here.
    page.evaluate("() => { window.fetch = async () => { throw new TypeError('no line') } }")
    page.close()
    context.unroute(SAVES)
    other = context.new_page()
    other.goto(f"{site}/studio")
    assert words in other.evaluate(KEPT)
    return other


def sign_in(page: Page, user: User) -> str:
    """With a session of its own: an answer to a request of one that is gone would take the cookie away again."""
    client, site = Client(), page.url.split("/studio")[0].split("/account")[0]
    client.force_login(user)
    page.context.add_cookies(cookies_of(client, site))
    return site


def come_in_as(page: Page, user: User, story: Story) -> Page:
    site = sign_in(page, user)
    page.goto(f"{site}/studio/stories/{story.pk}")
    ready(page)
    return page


def test_unsaved_words_are_never_sent_or_shown_for_another_and_signing_out_asks_about_them_and_deletes_them(
    edit, ready_story, person
):
    page = edit(ready_story)
    words_written_while_signed_out_wait_for_their_author_and_are_not_sent_in_the_name_of_another(
        page, ready_story, person
    )
    before = texts(ready_story)
    page = leave_unsaved(page, SECRET)
    come_in_as(page, person("editor"), ready_story)
    page.wait_for_timeout(1500)  # longer than a change waits to be sent
    expect(page.locator(".save-state")).to_have_attribute("data-state", "saved")
    assert SECRET not in page.content()
    assert page.locator("#field-text").input_value() == before[0]
    assert texts(ready_story) == before
    come_in_as(page, person("owner"), ready_story)  # whose words waited
    expect(page.locator("#field-text")).to_have_value(SECRET)
    saved(page)
    signing_out_asks_about_unsaved_work_and_deletes_it(leave_unsaved(page, OTHERS), OTHERS)


def signing_out_asks_about_unsaved_work_and_deletes_it(page: Page, words: str) -> None:
    questions: list[str] = []
    page.once("dialog", lambda dialog: (questions.append(dialog.message), dialog.dismiss()))
    with page.expect_event("dialog"):
        page.get_by_role("button", name="Sign out").click()
    assert "1 change or file is not saved yet" in questions[0]
    assert words in page.evaluate(KEPT)
    page.once("dialog", lambda dialog: dialog.accept())
    with page.expect_navigation():
        page.get_by_role("button", name="Sign out").click()
    assert words not in page.evaluate(KEPT.replace("for (const store", "if (db) for (const store"))


def words_written_while_signed_out_wait_for_their_author_and_are_not_sent_in_the_name_of_another(
    page: Page, story: Story, person
) -> None:
    before = texts(story)
    expect(page.locator(".save-state")).to_have_text("Saved")
    page.context.clear_cookies()
    Session.objects.all().delete()
    page.locator("#field-text").fill(WAITED)
    expect(page.locator(".save-state")).to_contain_text("You are signed out")
    for who in ("editor", "owner"):
        sign_in(page, person(who))
        with page.expect_response("**/token") as answer:
            page.keyboard.press("Control+s")
        assert answer.value.ok
        if who == "editor":
            page.wait_for_timeout(500)
            expect(page.locator(".save-state")).to_have_attribute("data-state", "signed-out")
            assert texts(story) == before
    saved(page)
    assert texts(story)[0] == WAITED
