"""Folders for files that are being worked on, which are gone afterwards: also where the process was killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "capsules-scratch-"
YOUNG = 60  # seconds in which a folder is left alone: its maker may not have locked it yet


@contextmanager
def scratch(what: str) -> Iterator[Path]:
    """A folder of the caller's own. It is locked while it is used, and the lock ends with the process."""
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}{what}-") as name:
        handle = os.open(name, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield Path(name)
        finally:
            os.close(handle)


def forget_orphans() -> int:
    """Deletes folders of this machine whose process was killed; returns how many."""
    return sum(is_forgotten(folder) for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"))


def is_forgotten(folder: Path) -> bool:
    """Deletes the folder where nobody holds it. What belongs to another user of the machine is left alone."""
    with suppress(OSError):
        if time.time() - folder.stat().st_mtime < YOUNG:
            return False
        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
            return True
        finally:
            os.close(handle)
    return False
