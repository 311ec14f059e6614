"""Where files live: originals as uploaded (never public), blobs (public, named by their content), and blobs of what was
taken down (not public while they are there).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, storages

from config.scratch import scratch


class ContentStorage(FileSystemStorage):
    """Files named by their content: written aside, fsynced, renamed; a second save of a name changes nothing.

    Django's own storage renames on collision and shows half-written files to readers.
    """

    def __init__(self, folder: str, **kwargs: Any) -> None:
        super().__init__(location=settings.MEDIA_ROOT / folder, base_url=settings.MEDIA_URL, **kwargs)

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name

    def _save(self, name: str, content: File) -> str:
        target = Path(self.path(name))
        if target.exists():
            return name
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".writing-", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as out:
                shutil.copyfileobj(content.open("rb"), out, 1 << 20)
                out.flush()
                # Or a power cut after the rename leaves the name with an empty file.
                os.fsync(out.fileno())
            Path(temporary).chmod(0o644)
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        return name


def originals() -> Storage:
    return storages["default"]


def blobs() -> Storage:
    return storages["blobs"]


def parts() -> Storage:
    """Pieces of files that are still on their way in."""
    return storages["parts"]


def hidden() -> Storage:
    """Blobs that no server hands out by their names."""
    return storages["hidden"]


def open_blob(name: str) -> File:
    """A blob for somebody who may see it, wherever it is. Raises FileNotFoundError."""
    try:
        return blobs().open(name)
    except FileNotFoundError:
        return hidden().open(name)


def holder_of(alias: str, name: str) -> Storage:
    """The storage of an alias; for a blob that was taken down that of hidden ones, wherever it is now."""
    files = storages[alias]
    return hidden() if alias == "blobs" and not files.exists(name) else files


def bring_file(name: str, *, source: Storage, target: Storage) -> None:
    """Has a file of `source` in `target`, with the time that its ETag is made of: moves it on one disk, copies it in a
    bucket. Does nothing where it is not in `source` (any more).
    """
    # A rename leaves no moment with two files or none.
    if isinstance(source, FileSystemStorage) and isinstance(target, FileSystemStorage):
        path = Path(target.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            Path(source.path(name)).replace(path)
        return
    with suppress(FileNotFoundError), source.open(name) as file:
        target.save(name, File(file))


def put(storage: Storage, path: Path, extension: str) -> str:
    """Stores a file under its SHA-256 and returns that name: `ab/abcdef….ext`.

    One that is there already counts as new again, so that the collection of garbage leaves it alone.
    """
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        name = f"{digest[:2]}/{digest}.{extension}"
        if isinstance(storage, FileSystemStorage) and storage.exists(name):
            # Or the sweep, which asks for its age, might delete it between this and the row that names it.
            os.utime(storage.path(name))
        else:
            file.seek(0)
            storage.save(name, File(file))
    return name


@contextmanager
def local_file(storage: Storage, name: str) -> Iterator[Path]:
    """A path to read a stored file from; a copy where the storage is not this machine's disk."""
    if isinstance(storage, FileSystemStorage):
        yield Path(storage.path(name))
        return
    with scratch("file") as folder:
        path = folder / Path(name).name
        with storage.open(name) as source, path.open("wb") as out:
            shutil.copyfileobj(source, out, 1 << 20)
        yield path
