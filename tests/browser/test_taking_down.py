"""Reporting and what was taken down, as a reader, an owner and a member of staff meet them on a phone and on a desk."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from accounts import proofs
from accounts.models import RateWindow
from accounts.statements import Reason
from tests.browser.axe import violations
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


def test_a_report_with_a_fault_then_one_too_many_whose_sum_the_browser_solves(
    visit, site, client, monkeypatch
):
    monkeypatch.setattr(proofs, "LARGEST", 2000)  # sums, which the browser does in some turns
    tab = visit(f"/report?link={LINK}")
    page, send = tab.page, tab.page.get_by_role("button", name="Send the report")
    page.get_by_label("It uses my work").check()
    send.click()
    page.get_by_text("Your report was not sent yet.").wait_for()
    assert faults_on_both(tab) == []
    colour = "(it) => [getComputedStyle(it).borderTopColor, getComputedStyle(it).color]"
    border, _ = page.get_by_label("Your email address").evaluate(colour)
    assert border == page.locator(".fault").first.evaluate(colour)[1], "a fault is seen at its field"
    for _ in range(5):  # from where the browser is
        assert client.post(f"/report?link={LINK}", {"why": "spam"}).status_code == 200
    page.get_by_label("Spam").check()
    send.click()
    page.get_by_text("Too many reports came from your network").wait_for()
    assert faults_on_both(tab) == []
    page.get_by_text("You can send it now, without waiting.").wait_for()
    send.click()
    page.get_by_role("heading", name="Thank you").wait_for()
    assert faults_on_both(tab) == []
    page.goto(f"{site}/report?link=/nothing/there")
    assert violations(page) == []


def test_what_stands_where_it_was(visit, live_story):
    take_down(live_story, Reason.ILLEGAL, by=make_staff())
    assert faults_on_both(visit(LINK)) == []


def test_nothing_lies_over_the_way_to_an_appeal(studio, live_story):
    take_down(live_story, by=make_staff())
    page = studio(f"/studio/stories/{live_story.pk}")
    why = page.get_by_role("link", name="Why, and how to appeal")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        why.click(trial=True)
        assert page.locator(".editor").bounding_box()["y"] < height / 2, "the editor begins right below"
