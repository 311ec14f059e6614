"""The editor's dialogs: the list of keys, and the question of the email."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.test_studio import PATIENCE

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_list_of_keys_pairs_each_key_with_what_it_does(edit, ready_story):
    """Read off the grid as it is drawn: what stands beside a key."""
    page = edit(ready_story)
    page.locator("#strip [role=option]").first.focus()
    page.keyboard.press("?")
    page.wait_for_selector(".keys")
    box = "(element) => { const {top, left} = element.getBoundingClientRect(); return [Math.round(top / 8), left]; }"
    keys = {dt.evaluate(box)[0]: dt.inner_text() for dt in page.locator(".keys dt:not(.keys-part)").all()}
    shown = page.locator(".keys dd:not(.visually-hidden)").all()
    pairs = {keys.get(dd.evaluate(box)[0]): dd.inner_text() for dd in shown}
    assert (pairs["N"], pairs["D"], pairs["Delete"]) == ("New scene", "Duplicate", "Delete")
    assert pairs["Enter"] == "Edit its text"


def test_the_dialog_asks_for_the_email_where_nobody_has_subscribed_yet(edit, ready_story):
    ready_story.workspace.subscribers.all().delete()
    page = edit(ready_story)
    page.locator(".bar .pill-accent").click()
    button = page.locator("#dialog .pill-accent")
    expect(button).to_have_text("Choose what subscribers get", timeout=PATIENCE)
    assert page.locator("#dialog input[name=mode]:checked").count() == 0
    page.locator("#dialog").get_by_text("No email").click()
    expect(button).to_be_enabled()
    expect(button).to_have_text("Publish")
