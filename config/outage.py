"""What the service depends on and may have to do without for a while: database, Redis, bucket, room on the disk.

`error_for` tells whether an exception means such an outage, and what a caller is told: 503 with Retry-After, or 507.
"""

from __future__ import annotations

import errno
import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

import botocore.exceptions
import kombu.exceptions
import redis
from django.conf import settings
from django.db import DatabaseError, IntegrityError, InterfaceError, InternalError, OperationalError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from psycopg_pool import PoolTimeout

from config.errors import CapsulesError, NoSpace, Unavailable

logger = logging.getLogger(__name__)

RETRY_AFTER = 3  # seconds
QUIET = 60.0  # seconds between two lines of one logger about an outage
AWAY = _("The service cannot reach its data at the moment. Please try again in a few seconds.")
BUSY = _("The service took too long to answer. Please try again in a few seconds.")
READ_ONLY = _("The service cannot save anything at the moment; reading still works. Please try again later.")
NO_BUCKET = (botocore.exceptions.ConnectionError, botocore.exceptions.HTTPClientError)  # or no answer in time
FULL = _("The service has no space left to save this; reading still works. Please try again later.")


class Busy(Unavailable):
    """Everything is there, but others used it for so long that this caller's turn did not come in time."""


class OneLineForAnOutage(logging.Filter):
    """Reduces what everything logs during an outage to one line a minute for each logger, without traceback."""

    def __init__(self) -> None:
        super().__init__()
        self.logged: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        exc = record.exc_info[1] if record.exc_info else None
        if error_behind(exc) is not None:
            message = record.getMessage().partition("\n")[0]  # Celery's timer adds its stack to the words
            record.exc_info, record.msg, record.args = None, f"{message} [{reason_line(exc)}]", ()
        elif record.name == "psycopg.pool":  # which warns each time that it cannot connect
            record.msg, record.args = reason_line(record.getMessage()), ()
        else:
            return True
        now = time.monotonic()
        if now - self.logged.get(record.name, -QUIET) < QUIET:
            return False
        self.logged[record.name] = now
        return True


def reason_line(reason: object) -> str:
    return " ".join(str(reason).split())


def log_unwritten(error: Exception) -> None:
    """For what goes on without having been written down."""
    logger.error("Nothing can be written", exc_info=error)


@contextmanager
def note(*, needed: bool = False) -> Iterator[None]:
    """For writing down something, such as a count or a last use. Where nothing can be written, a read goes on without
    it, unless it is `needed`. Not for use in a transaction: PostgreSQL carries nothing out in one that had an error.
    """
    try:
        yield
    except DatabaseError as error:
        if needed or not cannot_write(error):
            raise
        log_unwritten(error)


def error_for(exc: BaseException | None) -> CapsulesError | None:
    """What to tell a caller where an exception means an outage; None where it is anything else."""
    while exc is not None:
        error = unavailable(exc)
        if error is not None:
            return error
        exc = exc.__cause__
    return None


def answer_for(exc: BaseException | None) -> CapsulesError | None:
    """The same for whoever may ask again: also where what a new row refers to was deleted at this moment."""
    if isinstance(exc, IntegrityError) and refers_to_nothing(exc.__cause__):
        logger.warning("A row refers to what is gone", exc_info=exc)
        return busy()
    return error_for(exc)


def refers_to_nothing(cause: object) -> bool:
    names = (getattr(cause, "sqlstate", None), getattr(cause, "sqlite_errorname", None))
    return "23503" in names or "SQLITE_CONSTRAINT_FOREIGNKEY" in names


def error_behind(exc: BaseException | None) -> CapsulesError | None:
    """The same where a library raised an error of its own while it handled the outage."""
    while exc is not None:
        error = error_for(exc)
        if error is not None:
            return error
        exc = exc.__context__
    return None


def unavailable(exc: BaseException) -> CapsulesError | None:
    if isinstance(exc, Busy):
        return exc
    cause: object = exc.__cause__ or exc
    if isinstance(cause, sqlite3.OperationalError):
        return of_sqlite(cause)
    if isinstance(exc, OperationalError | InterfaceError | InternalError):
        if isinstance(cause, PoolTimeout):  # all connections are in use, or the server gives none
            return busy()
        return of_postgresql(exc, getattr(cause, "sqlstate", None))
    if isinstance(exc, OSError) and exc.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoSpace(FULL)
    if isinstance(exc, OSError) and (exc.errno == errno.EROFS or is_kept_from_us(exc)):
        return unavailable_because(READ_ONLY)
    if isinstance(exc, NO_BUCKET):
        return unavailable_because(AWAY)
    if isinstance(exc, redis.ConnectionError | redis.TimeoutError | kombu.exceptions.OperationalError):
        return unavailable_because(AWAY)
    return None


def is_kept_from_us(error: OSError) -> bool:
    """Whether a folder of ours was made unwritable."""
    return isinstance(error, PermissionError) and str(error.filename).startswith(str(settings.DATA_DIR))


def of_sqlite(error: sqlite3.OperationalError) -> CapsulesError | None:
    name = getattr(error, "sqlite_errorname", None) or ""
    if name == "SQLITE_FULL":
        return NoSpace(FULL)
    if name.startswith("SQLITE_READONLY"):
        return unavailable_because(READ_ONLY)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return busy()
    return unavailable_because(AWAY) if name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN")) else None


def of_postgresql(exc: Exception, sqlstate: str | None) -> CapsulesError | None:
    """By the class of its SQLSTATE; a connection that failed has none."""
    if sqlstate == "53100":  # disk full
        return NoSpace(FULL)
    if sqlstate == "25006":  # read-only transaction
        return unavailable_because(READ_ONLY)
    if sqlstate in ("57014", "55P03", "40P01"):  # statement_timeout, lock_timeout, deadlock
        return busy()
    if sqlstate is None:
        return None if isinstance(exc, InternalError) else unavailable_because(AWAY)
    return unavailable_because(AWAY) if sqlstate.startswith(("08", "53", "57P")) else None


def for_operator(exc: BaseException) -> str | None:
    """One line for the person whose command met an outage; None where it was another error."""
    error = error_behind(exc)
    if error is None:
        return None
    if str(error) == FULL:
        return (
            f"No space left: make room where DATA_DIR, the database and the media are. ({reason_line(exc)})"
        )
    if str(error) == READ_ONLY:
        return f"Nothing can be written: the database or DATA_DIR is read-only. ({reason_line(exc)})"
    return f"The database, Redis or the bucket does not answer. ({reason_line(exc)})"


def busy() -> Busy:
    return Busy(BUSY, retry_after=RETRY_AFTER)


def unavailable_because(message: str | Promise) -> Unavailable:
    return Unavailable(message, retry_after=RETRY_AFTER)


def cannot_write(exc: BaseException) -> bool:
    """Whether an exception means that nothing can be written, although everything can be read."""
    error = error_for(exc)
    return error is not None and str(error) in (FULL, READ_ONLY)
