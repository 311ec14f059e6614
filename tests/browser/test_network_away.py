"""What a reader sees whose network goes away in the middle, and comes back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/north-shore/small-voyages"
MISSING = (
    "document.querySelector('#scene-1 img').complete && !document.querySelector('#scene-1 img').naturalWidth"
)
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


def test_pictures_and_films_come_once_the_network_is_back(site, live_story, open_tab):
    page = open_tab("about:blank", width=390, height=844).page
    for form in ("", "/embed"):
        open_without_media(page, site + PATH + form)
        # no source could be fetched
        until(page, "document.querySelector('#scene-1 video').networkState === 3")
        bring_back(page)
        until(page, SHOWN)
        until(page, "document.querySelector('#scene-1 .filmed')")
