"""The stored pieces of a file on its way in: each is one file, so that any web host can take the next slice."""

from __future__ import annotations

import contextlib
import secrets
import shutil
from pathlib import Path
from typing import IO

from django.core.files import File
from django.core.files.storage import FileSystemStorage

from capsules import storage
from capsules.models import Upload, UploadPart


def store(upload: Upload, content: IO[bytes], offset: int) -> str:
    """Stores a piece that begins at `offset`; returns its name. Until a row has that name, it counts for nothing."""
    name = f"{upload.pk}/{offset:012}-{secrets.token_hex(4)}"
    return storage.parts().save(name, File(content))


def assemble(upload: Upload, target: Path) -> int:
    """Writes the whole file from its parts; returns its bytes."""
    with target.open("wb") as out:
        for part in upload.parts.all():
            with storage.parts().open(part.name) as piece:
                shutil.copyfileobj(piece, out, 1 << 20)
        return out.tell()


def drop(upload: Upload) -> None:
    """Deletes what arrived of an upload, pieces that no row names included."""
    files = storage.parts()
    folder = str(upload.pk)
    names: list[str] = []
    with contextlib.suppress(FileNotFoundError):  # nothing arrived
        names = files.listdir(folder)[1]
    for name in names:
        files.delete(f"{folder}/{name}")
    if isinstance(files, FileSystemStorage):
        with contextlib.suppress(FileNotFoundError):
            files.delete(folder)
    UploadPart.objects.filter(upload=upload).delete()
