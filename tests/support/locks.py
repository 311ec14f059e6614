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


def beside(run: Callable[[], object]) -> tuple[list[object], threading.Thread]:
    """A thread that has yet to begin, with a connection of its own, and what `run` returned or raised in it."""
    came: list[object] = []

    def noted() -> None:
        try:
            came.append(run())
        except Exception as error:
            came.append(error)
        finally:
            connection.close()

    return came, threading.Thread(target=noted)


@contextmanager
def held_up(run: Callable[[], object]) -> Iterator[tuple[list[object], Callable[[], None]]]:
    """What `run` returned or raised, and what begins it in a thread that comes to rows that the block holds."""
    came, thread = beside(run)

    def stall() -> None:
        thread.start()
        thread.join(STALLS)

    with transaction.atomic():
        yield came, stall
    thread.join()


@contextmanager
def in_the_way(
    words: str, run: Callable[[], object], *, stalls: float | None = STALLS
) -> Iterator[list[object]]:
    """What `run` returned or raised, which begins right after the first statement of the block with these words.

    `stalls`: the seconds that the block waits for it; None until it is done.
    """
    came, thread = beside(run)

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        answer = execute(sql, *rest)
        if words in sql and thread.ident is None:
            thread.start()
            thread.join(stalls)
        return answer

    with connection.execute_wrapper(note):
        yield came
    thread.join()
