"""100,000 views on 1,000 capsules, from the batches of the web processes to the ranks; and what that leaves on disk."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.feed.build import scalar, size_of
from benchmarks.feed.pages import count
from feed import ranks

VIEWS, CAPSULES, BATCH = 100_000, 1000, 1000  # a batch: between two flushes, at 200 a second
RELATIONS = (
    "publishing_viewcount",
    "publishing_viewcount_pkey",
    "feed_feedrank",
    "feed_feedrank_pkey",
    "feed_rank_order",
)


def measure(listed: int) -> None:
    chosen = random.sample(range(1, listed + 1), CAPSULES)
    before = {relation: size_of(relation) for relation in RELATIONS}
    hot, updated = updates()
    counting = statements_of(lambda: [count(random.choices(chosen, k=BATCH)) for _ in range(VIEWS // BATCH)])
    following = statements_of(ranks.follow_views)
    print(
        f"\n{VIEWS:,} views on {CAPSULES:,} capsules: {counting} to count, {following} for the ranks to follow"
    )
    time.sleep(2)  # statistics arrive late
    later_hot, later_updated = updates()
    print(
        f"  view counts: {later_updated - updated:,} updates, {(later_hot - hot) / (later_updated - updated):.0%} HOT"
    )
    for relation in RELATIONS:
        grown = size_of(relation) - before[relation]
        print(f"  {relation:<28} {before[relation] / 1e6:7.1f} MB, grew by {grown / 1e6:.2f} MB")


def statements_of(work: Callable[[], Any]) -> str:
    began = time.perf_counter()
    with CaptureQueriesContext(connection) as captured:
        work()
    return f"{len(captured)} statements ({time.perf_counter() - began:.1f} s)"


def updates() -> tuple[int, int]:
    """(HOT updates, all updates) of the view counts so far."""
    hot = "SELECT n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'publishing_viewcount'"
    return scalar(hot), scalar(hot.replace("n_tup_hot_upd", "n_tup_upd"))
