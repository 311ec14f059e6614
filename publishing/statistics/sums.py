"""Changes of the sums, as few statements whatever their number."""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import F, Model, Q

from publishing.models import ReadDay, ReadMonth, ReadSource, ViewCount, WorkspaceDay

ROWS = 200  # of one statement
MOST_SOURCES = 100  # of one publication and day; further ones are others
SOURCE = 0  # stands for a surface where the fact is the host that readers came from
OPENED, READ, FINISHED = "o", "r", "f"
SOURCE_FIELDS = ("publication_id", "day", "edition_id", "host")
SUMS = ("opened", "read", "finished")


class Change(NamedTuple):
    """One more reader: of a day and surface with a fact about them, or of a day and source. `day` as in ISO 8601."""

    publication: int
    edition: int
    day: str
    surface: int
    fact: str


Changes = Counter[Change]
Sources = Counter[tuple[int, str, int, str]]  # by publication, day, edition and host
Row = tuple[int, date, int, int]  # publication, day, edition, surface
Added = Mapping[tuple[int, date], Counter[str]]  # to SUMS, by publication and day


def add_days(changes: Mapping[Change, int]) -> Added:
    """Adds to `ReadDay`, no sum below zero, and returns what came to it. Two processes that add to one row wait for
    one another, always in the same order.
    """
    rows: dict[Row, Counter[str]] = defaultdict(Counter)
    for change, number in changes.items():
        if change.surface != SOURCE:
            row = (change.publication, date.fromisoformat(change.day), change.edition, change.surface)
            rows[row][change.fact] += number
    ordered, added = sorted(rows), defaultdict[tuple[int, date], Counter[str]](Counter)
    # Two walks, each through all rows by what names them: a row that is made is held as well as one that is locked.
    for start in range(0, len(ordered), ROWS):
        make_days(ordered[start : start + ROWS])
    for start in range(0, len(ordered), ROWS):
        for day, more in add_some_days({row: rows[row] for row in ordered[start : start + ROWS]}):
            added[day.publication_id, day.day].update(more)
    return added


def make_days(rows: Collection[Row]) -> None:
    ReadDay.objects.bulk_create([ReadDay(**vars_of(row)) for row in rows], ignore_conflicts=True)


def add_some_days(rows: Mapping[Row, Counter[str]]) -> list[tuple[ReadDay, dict[str, int]]]:
    wanted = Q()
    for row in rows:
        wanted |= Q(**vars_of(row))
    by_name = ("publication_id", "day", "edition_id", "surface")
    locked = list(ReadDay.objects.filter(wanted).order_by(*by_name).select_for_update())
    told = [
        (day, add_to(day, rows[day.publication_id, day.day, day.edition_id, day.surface])) for day in locked
    ]
    ReadDay.objects.bulk_update(locked, [*SUMS, "reached"])
    return told


def add_to(day: ReadDay, facts: Mapping[str, int]) -> dict[str, int]:
    more = {}
    for name, fact in zip(SUMS, (OPENED, READ, FINISHED), strict=True):
        before: int = getattr(day, name)
        more[name] = max(facts.get(fact, 0), -before)
        setattr(day, name, before + more[name])
    day.reached = added(day.reached, facts)
    return more


def vars_of(row: Row) -> dict[str, object]:
    publication, day, edition, surface = row
    return {"publication_id": publication, "day": day, "edition_id": edition, "surface": surface}


def added(reached: list[int], facts: Mapping[str, int]) -> list[int]:
    """The readers by scene with more of them."""
    more = {int(fact): number for fact, number in facts.items() if fact.isdecimal()}
    length = max(len(reached), *(place + 1 for place in more), 0)
    longer = reached + [0] * (length - len(reached))
    return [max(0, number + more.get(place, 0)) for place, number in enumerate(longer)]


def add_sources(changes: Mapping[Change, int]) -> None:
    """Adds to `ReadSource`. What is taken back from a site that no row names is among the others."""
    rows: Sources = Counter()
    for change, number in changes.items():
        if change.surface == SOURCE:
            rows[change.publication, change.day, change.edition, change.fact] += number
    upsert(ReadSource, SOURCE_FIELDS, ("opened",), {row: (n,) for row, n in with_others(+rows).items()})
    for row, number in sorted((-rows).items()):
        for named in (row, (*row[:3], ReadSource.OTHERS)):
            if take_back(ReadSource, SOURCE_FIELDS, named, {"opened": number}):
                break


