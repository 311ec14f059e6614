"""What must hold of reads whoever tells them: no day with more who finished than opened, no name of a source under
three readers, no mark that anybody can make again.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter
from datetime import date, timedelta

import pytest
from django.conf import settings
from django.core.checks import run_checks
from django.db import DataError, OperationalError
from django.utils import timezone
from psycopg.errors import LockNotAvailable

from capsules.models import Story
from config.redis_client import key
from publishing.models import Publication, ReadDay, ReadMonth, ReadSource, WorkspaceDay
from publishing.statistics import beacon, counting, drawing, figures, marks, notebook, sums
from publishing.statistics.figures import DayReads, Reads, Span, WorkspaceNumbers
from tests.statistics.test_counting import OPENED, book, publication, tell, totals
from tests.statistics.test_numbers import count
from tests.support.agents import BROWSER
from tests.support.marks import forget_marks

pytestmark = pytest.mark.django_db
__all__ = ["book", "publication", "tell"]
REACHED = {"b": "1", "e": "", "s": "page", "k": "2,3,4"}


def hosts() -> dict[str, int]:
    return {host: number for host, number in ReadSource.objects.values_list("host", "opened") if number}


def test_an_image_counts_on_our_own_pages_alone(publication, book, client):
    """Any page may name its address: 403 where the browser does not say that the page is ours."""
    for number, (status, headers) in enumerate(
        [
            (403, {"Sec-Fetch-Site": "cross-site", "Referer": settings.APP_URL}),
            (403, {"Sec-Fetch-Site": "same-site"}),
            (403, {"Sec-Fetch-Site": "none"}),
            (403, {"Referer": "https://evil.example/"}),
            (403, {"Referer": settings.APP_URL + ".evil.example/"}),
            (403, {}),
            (200, {"Sec-Fetch-Site": "same-origin"}),
            (200, {"Referer": f"{settings.APP_URL}/north-shore/small-voyages"}),  # an older browser
        ]
    ):
        told = client.get(
            f"/r/{publication.pk}?b=1&e=",
            headers={"User-Agent": BROWSER, **headers},
            REMOTE_ADDR=f"198.51.100.{number}",
        )
        assert told.status_code == status, headers
    book.hand_over()
    assert totals(publication) == (2, 0, 0)


def test_who_reads_on_after_midnight_is_a_reader_of_both_days(publication, tell, monkeypatch):
    ends = notebook.day_in("UTC", time.time()).ends_at
    for now, fields in ((ends - 5, OPENED), (ends + 600, {**REACHED, "h": "news.example"})):
        monkeypatch.setattr(notebook.time, "time", lambda now=now: now)
        tell(fields)
    days = list(ReadDay.objects.order_by("day").values_list("opened", "read", "finished", "reached"))
    assert days == [(1, 0, 0, [1]), (1, 1, 1, [1, 1, 1, 1])]


def test_what_was_told_right_before_midnight_and_counted_after_it_is_no_second_reader(
    publication, tell, book, monkeypatch
):
    ends = notebook.day_in("UTC", time.time()).ends_at
    monkeypatch.setattr(notebook.time, "time", lambda: ends - 5)
    tell(OPENED)
    tell(REACHED, count=False)
    monkeypatch.setattr(notebook.time, "time", lambda: ends + 5)
    book.hand_over()
    assert totals(publication) == (1, 1, 1)


def test_a_source_has_no_name_before_three_readers_came_from_it(publication, tell):
    seen = []
    for number in range(4):
        tell({**OPENED, "h": "diary.example"}, address=f"192.0.2.{number + 1}")
        seen.append(hosts())
    assert seen == [{"others": 1}, {"others": 2}, {"diary.example": 3}, {"diary.example": 4}]
    tell({**OPENED, "h": "rare.example"}, address="192.0.2.77")
    if settings.REDIS_URL:
        client = marks.client()
        values = [client.get(name) for name in client.keys(key("reads:batch-*"))]
        assert values and b"rare.example" not in b"".join(values)


def test_robots_are_taken_back_from_sources_that_were_named_meanwhile(publication, north_shore, monkeypatch):
    monkeypatch.setattr(counting, "PAGES_A_MINUTE", 5)
    stories = Story.objects.bulk_create(Story(workspace=north_shore, title=f"Story {n}") for n in range(9))
    rows = Publication.objects.bulk_create(Publication(story=story) for story in stories)
    book, facts = notebook.Notebook(), frozenset({sums.OPENED, "0"})

    def opens(row: Publication, address: str) -> None:
        told = notebook.Told(counting.Page(row.pk, row.pk), "UTC", 1, facts, "news.example")
        book.saw(told, {"REMOTE_ADDR": address, "HTTP_USER_AGENT": BROWSER})
        book.hand_over()

    for row in rows[:3]:
        opens(row, "192.0.2.66")
    for number in range(3):
        opens(rows[0], f"192.0.2.{number}")
    opens(rows[1], "192.0.2.1")
    for row in rows[3:]:
        opens(row, "192.0.2.66")
    assert hosts() == {"news.example": 3, "others": 1}
    assert totals(rows[0]) == (3, 0, 0) and sum(ReadMonth.objects.values_list("opened", flat=True)) == 4


def test_taking_back_what_a_kill_lost_leaves_no_sum_below_zero(publication):
    day = timezone.now().date().isoformat()
    page = (publication.pk, publication.pk, day)
    facts = [(1, "o"), (1, "f"), (1, "0"), (sums.SOURCE, "news.example")]
    counting.add(Counter({sums.Change(*page, *fact): -2 for fact in facts}), uuid.uuid4())
    assert totals(publication) == (0, 0, 0) and ReadDay.objects.get().reached == [0]


def test_a_mark_cannot_be_made_again_from_the_secret_key(publication, tell, book):
    """Its key is random and gone with the day: who forgets it forgets everybody."""
    tell(OPENED)
    assert notebook.salt_of("2026-11-24") == notebook.salt_of("2026-11-24")
    note = notebook.note_of(
        notebook.Told(counting.Page(publication.pk, publication.pk), "UTC", 1, frozenset(), ""),
        "192.0.2.7",
        BROWSER,
    )
    with marks.turn() as turn:
        assert turn.get([note.reader]) == {}
        (kept,) = counting.salted([note], turn)
        assert turn.get([kept.reader])[kept.reader].text == "1 0 o"
        assert turn.salt(note.day_ends) == turn.salt(note.day_ends) != turn.salt(note.day_ends + 1)
    tell(OPENED)  # another process, which knows the salt from the marks
    assert totals(publication)[0] == 1
    forget_marks()
    tell(OPENED)
    assert totals(publication)[0] == 2


def test_a_batch_with_sources_of_thousands_of_capsules_is_counted(publication, north_shore):
    stories = Story.objects.bulk_create(Story(workspace=north_shore, title="-") for _ in range(1200))
    rows = Publication.objects.bulk_create(Publication(story=story) for story in stories)
    changes = Counter(
        {sums.Change(row.pk, row.pk, "2026-11-20", sums.SOURCE, "a.example"): 3 for row in rows}
    )
    assert counting.add(changes, uuid.uuid4())
    assert ReadSource.objects.filter(host="a.example", opened=3).count() == 1200


def test_a_batch_that_cannot_be_counted_is_given_up_and_others_are_counted(
    publication, tell, book, monkeypatch, caplog
):
    really = counting.add

    def refused(changes, flush_id):
        if changes:
            raise DataError("because of itself")
        return really(changes, flush_id)

    monkeypatch.setattr(counting, "add", refused)
    tell(OPENED, count=False)
    for _ in range(notebook.MOST_FAILURES - 1):
        with pytest.raises(DataError):
            book.hand_over()
    book.hand_over()
    assert book.batch is None and "1 notes of reads cannot be counted" in caplog.text
    monkeypatch.setattr(counting, "add", really)
    tell(OPENED, address="192.0.2.8")
    assert totals(publication)[0] == 1


@pytest.mark.parametrize("why", ["nothing can be counted", "others hold a row"])
def test_a_batch_waits_as_long_as_it_is_not_to_blame(why, publication, tell, book, monkeypatch):
    really = counting.add

    def away(changes, flush_id):
        if why == "nothing can be counted":
            raise DataError("for everybody")
        if changes:
            raise OperationalError from LockNotAvailable("lock timeout")

    monkeypatch.setattr(counting, "add", away)
    tell(OPENED, count=False)
    for _ in range(3 * notebook.MOST_FAILURES):
        with pytest.raises((DataError, OperationalError)):
            book.hand_over()
    monkeypatch.setattr(counting, "add", really)
    book.hand_over()
    assert totals(publication)[0] == 1


def test_what_is_live_is_asked_once_a_second_and_of_robots_never(
    publication, tell, django_assert_num_queries, monkeypatch
):
    monkeypatch.setattr(beacon.time, "monotonic", lambda: 1000.5)
    tell(OPENED)
    with django_assert_num_queries(0):
        assert tell(OPENED, address="192.0.2.8", count=False) == 204
        assert tell(OPENED, agent="Googlebot/2.1", to=10**8, count=False) == 204
    monkeypatch.setattr(beacon.time, "monotonic", lambda: 1001.5)
    with django_assert_num_queries(1):
        assert tell(OPENED, address="192.0.2.9", count=False) == 204


def test_a_disk_for_marks_is_warned_of(monkeypatch, settings, tmp_path):
    settings.REDIS_URL = ""
    assert "publishing.W001" not in {found.id for found in run_checks()}
    monkeypatch.setattr(marks, "MEMORY", tmp_path / "none")
    assert "publishing.W001" in {found.id for found in run_checks()}
    settings.REDIS_URL = "redis://127.0.0.1"
    assert "publishing.W001" not in {found.id for found in run_checks()}


def test_a_chart_has_room_for_every_number():
    day = date(2026, 11, 20)
    numbers = WorkspaceNumbers(
        Span(day, day, "UTC"), Reads(), [DayReads(opened=1, read=3, finished=3, date=day)], []
    )
    chart = drawing.chart_of(numbers)
    heights = [float(point.split(",")[1]) for point in f"{chart.opened} {chart.finished}".split()]
    assert min(heights) >= 0


# --- Sums of workspaces and months ------------------------------------------------------------------------------


def summed(workspace) -> tuple[Counter, Counter]:
    """By capsule and month, and by day: as kept, and as the days say."""
    kept, told = Counter(), Counter()
    for row in ReadMonth.objects.filter(publication__story__workspace=workspace):
        kept[row.publication_id, row.month] += row.opened
    for row in WorkspaceDay.objects.filter(workspace=workspace):
        kept[row.day] += row.opened
    for row in ReadDay.objects.filter(publication__story__workspace=workspace):
        told[row.publication_id, row.day.replace(day=1)] += row.opened
        told[row.day] += row.opened
    return +kept, +told


@pytest.fixture
def read_for_months(publication, north_shore) -> list[Publication]:
    stories = Story.objects.bulk_create(Story(workspace=north_shore, title=f"Story {n}") for n in range(2))
    rows = [publication, *Publication.objects.bulk_create(Publication(story=story) for story in stories)]
    for number, row in enumerate(rows):
        for days in (0, 1, 30, 31, 45, 61, 92, 200):
            count(row, timezone.now().date() - timedelta(days=days), 1 + days % 3, o=days + number, r=number)
    return rows


def test_a_workspace_says_of_any_days_what_its_capsules_say(read_for_months, north_shore):
    today = timezone.now().date()
    for first, last in (
        (0, 0),
        (364, 0),
        (61, 31),
        (46, 44),
        (10, -20),
        (500, 400),
    ):
        span = Span(today - timedelta(days=first), today - timedelta(days=last), "UTC")
        whole = figures.of_workspace(north_shore, span)
        each = {str(row.story_id): figures.of_story(row.story, span).totals for row in read_for_months}
        told = {story.story_id: Reads(story.opened, story.read, story.finished) for story in whole.stories}
        assert told == {story: reads for story, reads in each.items() if reads != Reads()}, (first, last)
        assert sum(day.opened for day in whole.days) == whole.totals.opened
        assert sum(day.read for day in whole.days) == whole.totals.read


def test_sums_follow_what_is_deleted(read_for_months, north_shore, live_story):
    edition = Story.objects.create(workspace=north_shore, capsule=live_story, edition_name="de", title="-")
    own = Publication.objects.create(story=edition)
    count(read_for_months[0], timezone.now().date(), 1, edition=own, o=7)
    kept, told = summed(north_shore)
    assert kept == told
    for gone in (edition, read_for_months[1].story, live_story):
        gone.delete()
        kept, told = summed(north_shore)
        assert kept == told
    assert sum(WorkspaceDay.objects.values_list("opened", flat=True)) > 0


def test_reads_from_before_the_sums_are_in_them(read_for_months, north_shore):
    from importlib import import_module

    from django.apps import apps

    module = import_module("publishing.migrations.0019_fill_totals_of_reads")
    before = summed(north_shore)
    module.empty(apps, None)
    assert summed(north_shore)[0] == {}
    module.fill(apps, None)
    assert summed(north_shore) == before
