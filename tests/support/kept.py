"""Rows that the service's own code made once, and that each test that asks for them gets back.

A capsule that is live takes a seventh of a second to make, and a thousand tests begin with one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

Row = tuple[Any, ...]
FRESH = timedelta(minutes=5)  # a token lapses after a quarter of an hour
FIRST = 1_000_000  # numbers of what is kept begin here; PostgreSQL gives none twice
CALLS = "accounts_ratewindow"  # how many calls there were this minute, which no test begins with


@dataclass
class Table:
    primary: str
    columns: list[str]
    rows: dict[Any, Row]  # by primary key


@dataclass
class Kept:
    """What `make` gave, what it did to the database, and what it wants to happen once that is committed."""

    made: Any
    at: datetime
    statements: list[tuple[str, list[Row]]] = field(default_factory=list)
    on_commit: list[tuple[Callable[[], Any], bool]] = field(default_factory=list)

    def put_back(self) -> bool:
        """As if it were made now; False where rows with these numbers or names are there already."""
        later = timedelta(seconds=(timezone.now() - self.at) // timedelta(seconds=1))
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                for statement, rows in self.statements:
                    cursor.executemany(statement, [moved(row, later) for row in rows])
                    if cursor.rowcount != len(rows):
                        raise IntegrityError("a row that was changed is not there")
        except IntegrityError:
            return False
        for call, is_robust in self.on_commit:
            transaction.on_commit(call, robust=is_robust)
        return True


def given(kept: Kept, make: Callable[[], Any]) -> Any:
    """What `make` gave when it was kept; where its rows do not go in beside those of this test, it runs again."""
    return kept.made if kept.put_back() else make()


@dataclass
class Keeper:
    """Makes each thing once, wherever it is first asked for: always upon the same rows, or it is only made again."""

    kept: dict[Any, Kept] = field(default_factory=dict)

    def __call__(self, name: Any, make: Callable[[], Any]) -> Any:
        kept = self.kept.get(name)
        if kept and timezone.now() - kept.at < FRESH:
            return given(kept, make)
        self.kept[name] = keep(make)
        return self.kept[name].made


def moved(row: Row, later: timedelta) -> Row:
    return tuple(value + later if isinstance(value, datetime) else value for value in row)


@cache
def primary_keys() -> dict[str, str]:
    """By table: no test makes another."""
    look = connection.introspection
    with connection.cursor() as cursor:
        return {name: str(look.get_primary_key_column(cursor, name)) for name in look.table_names(cursor)}


def tables() -> dict[str, Table]:
    """All rows there are."""
    found = {}
    with connection.cursor() as cursor:
        for name, primary in primary_keys().items():
            cursor.execute(f"SELECT * FROM {quoted(name)}")  # noqa: S608
            columns = [str(column[0]) for column in cursor.description]
            place = columns.index(primary)
            found[name] = Table(primary, columns, {row[place]: row for row in cursor.fetchall()})
    return found


def keep(make: Callable[[], Any]) -> Kept:
    """Runs `make` and notes what it did."""
    waiting = len(connection.run_on_commit)
    before = tables()
    kept = Kept(make(), timezone.now())  # in this order: nothing that is put back lies in the future
    for name, table in tables().items():
        if name == CALLS:  # its rows would be in the way of those of calls that came before
            continue
        old = before[name].rows
        if deleted := [(key,) for key in old if key not in table.rows]:
            kept.statements.append((deletion(name, table.primary), deleted))
        if added := [row for key, row in table.rows.items() if key not in old]:
            kept.statements.append((insertion(name, table.columns), added))
        for key, row in old.items():
            pairs = zip(table.columns, row, table.rows.get(key, row), strict=True)
            if new := {column: value for column, was, value in pairs if value != was}:
                kept.statements.append((update(name, table.primary, list(new)), [(*new.values(), key)]))
    kept.on_commit = [(call, is_robust) for _, call, is_robust in connection.run_on_commit[waiting:]]
    return kept


@contextmanager
def empty_database(*kept: Kept) -> Iterator[None]:
    """A database with these rows alone, of which nothing stays. New rows have numbers that no test counts up to."""
    with pytest.MonkeyPatch.context() as patch, transaction.atomic():
        patch.setattr(connection, "close", lambda: None)  # which would lose what is rolled back
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                names = connection.introspection.table_names(cursor)
                cursor.execute("DELETE FROM sqlite_sequence")
                first = [(name, FIRST) for name in names]
                cursor.executemany("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", first)
        assert all(each.put_back() for each in kept)
        yield
        transaction.set_rollback(True)


def insertion(table: str, columns: list[str]) -> str:
    places = ", ".join(["%s"] * len(columns))
    return f"INSERT INTO {quoted(table)} ({', '.join(map(quoted, columns))}) VALUES ({places})"  # noqa: S608


def update(table: str, primary: str, columns: list[str]) -> str:
    changes = ", ".join(f"{quoted(column)} = %s" for column in columns)
    return f"UPDATE {quoted(table)} SET {changes} WHERE {quoted(primary)} = %s"  # noqa: S608


def deletion(table: str, primary: str) -> str:
    return f"DELETE FROM {quoted(table)} WHERE {quoted(primary)} = %s"  # noqa: S608


def quoted(name: str) -> str:
    return str(connection.ops.quote_name(name))
