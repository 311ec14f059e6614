"""Unsaved work on a shared browser: signing out deletes it after a question."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.test_studio import PATIENCE

pytestmark = pytest.mark.django_db(transaction=True)
SAVES = "**/scenes/*"
KEPT = """async () => {
  const db = await new Promise((then, fail) => {
    const asked = indexedDB.open('capsules-studio');
    asked.onsuccess = () => then(asked.result);
    asked.onerror = fail;
  });
  const rows = [];
  for (const store of db.objectStoreNames) {
    const asked = db.transaction(store).objectStore(store).getAll();
    rows.push(...await new Promise((then) => { asked.onsuccess = () => then(asked.result); }));
  }
  db.close();
  return JSON.stringify(rows);
}"""


def leave_unsaved(page: Page, words: str) -> Page:
    """Types while saving fails, and closes the tab without a line; returns another tab, at the list of capsules."""
    context, site = page.context, page.url.split("/studio")[0]
    context.route(SAVES, lambda route: route.abort())
    page.locator("#field-text").fill(words)
    with page.expect_request(SAVES, timeout=PATIENCE):
        page.keyboard.press("Control+s")
    # A closing tab sends its words once more, past any route, and a service that has them is no subject here.
    page.evaluate("() => { window.fetch = async () => { throw new TypeError('no line') } }")
    page.close()
    context.unroute(SAVES)
    other = context.new_page()
    other.goto(f"{site}/studio")
    assert words in other.evaluate(KEPT)
    return other


def test_signing_out_asks_about_unsaved_words_and_deletes_them(edit, ready_story):
    words = "Words that wait."
    page = leave_unsaved(edit(ready_story), words)
    questions: list[str] = []
    page.once("dialog", lambda dialog: (questions.append(dialog.message), dialog.dismiss()))
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_timeout(500)
    assert "1 change or file is not saved yet" in questions[0]
    assert words in page.evaluate(KEPT)
    page.once("dialog", lambda dialog: dialog.accept())
    with page.expect_navigation():
        page.get_by_role("button", name="Sign out").click()
    assert words not in page.evaluate(KEPT.replace("for (const store", "if (db) for (const store"))
