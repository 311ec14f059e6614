"""Where files live: originals as uploaded (never public) and blobs (public, named by their content)."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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

    folder: str

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(location=settings.MEDIA_ROOT / self.folder, base_url=settings.MEDIA_URL, **kwargs)

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
                os.fsync(out.fileno())
            Path(temporary).chmod(0o644)
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        return name


class OriginalStorage(ContentStorage):
    folder = "originals"


class BlobStorage(ContentStorage):
    folder = "blobs"


class PartStorage(ContentStorage):
    """Pieces of files that are still on their way in."""

    folder = "parts"


def originals() -> Storage:
    return storages["default"]


def blobs() -> Storage:
    return storages["blobs"]


def parts() -> Storage:
    return storages["parts"]


def put(storage: Storage, path: Path, extension: str) -> str:
    """Stores a file under its SHA-256 and returns that name: `ab/abcdef….ext`.

    One that is there already counts as new again, so that the collection of garbage leaves it alone.
    """
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        name = f"{digest[:2]}/{digest}.{extension}"
        if isinstance(storage, FileSystemStorage) and storage.exists(name):
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
