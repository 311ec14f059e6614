"""What is deleted of sums: with a publication its days, and of a day that is over the name of a site that very few came
from. Since names are kept once enough came (`counting`), that is one from which robots were taken back.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Model, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, TruncMonth

from accounts.models import Workspace
from config.json_types import JsonObject
from publishing.models import (
    Publication,
    ReadDay,
    ReadMonth,
    ReadSource,
    ViewCount,
    ViewFlush,
    WorkspaceDay,
)
from publishing.statistics import sums

FEWEST = 3  # readers of a day; fewer could name a person
OVER = timedelta(days=2)  # after which a day is over in every time zone
BATCHES_KEPT = timedelta(days=1)
MOST_ROWS = 10_000  # of one run
#: The sums of publications in the order in which a batch adds to them, with what its rows are sorted by.
IN_ORDER: tuple[tuple[type[Model], tuple[str, ...]], ...] = (
    (ReadDay, ("publication_id", "day", "edition_id", "surface")),
    (ReadSource, sums.SOURCE_FIELDS),
    (ViewCount, ("publication_id",)),
    (ReadMonth, ("publication_id", "month")),
)


def forget_small_sources(now: datetime) -> int:
    """Adds sources of past days under FEWEST readers to the others; returns how many rows these were."""
    past = ReadSource.objects.filter(day__lt=(now - OVER).date()).exclude(host__in=["", ReadSource.OTHERS])
    groups = past.values("publication", "day", "host").annotate(readers=Sum("opened"))
    small = list(groups.filter(readers__lt=FEWEST).order_by("day")[:MOST_ROWS])
    forgotten = 0
    for group in small:
        with transaction.atomic():
            rows = list(
                ReadSource.objects.filter(**{name: group[name] for name in ("publication", "day", "host")})
                .order_by("pk")
                .select_for_update()
            )
            others = {
                (row.publication_id, row.day.isoformat(), row.edition_id, ReadSource.OTHERS): (row.opened,)
                for row in rows
            }
            forgotten += ReadSource.objects.filter(pk__in=[row.pk for row in rows]).delete()[0]
            sums.upsert(ReadSource, sums.SOURCE_FIELDS, ("opened",), others)
    return forgotten


def forget_old_batches(now: datetime) -> int:
    """Deletes flush ids that cannot come back."""
    return ViewFlush.objects.filter(applied_at__lt=now - BATCHES_KEPT).delete()[0]


def forget_reads_of(publication: Publication) -> None:
    """Deletes the days of a publication that is being deleted, and takes them from the sums that others are in.

    An edition's are in the months of its capsule. With the days gone, nobody takes them a second time.
    """
    # A batch may be adding to it.
    list(Publication.objects.select_for_update().order_by().filter(pk=publication.pk).values_list("pk"))
    rows = ReadDay.objects.filter(Q(publication=publication) | Q(edition=publication)).order_by()
    if not rows.exists():  # as of most that are deleted: drafts and editions that nobody opened
        return
    days = WorkspaceDay.objects.filter(workspace=publication.story.workspace_id, day__in=rows.values("day"))
    days.update(**less(rows.filter(day=OuterRef("day")).values("day")))
    of_capsules = rows.exclude(publication=publication).annotate(month=TruncMonth("day"))
    there = of_capsules.filter(publication=OuterRef("publication"), month=OuterRef("month"))
    months = ReadMonth.objects.filter(publication__in=of_capsules.values("publication"))
    months.filter(month__in=of_capsules.values("month")).update(**less(there.values("month")))
    rows.delete()


def forget_reads_in(workspace: Workspace) -> None:
    """Deletes all sums of a workspace that is being deleted, in the order in which a batch holds them: readers have its
    capsules open, and neither waits for the other.
    """
    own = {"publication__story__workspace": workspace}
    tables = [(model._default_manager.filter(**own), order) for model, order in IN_ORDER]
    for rows, order in (*tables, (WorkspaceDay.objects.filter(workspace=workspace), ("day",))):
        list(rows.order_by(*order).select_for_update(of=("self",)).values_list("pk"))
        rows.delete()


def less(rows: QuerySet[ReadDay, Any]) -> JsonObject:
    """Each sum without those of rows."""
    return {
        name: F(name) - Coalesce(Subquery(rows.annotate(n=Sum(name)).values("n")), 0) for name in sums.SUMS
    }
