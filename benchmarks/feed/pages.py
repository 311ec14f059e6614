"""Pages of the feed at any depth, by cursor and by OFFSET, while views come in."""

from __future__ import annotations

import random
import statistics
import time
import uuid
from collections import Counter
from collections.abc import Callable
from datetime import date
from multiprocessing import get_context
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks.feed import counting
from feed import keyset, lists, ranks
from feed.models import FeedRank
from publishing.models import Surface
from publishing.statistics import counting as reads
from publishing.statistics.sums import OPENED, Change

LIMIT = 50
PAGES = (1, 1000, 10_000)
ROUNDS = 150
VIEWS_A_SECOND = 200


def keep_counting(stop: Any, listed: int) -> None:
    """Counts VIEWS_A_SECOND as the web processes do, a batch each second, and lets the ranks follow every 15 s."""
    began, seconds = time.monotonic(), 0
    while not stop.wait(max(0.0, began + seconds - time.monotonic())):
        count([random.randint(1, listed) for _ in range(VIEWS_A_SECOND)])
        seconds += 1
        if seconds % 15 == 5:
            start = time.perf_counter()
            changed = ranks.follow_views()
            print(
                f"  meanwhile {changed:,} ranks followed their views in {time.perf_counter() - start:.2f} s",
                flush=True,
            )


def count(publication_ids: list[int]) -> None:
    """Takes a batch of views to the database as the web processes do."""
    day = date.today().isoformat()
    reads.add(Counter(Change(pk, pk, day, Surface.PAGE, OPENED) for pk in publication_ids), uuid.uuid4())


def measure(listed: int) -> None:
    context = get_context("spawn")
    stop = context.Event()
    connection.close()
    child = context.Process(target=counting.run, args=(stop, listed))
    child.start()
    try:
        time.sleep(5)
        pages = [page for page in PAGES if page * LIMIT <= listed]
        by_cursor(pages)
        by_offset(pages)
    finally:
        stop.set()
        child.join()


def by_cursor(pages: list[int]) -> None:
    client = Client()
    addresses = {page: address_of(page) for page in pages}
    requests: dict[int, list[float]] = {page: [] for page in pages}
    queries: dict[int, list[float]] = {page: [] for page in pages}
    for _ in range(ROUNDS):  # taken in turns, so that a busy moment of the machine meets all alike
        for page in pages:
            requests[page].append(timed(lambda page=page: client.get(addresses[page])))
            queries[page].append(
                timed(lambda page=page: lists.ranked(limit=LIMIT, cursor=cursor_of(addresses[page])))
            )
    print(
        f"\nGET /feed by cursor, {LIMIT} items, {VIEWS_A_SECOND} views/s coming in, ms (median / p95 of {ROUNDS}):"
    )
    for page in pages:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(addresses[page]).status_code == 200
        ratio = statistics.median(requests[page]) / statistics.median(requests[1])
        print(f"  page {page:>6,}: request {spread(requests[page])}, query {spread(queries[page])}, "
              f"{len(captured)} queries, {ratio:.2f} x page 1")  # fmt: skip


def by_offset(pages: list[int]) -> None:
    print("\nthe same by OFFSET, query alone, ms (median / p95 of 7):")
    for page in pages:
        start = (page - 1) * LIMIT
        times = [
            timed(lambda start=start: list(FeedRank.objects.ranked()[start : start + LIMIT]))
            for _ in range(7)
        ]
        print(f"  page {page:>6,}: {spread(times)}")


def address_of(page: int) -> str:
    """The address that a reader who walked there would ask for."""
    if page == 1:
        return f"/api/v2/feed?limit={LIMIT}"
    before = FeedRank.objects.ranked()[(page - 1) * LIMIT - 1]
    return f"/api/v2/feed?limit={LIMIT}&cursor={keyset.encode_position(lists.RANKED, before.position)}"


def cursor_of(address: str) -> str | None:
    return address.partition("cursor=")[2] or None


def timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def spread(times: list[float]) -> str:
    return f"{statistics.median(times):7.2f} / {statistics.quantiles(times, n=20)[-1]:7.2f}"
