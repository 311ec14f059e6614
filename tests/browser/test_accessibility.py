"""axe finds nothing to complain about: reader, embed, sheets, and the page for what is not there."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/north-shore/small-voyages"


@pytest.fixture
def url(site, live_story, rendered, api) -> str:
    api.publish(factories.make_edition(live_story, rendered, language="fr"))
    return site + PATH


@pytest.mark.parametrize("size", [(390, 844), (1440, 900)])
@pytest.mark.parametrize(
    "ending, status", [("", 200), ("?edition=classroom", 200), ("/embed", 200), ("-gone", 404)]
)
def test_axe_finds_no_violation(url, open_tab, size, ending, status):
    tab = open_tab(url + ending, width=size[0], height=size[1], reduced_motion="reduce", bypass_csp=True)
    assert tab.page.evaluate("performance.getEntriesByType('navigation')[0].responseStatus") == status
    assert violations(tab.page) == []


@pytest.mark.parametrize("button", ["Edition: Original", "Share"])
def test_axe_finds_no_violation_in_an_open_sheet(url, open_tab, button):
    tab = open_tab(url, bypass_csp=True)
    tab.page.get_by_role("button", name=button).first.click()
    assert violations(tab.page) == []


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
