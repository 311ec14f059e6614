"""Processes that add to the same sums at once wait for one another, and no two for each other."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from publishing.models import Publication, ReadDay
from publishing.statistics import sums

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
STALLS = 0.5  # seconds, in which whoever is in the way comes


@pytest.mark.parametrize("there", [[3, 1, 2], [1], []], ids=["made late", "the first", "none"])
def test_a_long_batch_and_a_short_one(there, live_story, monkeypatch):
    """The long one is in two statements of two days, the short one in one of the first and the last day."""
    monkeypatch.setattr(sums, "ROWS", 2)
    publication = Publication.objects.get(story=live_story).pk
    met: list[Any] = []

    def add(*days: int) -> None:
        changes = {sums.Change(publication, publication, f"2026-11-{day:02}", 1, "o"): 1 for day in days}
        with transaction.atomic():
            sums.add_days(Counter(changes))

    def add_a_few() -> None:
        try:
            add(1, 3)
        except Exception as error:
            met.append(error)
        finally:
            connection.close()

    short = threading.Thread(target=add_a_few)

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        answer = execute(sql, *rest)
        if sql.startswith("SELECT") and "publishing_readday" in sql and short.ident is None:
            short.start()
            short.join(STALLS)
        return answer

    for day in there:
        add(day)
    with connection.execute_wrapper(note):
        add(1, 2, 3)
    short.join()
    assert met == []
    counted = dict(ReadDay.objects.values_list("day__day", "opened"))
    assert counted == {day: (2 if day != 2 else 1) + (day in there) for day in (1, 2, 3)}
