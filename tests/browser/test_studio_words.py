"""Nobody loses a word in the editor: of a text that is too long, or with a page that dies."""

from __future__ import annotations

import os
import signal
import time

import pytest
from playwright.sync_api import Page, expect

from capsules.models import Story
from tests.browser.test_studio import saved, texts
from tests.browser.waiting import ready

pytestmark = pytest.mark.django_db(transaction=True)
LONG = "The boat comes in at noon. " * 90 + "SCHLUSS"  # 2,437 characters


def paste(page: Page, words: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("(words) => navigator.clipboard.writeText(words)", words)
    page.locator("#field-text").press("Control+a")
    page.keyboard.press("Control+v")


def test_pasted_words_are_never_cut_and_the_last_key_survives_the_death_of_its_page(edit, ready_story):
    page = edit(ready_story)
    paste(page, LONG)
    field = page.locator("#field-text")
    expect(field).to_have_value(LONG)
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#field-text-fault")).to_contain_text("437 characters too many")
    expect(page.locator(".save-state")).to_have_attribute("data-state", "held")
    the_last_key_survives_the_death_of_its_page(page, ready_story)


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
    page = context.new_page()
    page.goto(address)
    ready(page)
    expect(page.locator("#field-text")).to_have_value("The last words.")
    saved(page)
    assert texts(story)[0] == "The last words."
