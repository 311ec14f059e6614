"""Counting views: one per reader, page and hour, however many processes serve the page.

Pages and embeds report their views, because what serves them is a file. A web process notes each view in memory (`saw`)
and hands the notes over in batches. A note is a hash of reader, page and hour, so nothing that is stored or sent names
an address; it also tells whether the view was counted already. Without Redis a batch goes to the database in one
transaction. With Redis it goes there first, and a task moves what has accumulated to the database.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import logging
import re
import threading
import time
import uuid
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from functools import cache, lru_cache
from multiprocessing.util import Finalize
from typing import Any

import redis
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from accounts.throttling import address_of
from config.redis_client import connect, key
from publishing.models import Publication, ViewCount, ViewFlush, ViewMark

logger = logging.getLogger(__name__)

HOUR = 3600
FLUSH_EVERY = 1.0  # seconds
BATCH = 500  # rows of one statement
MOST_NOTES = 200_000  # kept in memory; beyond them views are lost rather than the process
MOST_AGENTS = 1000  # whose names are remembered
READERS_OF_AN_ADDRESS = 10  # of one page in one hour: a household, a small office
MOST_MARKS = 500_000  # kept of one hour; beyond them views are lost rather than the disk
LONGEST_AGENT = 500  # characters of a name that are looked at
#: Names that programs give themselves which fetch pages and read nothing.
ROBOTS = re.compile(
    r"(?<!cu)bot\b|(?<!cu)bot[/;_-]|crawl|spider|slurp|scrap|preview|embedly|iframely|externalhit|externalagent|cardyb"
    r"|whatsapp|skype|feedfetcher|mediapartners|inspectiontool|googleother|chatgpt-user|ia_archiver|nutch"
    r"|lighthouse|monitor|pingdom|uptime|headless|^curl/|^wget/|python|^go-http|^java/|^okhttp|^axios|^node|libwww|^$",
    re.IGNORECASE,
)
#: Takes notes in: counts those that are new in this hour.
TAKE_NOTES = """
if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[2]) then return end
for mark, publication in pairs(cjson.decode(ARGV[1])) do
  if redis.call('SADD', KEYS[1], mark) == 1 then redis.call('HINCRBY', KEYS[2], publication, 1) end
end
redis.call('EXPIRE', KEYS[1], 7200)
"""
#: Sets the counted views aside under a flush id, unless an earlier batch is still there; returns the batch.
SET_ASIDE = """
if redis.call('EXISTS', KEYS[2]) == 0 then
  if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
  redis.call('RENAME', KEYS[1], KEYS[2])
  redis.call('HSET', KEYS[2], 'flush', ARGV[1])
end
return redis.call('HGETALL', KEYS[2])
"""
DROP = "if redis.call('HGET', KEYS[1], 'flush') == ARGV[1] then redis.call('DEL', KEYS[1]) end"
SEEN, COUNTED, SET_BY = "views:seen", "views:counted", "views:flushing"


# --- In the web server ------------------------------------------------------------------------------------------


class Notebook:
    """The views that this process saw and has not handed over yet."""

    def __init__(self) -> None:
        self.notes: dict[int, dict[str, int]] = {}  # by hour: publication by mark
        #: An hour, and who read what in it, as hashes of this process.
        self.noted: tuple[int, set[int]] = (0, set())
        self.lock = threading.Lock()  # of the notes; held for no longer than it takes to write one
        self.handing = threading.Lock()

    def saw(self, publication: int, environ: Mapping[str, Any]) -> None:
        """Notes a view of a publication's page, unless it is a robot's."""
        agent = environ.get("HTTP_USER_AGENT", "")[:LONGEST_AGENT]
        # Made-up agents of one address share its few places, so that they cannot count without end.
        reader = f"{network_of(address_of(environ))} {place_of(agent)}"
        hour, view = int(time.time() // HOUR), hash((publication, reader))
        noted = self.noted_in(hour)
        if view in noted or is_robot(agent):
            return
        mark = mark_of(hour, publication, reader)
        with self.lock:
            marks = self.notes.setdefault(hour, {})
            if len(marks) >= MOST_NOTES:
                return
            marks[mark] = publication
            if len(noted) < MOST_NOTES:  # a view beyond them is noted each time, and still counts once
                noted.add(view)

    def noted_in(self, hour: int) -> set[int]:
        if self.noted[0] != hour:
            self.noted = (hour, set())
        return self.noted[1]

    def hand_over(self) -> None:
        """Hands all notes over; they are kept where that fails. A note handed over twice counts once."""
        with self.handing:
            for hour in sorted(self.notes):
                with self.lock:
                    marks = self.notes.pop(hour)
                try:
                    take_notes(hour, marks)
                except Exception:
                    with self.lock:
                        self.notes[hour] = {**marks, **self.notes.get(hour, {})}
                    raise


class BusyNotebook(Notebook):
    """A notebook whose own thread hands it over every second, from the first view on, and once more at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.thread: threading.Thread | None = None

    def saw(self, publication: int, environ: Mapping[str, Any]) -> None:
        super().saw(publication, environ)
        if self.thread is None and self.notes:
            self.start()

    def start(self) -> None:
        with self.lock:
            if self.thread is None:
                self.thread = threading.Thread(target=self.run, name="views", daemon=True)
                self.thread.start()
                Finalize(None, self.hand_over, exitpriority=10)  # when the server stops in the ordinary way

    def run(self) -> None:
        while True:
            time.sleep(FLUSH_EVERY)
            try:
                self.hand_over()
            except Exception:
                logger.exception("Views could not be handed over; they are kept and tried again")
            connection.close()


