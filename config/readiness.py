"""GET /readyz: whether this web server has all it needs, and what is missing. Liveness is /api/v2/health."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.core.cache import cache
from django.core.files.storage import storages
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from config.database import clock
from config.redis_client import connect

KNOWN_FOR = 2.0  # seconds for which an answer counts, so that nobody can wear the service out by asking
TOO_OLD = 30.0  # seconds after which an answer no longer stands in for one that somebody waits for
ROOM = 64 * 1024 * 1024  # bytes that must be free where files are written
SWEEP = "swept-at"  # key of the cache
SWEEPS_MISSED = 4  # before the worker counts as gone, and never less than a minute


class NotReady(Exception):
    """`str(error)` says why, without addresses or secrets."""


def check_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def check_migrations() -> None:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        raise NotReady(f"{len(missing)} migrations are not applied; run manage.py migrate")


def check_broker() -> None:
    if settings.REDIS_URL:
        connect().ping()


def check_storage() -> None:
    """Files can be written here; of a bucket, that it answers."""
    if settings.STORAGE_URL:
        storages["readyz"].exists("blobs/readyz")
    for name, folder in (("DATA_DIR", settings.DATA_DIR), ("TMPDIR", tempfile.gettempdir())):
        if shutil.disk_usage(folder).free < ROOM:
            raise NotReady(f"less than 64 MB are free where {name} is")
        try_to_write(folder)
    media = Path(settings.MEDIA_ROOT)
    for folder in (media, *media.glob("*/")):
        try_to_write(folder)


def try_to_write(folder: Path | str) -> None:
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"ready")


def check_sweep() -> None:
    age = sweep_age()
    if age is None:
        raise NotReady("no sweep has been made yet; is a worker with a timer running?")
    if age > late_after():
        raise NotReady(f"the last sweep was {age:.0f} s ago; is a worker with a timer running?")


def late_after() -> float:
    """Seconds without a sweep from which on something is wrong."""
    return float(max(60, SWEEPS_MISSED * settings.SWEEP_INTERVAL))


def note_sweep() -> None:
    """Called by the worker after a sweep."""
    cache.set(SWEEP, clock(), timeout=None)


def sweep_age() -> float | None:
    """Seconds since the last sweep; None where there was none yet."""
    swept_at = cache.get(SWEEP)
    return None if swept_at is None else max(0.0, clock() - swept_at)


CHECKS: dict[str, Callable[[], None]] = {
    "database": check_database,
    "migrations": check_migrations,
    "broker": check_broker,
    "storage": check_storage,
    "sweep": check_sweep,
}
NEED_DATABASE = ("migrations", "sweep")


def reasons() -> dict[str, str]:
    """What is missing, by the name of its check; empty where the service is ready."""
    missing: dict[str, str] = {}
    for name, check in CHECKS.items():
        if "database" in missing and name in NEED_DATABASE:
            continue
        try:
            check()
        except NotReady as error:
            missing[name] = str(error)
        except Exception as error:  # whatever it is, its text may name addresses
            missing[name] = f"does not answer ({type(error).__name__})"
    return missing


class Kept:
    """The last answer and its time. One caller at a time asks anew; the others get the last answer meanwhile, as long
    as it is not too old: where something hangs, they would take all threads.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.asked_at: float | None = None
        self.missing: dict[str, str] = {}

    def is_older_than(self, seconds: float) -> bool:
        return self.asked_at is None or time.monotonic() - self.asked_at >= seconds

    def reasons(self) -> dict[str, str]:
        if self.lock.acquire(blocking=self.is_older_than(TOO_OLD)):
            try:
                if self.is_older_than(KNOWN_FOR):
                    self.missing = reasons()
                    self.asked_at = time.monotonic()
            finally:
                self.lock.release()
        return self.missing

    def told(self) -> dict[str, bool]:
        """Whether each check is fine; without those that could not be made."""
        missing = self.reasons()
        unknown = NEED_DATABASE if "database" in missing else ()
        return {name: name not in missing for name in CHECKS if name not in unknown}


kept = Kept()


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    missing = kept.reasons()
    body = {"status": "not ready", "reasons": missing} if missing else {"status": "ready"}
    return JsonResponse(body, status=503 if missing else 200, headers={"Cache-Control": "no-store"})
