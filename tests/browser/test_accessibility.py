"""axe finds nothing to complain about in editions and sheets; of all other pages says test_every_page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.test_every_page import SIZES, turn_into
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/north-shore/small-voyages"


@pytest.fixture
def url(site, live_story, rendered, api) -> str:
    api.publish(factories.make_edition(live_story, rendered, language="fr"))
    return site + PATH


def test_axe_finds_no_violation_in_a_capsule_of_editions_and_in_its_open_sheets(url, open_tab):
    tab = open_tab(f"{url}?edition=classroom", reduced_motion="reduce", bypass_csp=True)
    for size in SIZES:
        turn_into(tab, size)
        assert violations(tab.page) == [], size
    tab.page.goto(url)
    for button in ("Edition: Original", "Share"):
        tab.page.get_by_role("button", name=button).first.click()
        assert violations(tab.page) == [], button
        tab.page.keyboard.press("Escape")


def test_a_passkey_that_is_not_taken_is_answered_on_the_page(site, open_tab):
    page = open_tab(site + "/account/login/").page  # an address of numbers, at which no browser has passkeys
    expect(page.locator("#passkey-fault")).to_be_hidden()
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.locator("#passkey-fault")).to_contain_text("That did not work.")


def test_the_keyboard_reaches_everything_and_shows_where_it_is(url, open_tab):
    tab = open_tab(url)
    tab.page.keyboard.press("Tab")
    expect(tab.page.get_by_role("link", name="Skip to the first scene")).to_be_in_viewport()
    reached: set[str] = set()
    while (name := tab.page.evaluate("document.activeElement.textContent.trim()")) not in reached:
        reached.add(name)
        assert tab.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", name
        tab.page.keyboard.press("Tab")
        if tab.page.evaluate("document.activeElement === document.body"):
            break
    assert {"North Shore Press", "Pause motion", "Share", "Scene 4: Scene 4", "Copy link"} <= reached
