"""Lists in pages, and the cursors that lead on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from django.db.models import Model, QuerySet

from capsules.models import Story
from config import cursors
from config.json_types import JsonObject

POSITION = "q16s"  # microseconds of updated_at, identifier
Row = TypeVar("Row", bound=Model)


def page_of_rows(
    rows: QuerySet[Row], *, name: str, limit: int, parts: str, position_of: Callable[[Row], Sequence[object]]
) -> tuple[list[Row], str | None]:
    """The first `limit` rows and the cursor that leads on; one query."""
    shown = list(rows[: limit + 1])
    if len(shown) <= limit:
        return shown, None
    return shown[:limit], cursors.encode(name, parts, *position_of(shown[limit - 1]))


def numbered(rows: QuerySet[Row], *, name: str, query: JsonObject) -> tuple[list[Row], str | None]:
    """A page of rows with a `number`, the highest first."""
    if query["cursor"] is not None:
        (number,) = cursors.decode(name, "q", query["cursor"])
        rows = rows.filter(number__lt=number)
    return page_of_rows(
        rows.order_by("-number"),
        name=name,
        limit=query["limit"],
        parts="q",
        position_of=lambda row: (row.number,),  # type: ignore[attr-defined]
    )


def position(story: Story) -> tuple[int, bytes]:
    return round(story.updated_at.timestamp() * 1e6), story.pk.bytes
