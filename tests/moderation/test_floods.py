"""A thousand reports: how many cases and mails they make, and whether staff can still look at them."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.http import HttpRequest
from django.test import Client, RequestFactory

from accounts import proofs
from accounts.throttling import HOUR, RateExceeded
from capsules.models import Story
from publishing.models import Case, Publication, Report
from publishing.moderation import actions as moderation
from publishing.moderation import pages

pytestmark = pytest.mark.django_db
MANY = 1000
SOON = 5.0  # seconds of work for a page; they take a tenth of one


@pytest.fixture(autouse=True)
def fresh_counts() -> None:
    cache.clear()


def from_network(said: dict[str, str]) -> HttpRequest:
    return RequestFactory().post("/report", said, REMOTE_ADDR="192.0.2.1")


def send(number: int) -> int:
    """By the form."""
    said = {"link": "/north-shore/small-voyages", "why": "spam", "email": address(number)}
    return pages.report(from_network(said)).status_code


def address(number: int) -> str:
    return f"reader-{number % 20}@readers.example"


def seconds(act: Callable[[], object]) -> float:
    began = time.thread_time()
    act()
    return time.thread_time() - began


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
    statuses, network = [send(number) for number in range(6)], pages.network_digest(from_network({}))
    for _ in range(MANY - 8):  # the page of each refusal would be drawn, and shows nothing new
        with pytest.raises(RateExceeded):
            proofs.check_flood(pages.PURPOSE, network, "", per=HOUR, limit=pages.REPORTS, proved=1)
    statuses += [send(number) for number in range(2)]
    assert statuses == [200] * 5 + [429] * 3
    case = Case.objects.get()
    assert case.reports.count() == len(mailoutbox) == 5
    check_staff_can_work(staff, case, "5 reports", django_assert_max_num_queries)


def test_a_thousand_of_a_thousand_networks_against_one_capsule_are_one_case_and_each_other_has_its_own(
    live_story, staff, mailoutbox, django_assert_max_num_queries
):
    """Twenty people sent ten each and an address: five receipts and one outcome to each of them. A person decides each
    case: the workspace stays, and its owners hear nothing before.
    """
    publication = Publication.objects.select_related("story__workspace").get()
    for number in range(MANY):
        email = address(number) if number < 20 * 10 else ""
        moderation.report(publication, why="spam", email=email, network=str(number))
    case = Case.objects.get()
    assert case.reports.count() == MANY and len(mailoutbox) == 20 * 5
    for number, other in enumerate(others_of(publication)):
        moderation.report(other, why="spam", email=address(number), network=f"other {number}")
    assert Case.objects.count() == 100 and Report.objects.count() == MANY + 99
    assert len(mailoutbox) == 20 * 5 and not any(mail.to[0].startswith("owner@") for mail in mailoutbox)
    check_staff_can_work(staff, case, f"{MANY} reports", django_assert_max_num_queries)
    moderation.freeze(case, moderation.Statement("spam", "", "Watches."), by=staff)
    owners = [mail for mail in mailoutbox[100:] if mail.to[0].startswith("owner@")]
    assert len(mailoutbox) == 100 + 20 + 1 and len(owners) == 1


def others_of(publication: Publication) -> list[Publication]:
    """99 more capsules of its workspace, live with the same bake."""
    now, workspace = publication.published_at, publication.story.workspace
    stories = [Story(workspace=workspace, title=f"Number {n}", visibility="public") for n in range(99)]
    Story.objects.bulk_create(stories)
    return Publication.objects.bulk_create(
        Publication(
            story=story,
            slug=f"number-{n}",
            live_bake=publication.live_bake,
            published_at=now,
            updated_at=now,
        )
        for n, story in enumerate(stories)
    )
