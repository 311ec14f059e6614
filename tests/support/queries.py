"""How often a page asks the database."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext


def queries_of(client: Client, page: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert client.get(page).status_code == 200
    return len(asked)


def asks_as_often(client: Client, page: str, after: Callable[[], object], *, most: int = 30) -> bool:
    """Whether a page needs at most so many queries, and no more of them once `after` has made more rows."""
    queries_of(client, page)  # which fills caches
    before = queries_of(client, page)
    after()
    return queries_of(client, page) <= before <= most
