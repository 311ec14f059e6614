"""Paging that costs the same at any depth: rows behind a position, which a signed cursor carries between requests."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Generic, NamedTuple, TypeVar

from django.db import models
from django.db.models import F, Func, Model, QuerySet, Value

from config import cursors
from config.paging import page_of_rows

PARTS = "qq"

Row = TypeVar("Row", bound=Model)


class Position(NamedTuple):
    """The last row that was shown: its sort key and, among equal keys, its id."""

    key: int
    id: int


@dataclass(frozen=True)
class Page(Generic[Row]):
    rows: list[Row]
    next_cursor: str | None  # None on the last page


def page_by_position(rows: QuerySet[Row], *, name: str, limit: int) -> Page[Row]:
    """The first `limit` of `rows`, each with its `position`, and the cursor of list `name` that leads on; one query."""
    return Page(*page_of_rows(rows, name=name, limit=limit, parts=PARTS, position_of=attrgetter("position")))


def before(first: str, second: str, *values: object) -> Func:
    """The condition `(first, second) < (values)`: one step into an index on both columns.

    The same written with OR makes PostgreSQL read every row of an equal key that was shown before.
    """
    return Func(
        tuple_of(F(first), F(second)),
        tuple_of(*(Value(value) for value in values)),
        template="%(expressions)s",
        arg_joiner=" < ",
        output_field=models.BooleanField(),
    )


def tuple_of(*parts: object) -> Func:
    return Func(*parts, template="(%(expressions)s)")


def encode_position(name: str, position: Position) -> str:
    """The cursor behind `position` in the list `name`: 44 characters."""
    return cursors.encode(name, PARTS, *position)


def decode_position(name: str, cursor: str) -> Position:
    """The position behind a cursor of the list `name`. Raises Invalid, path `cursor`."""
    return Position(*cursors.decode(name, PARTS, cursor))
