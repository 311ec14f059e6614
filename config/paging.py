"""Lists in pages, and the cursors that lead on."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from django.db.models import Model, QuerySet

from config import cursors
from config.json_types import JsonObject

Row = TypeVar("Row", bound=Model)


def page_of_rows(
    rows: QuerySet[Row], *, name: str, limit: int, parts: str, position_of: Callable[[Row], Sequence[object]]
) -> tuple[list[Row], str | None]:
    """The first `limit` rows and the cursor that leads on; one query."""
    shown, more = cursors.first_rows(rows, limit)
    return shown, cursors.encode(name, parts, *position_of(shown[-1])) if more else None


def numbered(
    rows: QuerySet[Row], *, name: str, query: JsonObject, column: str = "number"
) -> tuple[list[Row], str | None]:
    """A page of rows by a number that no two of them share, the highest first. Raises Invalid (cursor)."""
    if query["cursor"] is not None:
        (number,) = cursors.decode(name, "q", query["cursor"])
        rows = rows.filter(**{f"{column}__lt": number})
    return page_of_rows(
        rows.order_by(f"-{column}"),
        name=name,
        limit=query["limit"],
        parts="q",
        position_of=lambda row: (getattr(row, column),),
    )


def page_by_moment(
    rows: QuerySet[Row], column: str, *, name: str, limit: int, cursor: str | None
) -> tuple[list[Row], str | None]:
    """A page of rows that are ordered by `column` and identifier, the latest first. Raises Invalid (cursor)."""
    parts = "q16s"  # microseconds, identifier
    if cursor is not None:
        microseconds, id = cursors.decode(name, parts, cursor)
        moment = datetime.fromtimestamp(microseconds / 1e6, UTC)
        rows = rows.filter(**{f"{column}__lte": moment})
        rows = rows.exclude(**{column: moment, "pk__gte": uuid.UUID(bytes=id)})
    return page_of_rows(
        rows,
        name=name,
        limit=limit,
        parts=parts,
        position_of=lambda row: (round(getattr(row, column).timestamp() * 1e6), row.pk.bytes),
    )
