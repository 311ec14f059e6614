"""What each connected app did last at the MCP server, and why it was refused, for people whose app "has no tools".

A connection is written at most once a minute, and once more for a refusal of another kind.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from datetime import datetime

from django.utils import timezone

from accounts.actors import MissingScope
from accounts.models import Connection
from config import stopping
from config.database import release_connection
from config.errors import CapsulesError, Forbidden, Locked, Throttled
from config.ids import uuid_of
from config.json_types import JsonObject

logger = logging.getLogger(__name__)

Refusal = Connection.Refusal
EVERY = 60.0  # seconds between two writes of one connection
LOOK = 3.0  # seconds between two looks at what waits
MOST = 10_000  # connections that may wait: what comes beyond is not noted
STAMPS = {
    "initialize": "handshake_at",
    "server/discover": "handshake_at",
    "tools/list": "listed_at",
    "tools/call": "called_at",
}


class Visits:
    """What this process has seen and not written yet, by connection."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting: dict[uuid.UUID, JsonObject] = {}
        self.written: dict[uuid.UUID, tuple[float, str]] = {}  # when, and which refusal was the last

    def saw(self, credential: str, method: str) -> None:
        """A message of the protocol that was let through."""
        if field := STAMPS.get(method):
            self.note(connection_of(credential), **{field: timezone.now()})

    def refused(self, credential: str, kind: Refusal, words: str) -> None:
        self.note(
            connection_of(credential), refused_at=timezone.now(), refusal=str(kind), refusal_words=words[:200]
        )

    def note(self, connection: uuid.UUID | None, **fields: str | datetime) -> None:
        with self.lock:
            if connection is not None and (connection in self.waiting or len(self.waiting) < MOST):
                self.waiting.setdefault(connection, {}).update(fields)

    def due(self, *, all: bool = False) -> dict[uuid.UUID, dict[str, object]]:
        """Takes what is to be written now."""
        now = time.monotonic()
        with self.lock:
            self.written = {id: (at, kind) for id, (at, kind) in self.written.items() if at > now - EVERY}
            found = {
                id: fields
                for id, fields in self.waiting.items()
                if all or id not in self.written or fields.get("refusal", kind := self.written[id][1]) != kind
            }
            for id, fields in found.items():
                del self.waiting[id]
                self.written[id] = (now, fields.get("refusal", ""))
        return found

    def write(self, *, all: bool = False) -> int:
        """Writes what is due; returns how many connections that were."""
        found = self.due(all=all)
        for id, fields in found.items():
            Connection.objects.filter(pk=id).update(**fields)
        return len(found)

    def write_until_stopped(self) -> None:
        while not stopping.has_begun():
            self.attempt()
            stopping.rest(LOOK)
        self.attempt(all=True)

    def attempt(self, *, all: bool = False) -> None:
        try:
            self.write(all=all)
        except Exception:  # the database is away: what comes next is noted again
            logger.warning("What connected apps did last could not be written", exc_info=True)
        finally:
            release_connection()


visits = Visits()


def start_writing() -> None:
    threading.Thread(target=visits.write_until_stopped, name="visits of apps").start()


def connection_of(credential: str) -> uuid.UUID | None:
    """None for the credential of anything else."""
    kind, _, id = credential.partition(":")
    return uuid_of(id) if kind == "connection" else None


def refusal_kind(error: CapsulesError) -> Refusal | None:
    """Why an app was refused, as far as its person can do something about it; None for what it should do better."""
    if isinstance(error, MissingScope):
        return Refusal.SCOPE
    if isinstance(error, Throttled):
        return Refusal.RATE
    if isinstance(error, Forbidden):
        return Refusal.ROLE
    if isinstance(error, Locked) and error.retry_after is None:
        return Refusal.SUSPENDED
    return None