def with_others(rows: Sources) -> Sources:
    """The same, with sources beyond the most that a day has as others: made-up ones fill no table."""
    known = known_hosts({row[:2] for row in rows})
    kept: Sources = Counter()
    for (publication, day, edition, host), number in rows.items():
        hosts = known[publication, day]
        if host and host not in hosts and len(hosts) >= MOST_SOURCES:
            kept[publication, day, edition, ReadSource.OTHERS] += number
        else:
            hosts.add(host)
            kept[publication, day, edition, host] += number
    return kept


def known_hosts(days: Collection[tuple[int, str]]) -> dict[tuple[int, str], set[str]]:
    """The sources that these publications have on these days, and maybe on others."""
    known: dict[tuple[int, str], set[str]] = defaultdict(set)
    ordered = sorted(days)
    for start in range(0, len(ordered), ROWS):
        publications, dates = map(set, zip(*ordered[start : start + ROWS], strict=True))
        found = ReadSource.objects.filter(publication__in=publications, day__in=dates)
        for publication, day, host in found.values_list("publication_id", "day", "host"):
            known[publication, day.isoformat()].add(host)
    return known


def add_views(views: Mapping[int, int]) -> None:
    """Adds {publication: views} to the counts of their lives."""
    rows = {(publication,): (number,) for publication, number in views.items()}
    upsert(ViewCount, ("publication_id",), ("views",), rows)


def add_totals(added: Added, workspaces: Mapping[int, uuid.UUID]) -> None:
    """Adds to `ReadMonth` and `WorkspaceDay` what came to `ReadDay`."""
    months: dict[tuple[int, date], Counter[str]] = defaultdict(Counter)
    days: dict[tuple[uuid.UUID, date], Counter[str]] = defaultdict(Counter)
    for (publication, day), more in added.items():
        months[publication, day.replace(day=1)].update(more)
        days[workspaces[publication], day].update(more)
    upsert(ReadMonth, ("publication_id", "month"), SUMS, numbers_of(months))
    upsert(WorkspaceDay, ("workspace_id", "day"), SUMS, numbers_of(days))


def numbers_of(rows: Mapping[Any, Mapping[str, int]]) -> dict[tuple[Any, ...], tuple[int, ...]]:
    return {row: tuple(more[name] for name in SUMS) for row, more in rows.items()}


def upsert(
    model: type[Model],
    fields: Sequence[str],
    sums: Sequence[str],
    rows: Mapping[tuple[Any, ...], tuple[int, ...]],
) -> None:
    """Adds to `sums` of the rows with these values of `fields`, which are made where they are missing."""
    table, ordered = model._meta.db_table, sorted(row for row, more in rows.items() if any(more))
    added = [row for row in ordered if min(rows[row]) >= 0]
    places = f"({', '.join(['%s'] * (len(fields) + len(sums)))})"
    columns: list[Any] = [model._meta.get_field(name) for name in fields]
    with connection.cursor() as cursor:
        for start in range(0, len(added), ROWS):
            part = added[start : start + ROWS]
            cursor.execute(
                f"INSERT INTO {table} ({', '.join([*fields, *sums])}) "  # noqa: S608
                f"VALUES {', '.join([places] * len(part))} ON CONFLICT ({', '.join(fields)}) "
                f"DO UPDATE SET {', '.join(f'{name} = {table}.{name} + EXCLUDED.{name}' for name in sums)}",
                [
                    value
                    for row in part
                    for value in (
                        *(c.get_db_prep_save(v, connection) for c, v in zip(columns, row, strict=True)),
                        *rows[row],
                    )
                ],
            )
    for row in ordered:
        if min(rows[row]) < 0:  # taken back: no row that would be made with it could hold it
            less = {name: -more for name, more in zip(sums, rows[row], strict=True)}
            take_back(model, fields, row, less)


def take_back(
    model: type[Model], fields: Sequence[str], row: Sequence[object], less: Mapping[str, int]
) -> bool:
    """Takes these numbers from a row; returns whether there is one that has so much."""
    enough = {f"{name}__gte": number for name, number in less.items()}
    there = model._default_manager.filter(**dict(zip(fields, row, strict=True)), **enough)
    return bool(there.update(**{name: F(name) - number for name, number in less.items()}))
