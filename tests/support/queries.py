"""How often a page asks the database."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext


def asks_as_often(client: Client, page: str, after: Callable[[], object]) -> bool:
    """Whether a page needs no more queries once `after` has made more rows."""

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert client.get(page).status_code == 200
        return len(asked)

    queries()  # which fills caches
    before = queries()
    after()
    return queries() <= before
