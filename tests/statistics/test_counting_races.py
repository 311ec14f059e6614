"""Who deletes what is being read: the batch of its reads and the deletion do not wait for each other."""

from __future__ import annotations

import threading
import time
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest
from django.db import OperationalError, connection

from accounts.actions import erasing
from accounts.actors import Actor
from accounts.models import Workspace
from accounts.signals import workspace_erased
from capsules.actions import trash
from publishing.models import Publication, ReadDay, WorkspaceDay
from publishing.statistics import counting, sums
from tests.support.locks import in_the_way

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


def read(publication: int, day: str = "2026-11-20") -> counting.Batch:
    changes = Counter({sums.Change(publication, publication, day, 1, "o"): 1})
    return counting.Batch("here", [], changes=changes)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time")
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


@pytest.mark.parametrize("day", ["2026-11-19", "2026-11-20"], ids=["read before", "first of the day"])
def test_a_capsule_is_deleted_forever_while_it_is_read(day, live_story, owner):
    publication, by = Publication.objects.get(story=live_story).pk, Actor.by_token(owner)
    counting.count(read(publication, "2026-11-19"))
    trash.trash_story(live_story, unpublish=True, by=by)
    batch = read(publication, day)

    def purge() -> None:
        trash.purge_story(live_story, title=live_story.title, by=by)

    with in_the_way("INSERT INTO publishing_viewcount", purge) as came, suppress(OperationalError):
        counting.count(batch)
    assert came == [None]  # no deadlock
    counting.count(batch)
    assert not ReadDay.objects.exists()
    assert set(WorkspaceDay.objects.values_list("opened", flat=True)) <= {0}
