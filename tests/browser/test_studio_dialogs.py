"""The editor's dialogs: the list of keys, and the question of the email."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from publishing.models import Publication
from tests.browser.test_studio import PATIENCE, saved
from tests.browser.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)


#: Notes whether the dialog ever speaks of pictures that are being prepared.
LISTEN = """() => new MutationObserver(() => {
  window.prepared ||= document.getElementById('dialog').textContent.includes('Preparing pictures');
}).observe(document.getElementById('dialog'), {childList: true, subtree: true, characterData: true})"""
#: In which row of the grid each stands, and what it says.
ROWS = "(all) => all.map((one) => [Math.round(one.getBoundingClientRect().top / 8), one.innerText])"
#: How many of the ways to tell subscribers are seen: the buttons at the foot of the dialog cover none of them.
SEEN = """[...document.querySelectorAll('#dialog [name=mode]')].filter((one) => {
  const {left, top, width, height} = one.getBoundingClientRect();
  return one === document.elementFromPoint(left + width / 2, top + height / 2);
}).length"""


def on_a_phone_the_button_leads_to_what_subscribers_can_get(page: Page) -> None:
    dialog = page.locator("#dialog")
    for height in (844, 667):
        page.set_viewport_size({"width": 390, "height": height})
        page.locator("#foot a").click()
        expect(dialog).to_contain_text("Ready:", timeout=PATIENCE)
        dialog.get_by_role("button", name="Choose what subscribers get").click()
        until(page, f"{SEEN} === 3")
        expect(dialog.locator("[name=mode]").first).to_be_focused()
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()


def test_a_publish_says_what_it_decides_goes_on_after_a_lost_connection_and_is_undone_by_the_menu(
    edit, ready_story, workers
):
    page = edit(ready_story)
    on_a_phone_the_button_leads_to_what_subscribers_can_get(page)
    page.set_viewport_size({"width": 1440, "height": 900})
    ready_story.workspace.subscribers.all().delete()
    each_key_is_paired_with_what_it_does(page)
    button, dialog = page.locator("#bar a[href$=publish]"), page.locator("#dialog")
    button.click()
    expect(dialog).to_contain_text("will begin with /north-shore/", timeout=PATIENCE)
    expect(dialog).to_contain_text("Change “north-shore” first")
    asks_for_the_email_where_nobody_has_subscribed_yet(page)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    lost = lose_the_first_answer(page)
    page.keyboard.press("Control+Enter")
    dialog.get_by_text("No email").click()
    dialog.locator(".pill-accent").click()
    expect(dialog.get_by_role("heading")).to_have_text("It is live", timeout=PATIENCE)
    assert lost == ["PUT", "PUT"]
    dialog.get_by_role("button", name="Done").click()
    expect(button).to_have_text("Live", timeout=PATIENCE)
    button.click()
    expect(dialog).to_contain_text("Readers get the draft as it is now.")
    assert dialog.locator("input").count() == 0
    dialog.get_by_role("button", name="Done").click()
    page.evaluate(LISTEN)
    page.locator("#field-text").fill("New words.")
    expect(button).to_have_text("Publish changes")
    button.click()
    expect(dialog.get_by_role("heading")).to_contain_text("Publish changes to “")
    expect(dialog).to_contain_text("New words: scene 1", timeout=PATIENCE)
    dialog.locator(".pill-accent").click()
    expect(dialog.get_by_role("heading")).to_have_text("The changes are live", timeout=PATIENCE)
    dialog.get_by_role("button", name="Done").click()
    expect(button).to_have_text("Live", timeout=PATIENCE)
    page.locator("#field-text").fill("Words that are taken back.")
    saved(page)
    expect(button).to_have_text("Publish changes")
    page.locator("#field-text").fill("New words.")
    expect(button).to_have_text("Live", timeout=PATIENCE)
    assert not page.evaluate("window.prepared")  # words alone need no pictures
    the_menu_shows_who_can_see_it_as_it_was_chosen(page)
    is_called_unpublish_from_the_menu_to_its_button(page)


def lose_the_first_answer(page: Page) -> list[str]:
    """Of a publish, which arrives; returns the methods of all that are asked."""
    lost: list[str] = []

    def lose(route: Route) -> None:
        lost.append(route.request.method)
        if len(lost) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/publication", lose)
    return lost


def asks_for_the_email_where_nobody_has_subscribed_yet(page: Page) -> None:
    button = page.locator("#dialog .pill-accent")
    expect(button).to_have_text("Choose what subscribers get", timeout=PATIENCE)
    assert page.locator("#dialog input[name=mode]:checked").count() == 0
    page.locator("#dialog").get_by_text("No email").click()
    expect(button).to_be_enabled()
    expect(button).to_have_text("Publish")


def each_key_is_paired_with_what_it_does(page: Page) -> None:
    """Read off the grid as it is drawn: what stands beside a key."""
    page.locator("#strip [role=option]").first.focus()
    page.keyboard.press("?")
    page.wait_for_selector(".keys")
    keys, shown = (
        page.locator(f".keys {each}").evaluate_all(ROWS)
        for each in ("dt:not(.keys-part)", "dd:not(.visually-hidden)")
    )
    pairs = {dict(keys).get(row): words for row, words in shown}
    assert (pairs["N"], pairs["D"], pairs["Delete"]) == ("New scene", "Duplicate", "Delete")
    assert pairs["Enter"] == "Edit its text"
    page.keyboard.press("Escape")
    expect(page.locator("#dialog")).to_be_hidden()


def the_menu_shows_who_can_see_it_as_it_was_chosen(page: Page) -> None:
    dialog = page.locator("#dialog")
    for before, now in (("Public", "Unlisted"), ("Unlisted", "Public")):
        page.get_by_role("button", name="More", exact=True).click()
        page.get_by_role("menuitem", name="Who can see it").click()
        expect(dialog.get_by_role("radio", name=before).first).to_be_checked()
        dialog.get_by_role("radio", name=now).first.check()
        expect(page.locator("body")).to_contain_text("Saved for all readers.", timeout=PATIENCE)
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()


def is_called_unpublish_from_the_menu_to_its_button(page: Page) -> None:
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Unpublish").click()
    dialog = page.locator("#dialog")
    expect(dialog.get_by_role("heading")).to_have_text("Unpublish?")
    dialog.get_by_role("button", name="Unpublish").click()
    expect(page.locator("#bar a[href$=publish]")).to_have_text("Publish", timeout=PATIENCE)
    assert not Publication.objects.get().is_published
