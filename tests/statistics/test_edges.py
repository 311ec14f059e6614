"""What a beacon may say, whose day it is, and which days are answered: each rule with its edges."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest
import time_machine
from django.test import RequestFactory
from django.utils import timezone

from accounts.throttling import address_of
from config.errors import Invalid
from publishing.models import Publication, ReadSource, ViewFlush
from publishing.statistics import beacon, figures, keeping, notebook, sums

OURS, ELSEWHERE = "http://testserver", "https://elsewhere.example"


@pytest.mark.parametrize("fields, facts", [
    ({}, ""), ({"o": "1"}, "opened 10"), ({"o": "2"}, ""), ({"k": "1"}, "opened 10"), ({"k": "2"}, "opened 10 11 read"),
    ({"k": "3"}, "finished opened 10 12"), ({"k": "1,2,3"}, "finished opened 10 11 12 read"), ({"k": "4"}, ""),
    ({"k": "0"}, ""), ({"k": "-1,x,²,"}, ""), ({"k": "4", "o": "1"}, "opened 10"),
])  # fmt: skip
def test_what_a_reader_did_is_told_by_scenes_of_the_bake(fields, facts):
    names = {"opened": sums.OPENED, "read": sums.READ, "finished": sums.FINISHED}
    assert beacon.facts_of([10, 11, 12], fields) == {names.get(fact, fact) for fact in facts.split()}


def test_a_capsule_of_one_scene_is_finished_when_it_is_opened():
    assert beacon.facts_of([7], {"o": "1"}) == {sums.OPENED, "7", sums.FINISHED}


@pytest.mark.parametrize("origin, surface, ours", [
    (None, "page", True), (OURS, "page", True), (ELSEWHERE, "page", False), (ELSEWHERE, "embed", False),
    ("null", "embed", True), ("null", "page", False), (f"{OURS}:8000", "page", False),
])  # fmt: skip
def test_a_page_of_another_site_tells_nothing(origin, surface, ours):
    headers = {} if origin is None else {"Origin": origin}
    assert beacon.is_our_page(RequestFactory().post("/", headers=headers), {"s": surface}) is ours


@pytest.mark.parametrize("told, host", [
    ("ink.example", "ink.example"), ("WWW.Ink.Example:443", "ink.example"), ("a.b.ink.example", "a.b.ink.example"),
    ("", ""), ("localhost", ""), ("127.0.0.1", ""), ("capsules.example", ""), ("www.capsules.example", ""),
    ("-ink.example", ""), ("ink..example", ""), ("ink.example/", ""), ("ink.example@x.y", ""), ("é.example", ""),
    ("a" * 250 + ".example", ""), ("x.y", ""), ("xx.y", ""), ("x.yy", "x.yy"), ("allowed.example", ""),
])  # fmt: skip
def test_the_site_that_a_reader_came_from_is_a_host_and_not_ours(told, host, settings):
    settings.APP_URL = "https://capsules.example"
    settings.ALLOWED_HOSTS = ["allowed.example"]
    assert beacon.source_host(told) == host


@pytest.mark.parametrize("one, other, same", [
    ("192.0.2.1", "192.0.2.1", True), ("192.0.2.1", "192.0.2.2", False), ("2001:db8::1", "2001:db8::2", True),
    ("2001:db8::1", "2001:db8:0:1::1", False), ("x", "y", False),
])  # fmt: skip
def test_whose_network_it_is(one, other, same):
    assert (address_of({"REMOTE_ADDR": one}) == address_of({"REMOTE_ADDR": other})) is same


@pytest.mark.parametrize("zone, at, day, hours_left", [
    ("UTC", "2030-03-31T23:00:00", date(2030, 3, 31), 1),
    ("Pacific/Auckland", "2030-03-31T23:00:00", date(2030, 4, 1), 12),
    ("America/New_York", "2030-04-01T02:00:00", date(2030, 3, 31), 2),
    ("Europe/Berlin", "2030-03-30T23:30:00", date(2030, 3, 31), 22.5),
    ("Europe/Berlin", "2030-10-26T22:30:00", date(2030, 10, 27), 24.5),
])  # fmt: skip
def test_a_day_ends_at_midnight_there(zone, at, day, hours_left):
    now = datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp()
    found = notebook.day_in(zone, now)
    assert (found.date, (found.ends_at - now) / 3600) == (day, hours_left)


def test_a_mark_is_of_one_reader_page_and_day():
    salts = [
        notebook.salt_of(day) for day in ("2030-01-01 UTC", "2030-01-02 UTC", "2030-01-01 Europe/Berlin")
    ]
    marks = [notebook.mark(salt, *of) for salt in salts for of in (("a", "b"), ("a", "c"), ("ab", ""))]
    assert len(set(marks)) == 9 and all(mark != "a" and len(mark) == 24 for mark in marks)


@pytest.mark.parametrize("day, month", [(1, 5), (15, 5), (16, 6), (31, 6)])
def test_the_nearest_month(day, month):
    assert figures.nearest_month(date(2030, 5, day)) == date(2030, month, 1)
    assert figures.nearest_month(date(2030, 12, 16)) == date(2031, 1, 1)


@pytest.mark.django_db
@pytest.mark.parametrize("first, last, days", [
    (None, None, (-29, 0)), (-3, None, (-3, 0)), (None, -5, (-34, -5)), (-365, 0, (-365, 0)), (-366, 0, None),
    (1, 0, None), (0, 0, (0, 0)), (5, None, (5, 5)), (-2, 7, (-2, 7)),
])  # fmt: skip
def test_which_days_are_answered(first, last, days, north_shore):
    with time_machine.travel("2030-05-10T23:30:00Z", tick=False):
        north_shore.time_zone = "Europe/Berlin"
        today = date(2030, 5, 11)

        def on(number: int | None) -> date | None:
            return None if number is None else today + timedelta(days=number)

        if days is None:
            with pytest.raises(Invalid):
                figures.span_of(north_shore, on(first), on(last))
            return
        span = figures.span_of(north_shore, on(first), on(last))
        assert span[:2] == (on(days[0]), on(days[1])) and len(span.days()) == days[1] - days[0] + 1


# --- What is counted of whom -----------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("opened, named", [(1, False), (2, False), (3, True)])
def test_a_site_has_its_name_with_three_readers_of_a_day(opened, named, live_story):
    whole = Publication.objects.get(story=live_story)
    today = timezone.now().date()
    ReadSource.objects.create(publication=whole, edition=whole, day=today, host="ink.example", opened=opened)
    rows = ReadSource.objects.all()
    [source] = figures.sources_of(rows)
    assert (source.host, source.opened) == ("ink.example" if named else ReadSource.OTHERS, opened)
    keeping.forget_small_sources(timezone.now() + timedelta(days=1))
    assert ReadSource.objects.get().host == "ink.example", "its day may still go on somewhere"
    keeping.forget_small_sources(timezone.now() + timedelta(days=4))
    found = ReadSource.objects.get()
    assert (found.host, found.opened) == ("ink.example" if named else ReadSource.OTHERS, opened)


@pytest.mark.django_db
@pytest.mark.parametrize("hours, left", [(23, 1), (25, 0)])
def test_a_batch_is_known_for_a_day(hours, left):
    now = timezone.now()
    ViewFlush.objects.create(id=uuid4(), applied_at=now - timedelta(hours=hours))
    keeping.forget_old_batches(now)
    assert ViewFlush.objects.count() == left
