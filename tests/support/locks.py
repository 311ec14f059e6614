"""Which tables an action locks rows of, on any database: SQLite has no such locks, so there the words are taken out.
And an action that comes to rows that somebody else holds, on PostgreSQL.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction

LOCK = re.compile(r" FOR (?:NO KEY )?UPDATE(?: OF [^ )]+)?(?: SKIP LOCKED)?")
TABLE = re.compile(r'FROM "(\w+)"')
FEATURES = [
    f"has_select_for_{name}" for name in ("update", "update_of", "update_skip_locked", "no_key_update")
]


@contextmanager
def noted_locks() -> Iterator[list[str]]:
    """The tables, in the order in which they are locked."""
    locked: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if LOCK.search(sql):
            locked.append(TABLE.search(sql)[1])  # type: ignore[index]
        return execute(LOCK.sub("", sql) if connection.vendor == "sqlite" else sql, *rest)

    with pytest.MonkeyPatch.context() as patch, connection.execute_wrapper(note), transaction.atomic():
        for feature in FEATURES:
            patch.setattr(connection.features, feature, True)
        yield locked


STALLS = 0.5  # seconds, in which whoever is in the way comes


@contextmanager
def held_up(run: Callable[[], object]) -> Iterator[tuple[list[object], Callable[[], None]]]:
    """What `run` returned or raised, and what begins it in a thread that comes to rows that the block holds."""
    came: list[object] = []

    def noted() -> None:
        try:
            came.append(run())
        except Exception as error:
            came.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=noted)

    def stall() -> None:
        thread.start()
        thread.join(STALLS)

    with transaction.atomic():
        yield came, stall
    thread.join()
