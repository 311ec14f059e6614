"""Who was counted today, as marks in Redis, or in memory that the processes of this machine share: nowhere else.

A mark is a hash that names nobody. What is known of it ends with the day. It is looked up and written in one turn,
which one process has at a time.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import redis
from django.conf import settings
from django.db import connection

from config.redis_client import connect, key

MEMORY = Path("/dev/shm")  # noqa: S108  # files there are in memory; in a folder that is ours alone
PATIENCE = 5.0  # seconds that a process waits for its turn, and at most has it with Redis
MOST_MARKS = 4_000_000  # of one hour in Redis; beyond them reads are lost rather than its memory
MOST_BYTES = 48 * 2**20  # in shared memory: half a million readers a day
LONGER = 60  # seconds that marks stay, for what was told right before their end
PART = 500  # marks of one statement


class Known(NamedTuple):
    """What is known of a mark, and until when it is kept (seconds since 1970)."""

    text: str
    until: float


class Turn(Protocol):
    def get(self, names: Collection[str]) -> dict[str, Known]:
        """What is known of those of the marks that are there."""

    def salt(self, until: float) -> str:
        """A random text that lives here until then, the same for every process: its end is its name."""

    def put(self, known: Mapping[str, Known]) -> None:
        """Writes all of it or nothing. Raises Full."""


class Full(Exception):
    """There is no room for more readers."""


@contextmanager
def turn() -> Iterator[Turn]:
    if settings.REDIS_URL:
        with client().lock(key("reads:turn"), timeout=PATIENCE, blocking_timeout=PATIENCE):
            yield InRedis()
    else:
        with closing(InMemory()) as opened:
            yield opened


@cache
def client() -> redis.Redis:
    return connect()


class InRedis:
    def get(self, names: Collection[str]) -> dict[str, Known]:
        ordered = list(names)
        values: Any = client().mget([key(f"reads:{name}") for name in ordered]) if ordered else []
        found = {}
        for name, value in zip(ordered, values, strict=True):
            if value:
                until, _, text = value.decode().partition(" ")
                found[name] = Known(text, float(until))
        return found

    def salt(self, until: float) -> str:
        name = key(f"reads:salt-{until:.0f}")
        new = secrets.token_hex(16)
        client().set(name, new, nx=True, exat=int(until) + LONGER)
        kept: Any = client().get(name)
        return kept.decode() if kept else new

    def put(self, known: Mapping[str, Known]) -> None:
        hour = key(f"reads:many:{int(time.time() // 3600)}")
        if int(client().get(hour) or 0) >= MOST_MARKS:
            raise Full
        with client().pipeline(transaction=True) as together:
            for name, (text, until) in known.items():
                together.set(key(f"reads:{name}"), f"{until:.0f} {text}", exat=int(until) + LONGER)
            together.incrby(hour, len(known))
            together.expire(hour, 3600)
            together.execute()


class InMemory:
    """A small SQLite file in memory, which outlives a process that is killed."""

    def __init__(self) -> None:
        self.file = sqlite3.connect(folder() / "marks", timeout=PATIENCE, isolation_level=None)
        for pragma in ("synchronous = OFF", f"max_page_count = {MOST_BYTES // 4096}", "secure_delete = ON"):
            self.file.execute(f"PRAGMA {pragma}")
        self.file.execute("BEGIN IMMEDIATE")
        self.file.execute(
            "CREATE TABLE IF NOT EXISTS marks (name TEXT PRIMARY KEY, text TEXT, until REAL) WITHOUT ROWID"
        )
        self.file.execute("CREATE INDEX IF NOT EXISTS ends ON marks (until)")
        self.file.execute("DELETE FROM marks WHERE until < ?", [time.time() - LONGER])

    def close(self) -> None:
        self.file.close()

    def get(self, names: Collection[str]) -> dict[str, Known]:
        ordered = list(names)
        found: dict[str, Known] = {}
        for start in range(0, len(ordered), PART):
            part = ordered[start : start + PART]
            places = ", ".join("?" * len(part))
            rows = self.file.execute(f"SELECT * FROM marks WHERE name IN ({places})", part)  # noqa: S608
            found |= {name: Known(text, until) for name, text, until in rows}
        return found

    def salt(self, until: float) -> str:
        name, new = f"salt-{until:.0f}", secrets.token_hex(16)
        self.file.execute("INSERT OR IGNORE INTO marks VALUES (?, ?, ?)", [name, new, until])
        return self.get([name])[name].text

    def put(self, known: Mapping[str, Known]) -> None:
        rows = [(name, *values) for name, values in known.items()]
        try:
            self.file.executemany("INSERT OR REPLACE INTO marks VALUES (?, ?, ?)", rows)
            self.file.execute("COMMIT")
        except sqlite3.OperationalError as error:
            if "full" not in str(error):
                raise
            raise Full from error


def folder() -> Path:
    """Where this installation's marks are: one for each database, as the database tells which pages there are."""
    place = MEMORY if is_memory_there() else Path(tempfile.gettempdir())
    told = f"{settings.SECRET_KEY}\n{connection.settings_dict['NAME']}".encode()
    path = place / f"capsules-{os.getuid()}-{hashlib.blake2b(told, digest_size=8).hexdigest()}"
    path.mkdir(mode=0o700, exist_ok=True)
    if path.stat().st_uid != os.getuid():
        raise PermissionError(f"{path} belongs to somebody else")
    return path


def is_memory_there() -> bool:
    return MEMORY.is_dir() and os.access(MEMORY, os.W_OK)
