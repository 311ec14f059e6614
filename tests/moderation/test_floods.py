"""A thousand reports: how many cases and mails they make, and whether staff can still look at them."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client, RequestFactory

from capsules.models import Story
from publishing.models import Case, Publication, Report
from publishing.moderation import actions as moderation
from publishing.moderation import pages

pytestmark = pytest.mark.django_db
MANY = 1000
SOON = 5.0  # seconds for a page; they take a tenth of one


@pytest.fixture(autouse=True)
def fresh_counts() -> None:
    cache.clear()


def send(number: int, network: str) -> int:
    """By the form."""
    said = {"link": "/north-shore/small-voyages", "why": "spam", "email": address(number)}
    return pages.report(RequestFactory().post("/report", said, REMOTE_ADDR=network)).status_code


def address(number: int) -> str:
    return f"reader-{number % 20}@readers.example"


def seconds(act: Callable[[], object]) -> float:
    began = time.monotonic()
    act()
    return time.monotonic() - began


def check_staff_can_work(staff, case: Case, shown: str, queries) -> None:
    """The list and the case are there soon, and ask the database no more for many reports than for few."""
    browser = Client()
    browser.force_login(staff)
    for path in ("/admin/publishing/case/", f"/admin/publishing/case/{case.pk}/change/"):
        with queries(40):
            page = browser.get(path)
        assert page.status_code == 200
        assert seconds(lambda path=path: browser.get(path)) < SOON, path
    assert shown in page.content.decode()


@pytest.mark.usefixtures("clock_stands")
def test_a_thousand_of_one_network_are_one_case_five_reports_and_five_receipts(
    live_story, staff, mailoutbox, django_assert_max_num_queries
):
    statuses = [send(number, "192.0.2.1") for number in range(MANY)]
    assert (statuses.count(200), statuses.count(429)) == (5, MANY - 5)
    case = Case.objects.get()
    assert case.reports.count() == len(mailoutbox) == 5
    check_staff_can_work(staff, case, "5 reports", django_assert_max_num_queries)


def test_a_thousand_of_a_thousand_networks_against_one_capsule_are_one_case(
    live_story, staff, mailoutbox, django_assert_max_num_queries
):
    """Twenty people sent them, with fifty each: five receipts and one outcome to each of them."""
    publication = Publication.objects.select_related("story__workspace").get()
    for number in range(MANY):
        moderation.report(publication, why="spam", email=address(number), network=str(number))
    case = Case.objects.get()
    assert case.reports.count() == MANY and len(mailoutbox) == 20 * 5
    check_staff_can_work(staff, case, f"{MANY} reports", django_assert_max_num_queries)
    moderation.freeze(case, moderation.Statement("spam", "", "Watches."), by=staff)
    owners = [mail for mail in mailoutbox[100:] if mail.to[0].startswith("owner@")]
    assert len(mailoutbox) == 100 + 20 + 1 and len(owners) == 1


def test_a_thousand_against_the_capsules_of_one_workspace_are_a_case_each(
    live_story, north_shore, staff, mailoutbox, django_assert_max_num_queries
):
    """A person decides each. The workspace stays, and its owners hear nothing before."""
    bake = Publication.objects.get().live_bake
    others = [Story(workspace=north_shore, title=f"Number {n}", visibility="public") for n in range(99)]
    Story.objects.bulk_create(others)
    now = live_story.publication.published_at
    Publication.objects.bulk_create(
        Publication(story=story, slug=f"number-{n}", live_bake=bake, published_at=now, updated_at=now)
        for n, story in enumerate(others)
    )
    all_of_them = list(Publication.objects.select_related("story__workspace"))
    for number in range(MANY):
        about = all_of_them[number % 100]
        moderation.report(about, why="spam", email=address(number), network=str(number))
    assert Case.objects.count() == 100 and Report.objects.count() == MANY
    assert len(mailoutbox) == 20 * 5 and not any(mail.to[0].startswith("owner@") for mail in mailoutbox)
    case = Case.objects.get(publication__story=live_story)
    check_staff_can_work(staff, case, "10 reports", django_assert_max_num_queries)
