"""Reporting and what was taken down, as a reader, an owner and a member of staff meet them on a phone and on a desk."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from accounts import proofs
from accounts.models import RateWindow
from accounts.statements import Reason
from tests.browser.test_every_page import SIZES, faults_on_both
from tests.support.moderation import make_staff, take_down

pytestmark = pytest.mark.django_db(transaction=True)
LINK = "/north-shore/small-voyages"


@pytest.fixture
def visit(site, live_story, open_tab):
    """A page without script, as somebody without a session gets it; `run` turns axe on, which needs script."""
    cache.clear()
    RateWindow.objects.all().delete()

    def opened(path: str):
        return open_tab(site + path, reduced_motion="reduce", bypass_csp=True)

    return opened


def test_a_report_from_the_link_on_the_page_to_its_number(visit):
    tab = visit(LINK)
    tab.page.get_by_role("link", name="Report").last.click()
    page = tab.page
    page.wait_for_url("**/report?link=*")
    assert faults_on_both(tab) == []
    page.get_by_role("button", name="Send the report").click()
    page.get_by_text("Your report was not sent yet.").wait_for()
    assert faults_on_both(tab) == []
    page.get_by_label("It uses my work").check()
    page.get_by_label("In your words").fill("The third picture is mine.\nI took it in Bergen.")
    page.get_by_label("Your email address").fill("reader@readers.example")
    page.get_by_label("I believe in good faith").check()
    page.get_by_role("button", name="Send the report").click()
    page.get_by_role("heading", name="Thank you").wait_for()
    assert faults_on_both(tab) == []


def test_too_many_reports_and_a_link_to_nothing(visit, site, client, monkeypatch):
    monkeypatch.setattr(proofs, "LARGEST", 2000)  # sums, which the browser does in some turns
    tab = visit(f"/report?link={LINK}")
    for _ in range(5):  # from where the browser is
        assert client.post(f"/report?link={LINK}", {"why": "spam"}).status_code == 200
    tab.page.get_by_label("Spam").check()
    tab.page.get_by_role("button", name="Send the report").click()
    tab.page.get_by_text("Too many reports came from your network").wait_for()
    assert faults_on_both(tab) == []
    tab.page.get_by_text("You can send it now, without waiting.").wait_for()
    tab.page.get_by_role("button", name="Send the report").click()
    tab.page.get_by_role("heading", name="Thank you").wait_for()
    tab.page.goto(f"{site}/report?link=/nothing/there")
    assert faults_on_both(tab) == []


def test_what_stands_where_it_was(visit, site, live_story):
    take_down(live_story, Reason.ILLEGAL, by=make_staff())
    tab = visit("/report")
    for path in (LINK, f"{LINK}/embed"):
        tab.page.goto(site + path)
        assert faults_on_both(tab) == []


def test_the_studio_says_why_and_takes_an_appeal(studio, live_story):
    take_down(live_story, by=make_staff())
    page = studio(f"/studio/stories/{live_story.pk}")
    why = page.get_by_role("link", name="Why, and how to appeal")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        why.click(trial=True)  # nothing lies over it
    why.click()
    page.get_by_label("Why the decision is wrong").fill("I drew it myself.")
    page.get_by_role("button", name="Send the appeal").click()
    page.get_by_text("It has not been answered yet.").wait_for()
