"""What pages told this process and what is not counted yet: at most a second's worth."""

from __future__ import annotations

import hashlib
import hmac
import logging
import threading
import time
import uuid
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection

from accounts.throttling import address_of
from config import outage, stopping
from publishing.statistics import counting
from publishing.statistics.counting import DAY, Batch, Note, Page
from publishing.statistics.robots import LONGEST_AGENT

logger = logging.getLogger(__name__)

COUNT_EVERY = 1.0  # seconds
MOST_FAILURES = 10  # of a batch, before it is asked whether others could be counted
MOST_NOTES = 200_000  # kept in memory; beyond them reads are lost rather than the process


class Told(NamedTuple):
    """What a page tells of one reader."""

    page: Page
    time_zone: str
    surface: int
    facts: frozenset[str]
    host: str = ""


class Day(NamedTuple):
    date: date
    ends_at: float  # seconds since 1970


class Notebook:
    """The notes that this process has not handed over yet."""

    def __init__(self) -> None:
        self.notes: dict[str, Note] = {}  # by reader and page
        self.batch: Batch | None = None  # that is being counted, or waits to be
        self.name = uuid.uuid4().hex
        self.lock = threading.Lock()  # of the notes; held for no longer than it takes to write one
        self.handing = threading.Lock()

    def saw(self, told: Told, environ: Mapping[str, Any]) -> None:
        """Notes what a reader did."""
        agent = environ.get("HTTP_USER_AGENT", "")[:LONGEST_AGENT]
        note = note_of(told, address_of(environ), agent)
        with self.lock:
            before = self.notes.get(note.reader)
            if before or len(self.notes) < MOST_NOTES:
                self.notes[note.reader] = before.and_then(note) if before else note

    def hand_over(self) -> None:
        """Has all notes counted; they are kept where that fails, and counted once."""
        with self.handing:
            if self.batch is None:
                with self.lock:
                    notes, self.notes = self.notes, {}
                self.batch = Batch(self.name, list(notes.values()))
            try:
                counting.count(self.batch)
            except Exception as error:
                # Others who hold a row for long, as a large workspace that is being deleted, say nothing of the batch.
                self.batch.failures += not isinstance(outage.error_for(error), outage.Busy)
                if self.batch.failures < MOST_FAILURES or not counting.is_possible():
                    raise
                logger.exception("%d notes of reads cannot be counted and are lost", len(self.batch.notes))
            self.batch = None


class BusyNotebook(Notebook):
    """A notebook whose own thread hands it over every second, from the first note on, and once more at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.thread: threading.Thread | None = None

    def saw(self, told: Told, environ: Mapping[str, Any]) -> None:
        super().saw(told, environ)
        if self.thread is None and self.notes:
            self.start()

    def start(self) -> None:
        with self.lock:
            if self.thread is None:
                self.name = uuid.uuid4().hex  # of this process, which may be a fork
                self.thread = threading.Thread(target=self.run, name="reads", daemon=True)
                self.thread.start()
                stopping.leave_for_the_end(self.hand_over)

    def run(self) -> None:
        while True:
            time.sleep(COUNT_EVERY)
            try:
                self.hand_over()
            except Exception:
                logger.exception("Reads could not be counted; they are kept and tried again")
            connection.close()


notebook = BusyNotebook()


def note_of(told: Told, network: str, agent: str) -> Note:
    now = time.time()
    day = day_in(told.time_zone, now)
    salt = salt_of(f"{day.date} {told.time_zone}")
    return Note(
        page=told.page,
        day=day.date,
        day_ends=day.ends_at,
        at=now,
        reader=mark(salt, "reader", *told.page, network, agent),
        network=mark(salt, "network", told.page.publication, network),
        program=mark(salt_of(str(int(now // DAY))), "program", network, agent),
        surface=told.surface,
        facts=told.facts,
        host=told.host,
        source=mark(salt, "source", told.page.publication, told.host) if told.host else "",
    )


def day_in(time_zone: str, now: float) -> Day:
    """The day that it is there."""
    zone = ZoneInfo(time_zone)
    today = datetime.fromtimestamp(now, zone).date()
    tomorrow = today + timedelta(days=1)
    return Day(today, datetime(tomorrow.year, tomorrow.month, tomorrow.day, tzinfo=zone).timestamp())


def mark(salt: bytes, *of: object) -> str:
    """A hash that names nobody. Its key changes every day, and all processes know it. It stays in this process: what
    is kept is a hash of it with a key that nobody knows any more when the day is over (`counting.salted`).
    """
    message = "\n".join(str(each) for each in of).encode(errors="replace")
    return hashlib.blake2b(message, key=salt, digest_size=12).hexdigest()


@lru_cache(100)
def salt_of(day: str) -> bytes:
    return hmac.digest(settings.SECRET_KEY.encode(), f"reads {day}".encode(), "sha256")
