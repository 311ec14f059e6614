"""The version of a workspace's pages: it changes with everything that they show, and every process notices.

Alone on a machine it is a file per workspace, which a page server looks at on every hit (`stat`: a microsecond).
With Redis it is a key per workspace, looked at once a second.
"""

from __future__ import annotations

import logging
import os
import secrets
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Protocol

import redis
from django.conf import settings

from config.redis_client import connect, key

logger = logging.getLogger(__name__)

MOST_KNOWN = 10_000  # workspaces whose version is remembered
LOOK_EVERY = 1.0  # seconds between two looks at Redis
UNKNOWN = object()
KEPT_FOR = 24 * 3600  # seconds; a version that was forgotten counts as changed


class Versions(Protocol):
    def of(self, workspace: str) -> object:
        """What a copy must have been rendered under to be good."""

    def at_hand(self, workspace: str) -> object:
        """The same without waiting for anybody; UNKNOWN where that cannot be."""

    def change(self, workspace: str) -> None:
        """Every copy of this workspace's pages is out of date from now on."""


class FileVersions:
    """A file per workspace that is replaced on every change: its inode and time are the version."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.prefix = f"{folder}/"
        folder.mkdir(parents=True, exist_ok=True)

    def of(self, workspace: str) -> object:
        try:
            stat = os.stat(self.prefix + workspace)  # noqa: PTH116 - a Path costs more than the look itself
        except FileNotFoundError:
            return None
        return stat.st_ino, stat.st_mtime_ns

    at_hand = of

    def change(self, workspace: str) -> None:
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix=".", delete=False) as file:
            file.write(secrets.token_bytes(8))
        Path(file.name).replace(self.folder / workspace)


class RedisVersions:
    """A random value per workspace. Out of reach, Redis changes nothing: copies then live until they are too old."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client
        self.known: dict[str, tuple[float, object]] = {}

    def of(self, workspace: str) -> object:
        version = self.at_hand(workspace)
        if version is not UNKNOWN:
            return version
        now, known = time.monotonic(), self.known.get(workspace)
        version = known[1] if known else None
        if known:
            self.known[workspace] = (now, version)  # the other threads go on with what is known
        try:
            version = self.client.get(key(f"page-version:{workspace}"))
        except redis.RedisError as error:
            logger.warning("Page versions cannot be read: %s", error)
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
    versions().change(workspace)
