"""axe finds nothing to complain about in editions and sheets; of all other pages says test_every_page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.test_every_page import faults_on_both
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/north-shore/small-voyages"


@pytest.fixture
def url(site, live_story, rendered, api) -> str:
    api.publish(factories.make_edition(live_story, rendered, language="fr"))
    return site + PATH


def test_axe_finds_no_violation_in_editions_and_open_sheets_and_the_keyboard_reaches_everything(
    url, open_tab
):
    tab = open_tab(f"{url}?edition=classroom", reduced_motion="reduce", bypass_csp=True)
    assert faults_on_both(tab, of_capsule=True) == []
    tab.page.goto(url)
    for button in ("Edition: Original", "Share"):
        tab.page.get_by_role("button", name=button).first.click()
        assert violations(tab.page) == [], button
        tab.page.keyboard.press("Escape")

    tab.page.goto(url)
    tab.page.keyboard.press("Tab")
    expect(tab.page.get_by_role("link", name="Skip to the first scene")).to_be_in_viewport()
    reached: set[str] = set()
    while (name := tab.page.evaluate("document.activeElement.textContent.trim()")) not in reached:
        reached.add(name)
        shown = tab.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert shown != "none", f"where the keyboard is: {name}"
        tab.page.keyboard.press("Tab")
        if tab.page.evaluate("document.activeElement === document.body"):
            break
    assert {"North Shore Press", "Play motion", "Share", "Scene 4: Scene 4", "Copy link"} <= reached


def test_a_passkey_that_is_not_taken_is_answered_on_the_page(site, open_tab):
    page = open_tab(site + "/account/login/").page  # an address of numbers, at which no browser has passkeys
    expect(page.locator("#passkey-fault")).to_be_hidden()
    page.get_by_role("button", name="Sign in with a passkey").click()
    fault = page.locator("#passkey-fault")
    expect(fault).to_be_visible()
    expect(fault).to_contain_text("That did not work.")
    above = (
        "(it) => it.getBoundingClientRect().top - it.previousElementSibling.getBoundingClientRect().bottom"
    )
    assert fault.evaluate(above) >= 12, "it stands apart"
