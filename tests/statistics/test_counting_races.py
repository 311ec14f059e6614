"""Who deletes what is being read: the batch of its reads and the deletion do not wait for each other."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Any

import pytest
from django.db import connection

from accounts.actions import erasing
from accounts.models import Workspace
from accounts.signals import workspace_erased
from publishing.models import Publication
from publishing.statistics import counting, sums

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


def read(publication: int, day: str = "2026-11-20") -> counting.Batch:
    changes = Counter({sums.Change(publication, publication, day, 1, "o"): 1})
    return counting.Batch("here", [], changes=changes)


@pytest.mark.parametrize("is_known", [True, False], ids=["read before", "first of the day"])
def test_a_workspace_is_deleted_while_it_is_read(is_known, live_story, owner):
    publication = Publication.objects.get(story=live_story).pk
    counting.count(read(publication, "2026-11-20" if is_known else "2026-11-19"))
    late: list[Any] = []

    def count() -> None:
        try:
            counting.count(read(publication))
        except Exception as error:  # counted again later, without what is gone
            late.append(error)
        finally:
            connection.close()

    reader = threading.Thread(target=count)

    def read_meanwhile(**kwargs: object) -> None:
        reader.start()
        time.sleep(0.5)

    workspace_erased.connect(read_meanwhile)
    try:
        erasing.erase_workspace(live_story.workspace, by=owner)  # no deadlock
    finally:
        workspace_erased.disconnect(read_meanwhile)
        reader.join()

    assert not Workspace.objects.exists()
    assert "deadlock" not in str(late)
