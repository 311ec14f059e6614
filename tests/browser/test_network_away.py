"""What a reader sees whose network is slow, or goes away in the middle, and comes back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route

from tests.browser.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/north-shore/small-voyages"
#: No source of its film could be fetched.
NO_SOURCE = "document.querySelector('#scene-1 video').networkState === 3"
MISSING = (
    "document.querySelector('#scene-1 img').complete && !document.querySelector('#scene-1 img').naturalWidth"
)
OPACITY = "(img) => Number(getComputedStyle(img).opacity)"
SHOWN = "document.querySelector('#scene-1 img').naturalWidth > 0"


def open_without_media(page: Page, address: str) -> None:
    """Opens it while no picture and no film comes through."""
    page.route("**/media/**", lambda route: route.abort())
    page.goto(address)
    until(page, MISSING)


def bring_back(page: Page) -> None:
    page.unroute_all()
    page.context.set_offline(True)
    page.context.set_offline(False)


def test_no_broken_picture_is_seen_without_a_network_and_pictures_and_films_come_once_it_is_back(
    site, live_story, open_tab
):
    page = open_tab("about:blank", width=390, height=844).page
    open_without_media(page, site + PATH)
    until(page, NO_SOURCE)
    page.keyboard.press("ArrowRight")
    until(page, MISSING.replace("scene-1", "scene-2"))
    until(page, NO_SOURCE.replace("scene-1", "scene-2"))
    picture = page.locator("#scene-2 .shot img")
    assert picture.evaluate(OPACITY) == 0, "its colour and its words are there"
    assert picture.get_attribute("alt"), "and what it shows is still read aloud"
    bring_back(page)
    until(page, SHOWN)
    until(page, SHOWN.replace("scene-1", "scene-2"))
    assert picture.evaluate(OPACITY) == 1 or page.locator("#scene-2 .filmed").count()
    until(page, "document.querySelector('#scene-2 .filmed')")


def test_on_a_slow_line_the_first_picture_is_asked_for_before_those_of_the_next_scenes(
    site, live_story, open_tab
):
    """And whoever reads on before it is there waits for nothing."""
    waits = "getComputedStyle(document.querySelector('#scene-2 .shot img')).display === 'none'"
    page = open_tab("about:blank", width=800, height=500).page
    held: list[Route] = []
    page.route("**/media/**", lambda route: held.append(route))
    for goes_on in (False, True):
        page.goto(site + PATH, wait_until="commit")
        until(page, f"document.querySelector('#scene-2 .shot img') && {waits}")
        if goes_on:
            page.keyboard.press("ArrowDown")
        else:
            until(page, "performance.now() > 500")
            assert page.evaluate(waits)
            while held:
                held.pop().continue_()
        until(page, f"!({waits})")
