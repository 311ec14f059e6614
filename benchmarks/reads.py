"""A year of a thousand capsules, a million reads, and capsules that few read: bytes a view, and how long the numbers
take to show.

DATABASE_URL=postgres://… python -m benchmarks.reads [PART …]    (an empty database of its own, which it migrates)
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from importlib import import_module

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.apps import apps  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from accounts.actions.workspaces import make_workspace  # noqa: E402
from accounts.models import User, Workspace  # noqa: E402
from capsules.models import Story  # noqa: E402
from config import static  # noqa: E402
from publishing.models import Publication, ReadDay, ReadSource, ViewCount  # noqa: E402
from publishing.statistics import counting  # noqa: E402
from publishing.statistics.keeping import FEWEST  # noqa: E402
from publishing.statistics.sums import SOURCE, Change  # noqa: E402

TABLES = (
    *("publishing_readday", "publishing_readsource", "publishing_sceneorder", "publishing_readmonth"),
    *("publishing_workspaceday", "publishing_viewcount", "publishing_viewflush"),
)
SCENES, DAYS, TODAY = 8, 30, date.today()
FIRST = 300  # readers a day of the first capsule of a long tail
PARTS = ["year", "few", "tail", "million"]
HOSTS = ["", "", "", "news.example", "search.example", "social.example"]


def make(workspace: Workspace, number: int) -> list[Publication]:
    stories = Story.objects.bulk_create(Story(workspace=workspace, title=f"Story {n}") for n in range(number))
    return Publication.objects.bulk_create(Publication(story=story) for story in stories)


def sizes() -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {' + '.join(f'pg_total_relation_size({t!r})' for t in TABLES)}")
        return int(cursor.fetchone()[0])


def readers(publication: Publication, day: date, number: int) -> Counter[Change]:
    """Changes as so many readers make them."""
    page, changes = (publication.pk, publication.pk, day.isoformat()), Counter[Change]()
    hosts = Counter[str]()
    for _ in range(number):
        surface, reached = random.choice((1, 1, 1, 2, 3)), random.randint(1, SCENES)
        facts = ["o", *(str(n) for n in range(reached)), *["r"] * (reached > 1), *["f"] * (reached == SCENES)]
        changes.update(Change(*page, surface, fact) for fact in facts)
        hosts[random.choice(HOSTS)] += 1
    for host, came in hosts.items():
        name = ReadSource.OTHERS if host and came < FEWEST else host
        changes[Change(*page, SOURCE, name)] += came
    return changes


def count(what: str, told: Iterable[tuple[Publication, date, int]]) -> None:
    """Counts so many readers of a capsule and day after the other, in batches, and prints bytes a view."""
    views, before, began, batch = 0, sizes(), time.perf_counter(), Counter[Change]()
    publications = set()
    for publication, day, number in told:
        batch.update(readers(publication, day, number))
        views += number
        publications.add(publication.pk)
        if sum(batch.values()) > 20_000:
            counting.add(batch, uuid.uuid4())
            batch = Counter()
    counting.add(batch, uuid.uuid4())
    took, own = time.perf_counter() - began, ViewCount.objects.filter(publication__in=publications)
    assert sum(own.values_list("views", flat=True)) == views
    size = (sizes() - before) / views
    print(f"{what}, {views:,} reads in {DAYS} days: {size:.1f} bytes a view, {took:.0f} s", flush=True)


def million(publications: list[Publication]) -> Iterator[tuple[Publication, date, int]]:
    """A million reads in no order."""
    left = 1_000_000
    while left:
        number = min(left, random.randint(1, 200))
        yield random.choice(publications), TODAY - timedelta(days=random.randrange(DAYS)), number
        left -= number


def steady(publications: list[Publication], number: int) -> Iterator[tuple[Publication, date, int]]:
    """As many readers on every day."""
    for n in range(DAYS):
        for publication in publications:
            yield publication, TODAY - timedelta(days=DAYS - n), number


def long_tail(publications: list[Publication], most: int) -> Iterator[tuple[Publication, date, int]]:
    """The nth capsule has an nth of the first one's readers: below one, on some days alone."""
    for n in range(DAYS):
        for rank, publication in enumerate(publications, start=1):
            number = int(most / rank + random.random())
            if number:
                yield publication, TODAY - timedelta(days=DAYS - n), number


def year(client: Client, workspace: Workspace, publications: list[Publication]) -> None:
    """Every capsule is read on every day of a year, on two surfaces."""
    rows = (
        ReadDay(
            publication=row, edition=row, day=TODAY - timedelta(days=n), surface=surface,
            opened=90, read=80, finished=40, reached=[90, 80, 70, 60, 50, 45, 42, 40],
        )
        for n in range(366) for row in publications for surface in (1, 2)
    )  # fmt: skip
    while part := [row for _, row in zip(range(20_000), rows, strict=False)]:
        ReadDay.objects.bulk_create(part)
    sums = import_module("publishing.migrations.0019_fill_totals_of_reads")
    sums.empty(apps, None)
    began = time.perf_counter()
    sums.fill(apps, None)
    print(f"back-fill of sums: {time.perf_counter() - began:.1f} s")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    first = TODAY - timedelta(days=365)
    odd, past = TODAY.replace(day=2) - timedelta(days=335), TODAY.replace(day=1) - timedelta(days=2)
    story = publications[0].story_id
    for name, path in (
        ("a year of the workspace, page", f"/studio/{workspace.pk}/statistics?from={first}"),
        ("a year of one capsule, page", f"/studio/stories/{story}/statistics?from={first}"),
        ("thirty days of the workspace, page", f"/studio/{workspace.pk}/statistics"),
        ("two half months and ten whole, page", f"/studio/{workspace.pk}/statistics?from={odd}&to={past}"),
    ):
        took = []
        for _ in range(15):
            began = time.perf_counter()
            assert client.get(path, secure=True).status_code == 200
            took.append(1000 * (time.perf_counter() - began))
        print(
            f"{name}: median {statistics.median(took):.0f} ms, least {min(took):.0f}, most {max(took):.0f}",
            flush=True,
        )


def main(parts: list[str]) -> None:
    call_command("migrate", verbosity=0)
    static.collect_static()
    owner = User.objects.create_user(f"{uuid.uuid4()}@example.com")
    client = Client()
    client.force_login(owner)
    if "year" in parts:
        workspace = make_workspace("A year", by=owner)
        year(client, workspace, make(workspace, 1000))
    if "few" in parts:
        for number in (1, 3, 10, 30, 100):
            made = make(make_workspace(f"{number} a day", by=owner), 100)
            count(f"100 capsules, {number} readers a day each", steady(made, number))
    if "tail" in parts:
        made = make(make_workspace("A long tail", by=owner), 1000)
        count(f"1,000 capsules, the nth with {FIRST}/n readers a day", long_tail(made, FIRST))
    if "million" in parts:
        count("100 capsules in no order", million(make(make_workspace("A million", by=owner), 100)))


if __name__ == "__main__":
    main(sys.argv[1:] or PARTS)