notebook = BusyNotebook()


@lru_cache(MOST_AGENTS)
def is_robot(agent: str) -> bool:
    return bool(ROBOTS.search(agent))


@lru_cache(MOST_AGENTS)
def network_of(address: str) -> str:
    """The address; of IPv6 its /64, which is one household's."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((parsed, 64), strict=False)) if parsed.version == 6 else address


@lru_cache(MOST_AGENTS)
def place_of(agent: str) -> int:
    """One of READERS_OF_AN_ADDRESS, the same in every process."""
    digest = hashlib.blake2b(agent.encode(errors="replace"), digest_size=4).digest()
    return int.from_bytes(digest) % READERS_OF_AN_ADDRESS


def mark_of(hour: int, publication: int, reader: str) -> str:
    """A hash of reader, page and hour. Its key changes every hour, and all processes know it."""
    message = f"{publication}\n{reader}".encode(errors="replace")
    return hashlib.blake2b(message, key=salt(hour), digest_size=16).hexdigest()


@cache
def salt(hour: int) -> bytes:
    return hmac.digest(settings.SECRET_KEY.encode(), f"views {hour}".encode(), "sha256")


# --- Towards the database ---------------------------------------------------------------------------------------


def take_notes(hour: int, marks: dict[str, int]) -> None:
    """Counts the notes {mark: publication} of an hour that are new."""
    if settings.REDIS_URL:
        client().eval(TAKE_NOTES, 2, key(f"{SEEN}:{hour}"), key(COUNTED), json.dumps(marks), MOST_MARKS)
    else:
        with transaction.atomic():
            add_views(Counter(marks[mark] for mark in keep_marks(hour, list(marks))), uuid.uuid4())


@cache
def client() -> redis.Redis:
    return connect()


def keep_marks(hour: int, marks: list[str]) -> list[str]:
    """Stores marks; returns those that were new."""
    new: list[str] = []
    if ViewMark.objects.filter(hour=hour)[:MOST_MARKS].count() >= MOST_MARKS:
        return new
    table = ViewMark._meta.db_table
    with connection.cursor() as cursor:
        for start in range(0, len(marks), BATCH):
            part = marks[start : start + BATCH]
            rows = ", ".join(["(%s, %s)"] * len(part))
            sql = f"INSERT INTO {table} (mark, hour) VALUES {rows} ON CONFLICT DO NOTHING RETURNING mark"  # noqa: S608
            cursor.execute(sql, [value for mark in part for value in (mark, hour)])
            new += [row[0] for row in cursor.fetchall()]
    return new


@transaction.atomic
def add_views(views: Mapping[int, int], flush_id: uuid.UUID) -> bool:
    """Adds {publication: views} to the counts, once for each flush id; returns whether this call did it.

    Publications that are gone are left out.
    """
    if not views:
        return False
    now = timezone.now()
    _, created = ViewFlush.objects.get_or_create(id=flush_id, defaults={"applied_at": now})
    if not created:
        return False
    living = sorted(Publication.objects.filter(pk__in=views).values_list("pk", flat=True))
    table = ViewCount._meta.db_table
    with connection.cursor() as cursor:
        for start in range(0, len(living), BATCH):
            part = living[start : start + BATCH]
            rows = ", ".join(["(%s, %s)"] * len(part))
            cursor.execute(
                f"INSERT INTO {table} (publication_id, views) VALUES {rows} "  # noqa: S608
                f"ON CONFLICT (publication_id) DO UPDATE SET views = {table}.views + EXCLUDED.views",
                [value for pk in part for value in (pk, views[pk])],
            )
    return True


def flush() -> int:
    """Takes what Redis has counted to the database; returns how many publications that were.

    A worker that dies on the way leaves the batch set aside, and the next one takes it up under the same flush id.
    """
    if not settings.REDIS_URL:
        return 0
    flat = client().eval(SET_ASIDE, 2, key(COUNTED), key(SET_BY), str(uuid.uuid4()))
    batch = {name.decode(): value.decode() for name, value in zip(flat[::2], flat[1::2], strict=True)}
    if not batch:
        return 0
    flush_id = uuid.UUID(batch.pop("flush"))
    add_views({int(pk): int(views) for pk, views in batch.items()}, flush_id)
    client().eval(DROP, 1, key(SET_BY), str(flush_id))
    return len(batch)


def forget_old_marks() -> None:
    """Deletes marks of past hours, and flush ids that cannot come back."""
    ViewMark.objects.filter(hour__lt=int(time.time() // HOUR) - 1).delete()
    ViewFlush.objects.filter(applied_at__lt=timezone.now() - timedelta(days=1)).delete()
