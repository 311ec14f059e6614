"""The version of a workspace's pages: it changes with everything that they show, and every process notices.

Alone on a machine it is a file per workspace, looked at ten times a second. With Redis it is a key per workspace,
looked at once a second.
"""

from __future__ import annotations

import logging
import os
import secrets
import tempfile
import threading
import time
from functools import cache
from pathlib import Path
from typing import Protocol

import redis
from django.conf import settings

from config import outage
from config.redis_client import connect, key

logger = logging.getLogger(__name__)

MOST_KNOWN = 10_000  # workspaces whose version is remembered
LOOK_AT_FILES_EVERY = 0.1  # seconds
LOOK_EVERY = 1.0  # seconds between two looks at Redis; and after which a look at a file is too old
TICK = 2 * 10**9  # nanoseconds; more than the ticks of any file system
REST = 2.0  # seconds for which nobody asks a Redis that did not answer: each look costs up to REDIS_TIMEOUT
UNKNOWN = object()
SHOWCASE = "~showcase"  # stands for the list of all workspaces' capsules; no workspace has such a name
KEPT_FOR = 24 * 3600  # seconds; a version that was forgotten counts as changed


class Versions(Protocol):
    def of(self, workspace: str) -> object:
        """The version that a good copy was rendered under."""

    def at_hand(self, workspace: str) -> object:
        """The same without waiting; UNKNOWN where it is not at hand."""

    def change(self, workspace: str) -> None:
        """Every copy of this workspace's pages is out of date from now on."""


class FileVersions:
    """A file per workspace that is replaced on every change: its inode and time are the version.

    A hit does not look at the file itself, which would take a third of its time: a thread looks for all of them. What
    this process changes, it knows at once.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.prefix = f"{folder}/"
        folder.mkdir(parents=True, exist_ok=True)
        self.known: dict[str, object] = {}
        self.lock = threading.Lock()  # so that nobody writes down an older look than is known
        self.looked_at = -LOOK_EVERY  # by time.monotonic()
        self.folder_changed_at = 0  # by the file system's clock
        self.thread: threading.Thread | None = None

    def of(self, workspace: str) -> object:
        with self.lock:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            version = self.known[workspace] = self.look(workspace)
        if (
            self.thread is None or not self.thread.is_alive()
        ):  # at first, in a forked process, after a failure
            self.watch()
        return version

    def at_hand(self, workspace: str) -> object:
        if time.monotonic() - self.looked_at > LOOK_EVERY:
            return UNKNOWN  # the thread does not get its turn, or is gone
        return self.known.get(workspace, UNKNOWN)

    def change(self, workspace: str) -> None:
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix=".", delete=False) as file:
            file.write(secrets.token_bytes(8))
        Path(file.name).replace(self.folder / workspace)
        with self.lock:
            if workspace in self.known:
                self.known[workspace] = self.look(workspace)

    def look(self, workspace: str) -> object:
        try:
            stat = os.stat(self.prefix + workspace)  # noqa: PTH116 - a Path costs more than the look itself
        except FileNotFoundError:
            return None
        return stat.st_ino, stat.st_mtime_ns

    def watch(self) -> None:
        with self.lock:
            if self.thread is None or not self.thread.is_alive():
                self.thread = threading.Thread(target=self.run, name="page versions", daemon=True)
                self.thread.start()

    def run(self) -> None:
        try:
            while True:
                self.look_again()
                time.sleep(LOOK_AT_FILES_EVERY)
        except OSError:  # `of` starts another thread; until then every hit looks for itself
            logger.exception("The versions of pages cannot be looked at")

    def look_again(self) -> None:
        """Looks at all known files, where one of them may have changed: each change renames a file into the folder.

        The clock of a file system has ticks, in which several changes can fall, so a fresh change counts twice.
        """
        changed_at = self.folder.stat().st_mtime_ns
        if changed_at != self.folder_changed_at or time.time_ns() - changed_at < TICK:
            with self.lock:
                for workspace in self.known:
                    self.known[workspace] = self.look(workspace)
            self.folder_changed_at = changed_at
        self.looked_at = time.monotonic()


class RedisVersions:
    """A random value per workspace. Out of reach, Redis changes nothing: copies then live until they are too old."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client
        self.known: dict[str, tuple[float, object]] = {}
        self.failed_at = -REST  # when Redis last did not answer

    def of(self, workspace: str) -> object:
        version = self.at_hand(workspace)
        if version is not UNKNOWN:
            return version
        now, known = time.monotonic(), self.known.get(workspace)
        version = known[1] if known else None
        if known:
            self.known[workspace] = (now, version)  # the other threads go on with what is known
        if now - self.failed_at < REST:
            return version
        try:
            version = self.client.get(key(f"page-version:{workspace}"))
            outage.broker.works()
        except redis.RedisError as error:
            self.failed_at = time.monotonic()
            outage.broker.failed(error)
        if len(self.known) >= MOST_KNOWN:
            self.known.clear()
        self.known[workspace] = (now, version)
        return version

    def at_hand(self, workspace: str) -> object:
        looked_at, version = self.known.get(workspace, (0.0, None))
        return version if time.monotonic() - looked_at < LOOK_EVERY else UNKNOWN

    def change(self, workspace: str) -> None:
        self.known.pop(workspace, None)
        self.client.set(key(f"page-version:{workspace}"), secrets.token_hex(8), ex=KEPT_FOR)


@cache
def versions() -> Versions:
    if settings.REDIS_URL:
        return RedisVersions(connect())
    return FileVersions(settings.DATA_DIR / "page-versions")


def change(workspace: str) -> None:
    """Every process renders the pages of this workspace, or the SHOWCASE, anew. Call it after the commit."""
    versions().change(workspace)
