"""What every app asks of the database connection itself."""

import time
from typing import TypeVar

from django.conf import settings
from django.db import connection
from django.db.models import Model, QuerySet

Of = TypeVar("Of", bound=Model)
Row = TypeVar("Row")  # one of these, or some of its values


def only(rows: QuerySet[Of, Row]) -> Row | None:
    """The row of a set that has at most one; None of an empty set.

    `first()` orders the set, and to order one row by what a dozen joins select takes Django longer than to get it.
    """
    return next(iter(rows.order_by()[:1]), None)


def clock() -> float:
    """Seconds since 1970 by the database's clock: those of several machines may differ. SQLite has the machine's."""
    if connection.vendor == "sqlite":
        return time.time()
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXTRACT(EPOCH FROM clock_timestamp())")
        return float(cursor.fetchone()[0])


def release_connection() -> None:
    """Gives the database connection back before a long wait, so that none is held while nothing is asked.

    Not for use in a transaction, which would be rolled back.
    """
    connection.close()


def close_connection() -> None:
    """Closes the connection, and the pool it is from with its threads: a fork must have neither."""
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()  # type: ignore[attr-defined] # this backend's alone


def give_way(after: float) -> None:
    """Has what comes in this transaction fail once it waits for so many seconds for rows that others hold. Under a
    second, it does so before the database looks for a deadlock, of which it would end either side.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{round(after * 1000)}ms"])


def limit_statements() -> None:
    """Ends each statement of this process after DATABASE_STATEMENT_TIMEOUT; called before the first connection."""
    if connection.vendor == "postgresql":
        limit = f"-c statement_timeout={settings.DATABASE_STATEMENT_TIMEOUT * 1000}"
        connection.settings_dict["OPTIONS"]["options"] = limit
