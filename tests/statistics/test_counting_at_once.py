"""Processes that add to the same sums at once wait for one another, and no two for each other."""

from __future__ import annotations

from collections import Counter

import pytest
from django.db import transaction

from publishing.models import Publication, ReadDay
from publishing.statistics import sums
from tests.support.locks import in_the_way

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.mark.parametrize("there", [[3, 1, 2], [1], []], ids=["made late", "the first", "none"])
def test_a_long_batch_and_a_short_one(there, live_story, monkeypatch):
    """The long one is in two statements of two days, the short one in one of the first and the last day."""
    monkeypatch.setattr(sums, "ROWS", 2)
    publication = Publication.objects.get(story=live_story).pk

    def add(*days: int) -> None:
        changes = {sums.Change(publication, publication, f"2026-11-{day:02}", 1, "o"): 1 for day in days}
        with transaction.atomic():
            sums.add_days(Counter(changes))

    for day in there:
        add(day)
    with in_the_way('FROM "publishing_readday"', lambda: add(1, 3)) as came:
        add(1, 2, 3)
    assert came == [None]
    counted = dict(ReadDay.objects.values_list("day__day", "opened"))
    assert counted == {day: (2 if day != 2 else 1) + (day in there) for day in (1, 2, 3)}
