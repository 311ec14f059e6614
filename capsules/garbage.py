"""Deleting what nothing refers to any more: encodes, blobs and originals.

A file has no mark: it is deleted when nothing refers to it and it was written more than BLOB_RETENTION ago.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from botocore.exceptions import ClientError
from django.conf import settings
from django.core.files.storage import Storage
from django.db import transaction
from django.db.models import Exists, OuterRef, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from capsules import signals, storage
from capsules.actions.encodes import forget_unused
from capsules.models import Asset, Encode, HiddenBlob, Revision, Scene, Upload, UploadLink, UploadPart

AT_ONCE = 1000  # encodes of one transaction
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def collect() -> int:
    """Deletes unused encodes, uploads and media, then unused files older than BLOB_RETENTION; returns their number."""
    forget_encodes()
    forget_uploads()
    forget_media()
    blobs = blobs_in_use()
    kept = [
        (storage.blobs(), blobs),
        (storage.hidden(), blobs),
        (storage.originals(), originals_in_use()),
        (storage.parts(), set(UploadPart.objects.values_list("name", flat=True))),
    ]
    deleted = sum(sweep_files(files, in_use) for files, in_use in kept)
    forget_hidden(blobs)
    return deleted


def forget_encodes() -> None:
    """Deletes encodes that finished BLOB_RETENTION ago and that no scene, no preview and no other app refers to."""
    old = Encode.objects.filter(finished_at__lt=timezone.now() - settings.BLOB_RETENTION)
    unused = list(old.unreferenced().order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(unused), AT_ONCE):
        with transaction.atomic():
            forget_unused(Encode.objects.filter(pk__in=unused[start : start + AT_ONCE]))


def blobs_in_use() -> set[str]:
    """Names of all blobs that an encode or another app refers to."""
    names = {
        rendition["name"]
        for outputs in Encode.objects.exclude(outputs=None).values_list("outputs", flat=True).iterator()
        if outputs
        for rendition in outputs["renditions"]
    }
    return names | signals.keys_in_use(signals.blobs_in_use)


def forget_hidden(in_use: set[str]) -> None:
    """Deletes the rows of hidden blobs whose story is gone, and that nothing else refers to."""
    left = set(HiddenBlob.objects.filter(story=None).values_list("name", flat=True)) - in_use
    HiddenBlob.objects.filter(story=None, name__in=left).delete()


def forget_uploads() -> None:
    """Deletes the rows of uploads that ended UPLOAD_MEMORY ago, and links that expired then."""
    oldest = timezone.now() - settings.UPLOAD_MEMORY
    Upload.objects.filter(finished_at__lt=oldest).delete()
    UploadLink.objects.filter(expires_at__lt=oldest).delete()


def forget_media() -> None:
    """Deletes assets that were deleted TRASH_RETENTION ago and that no scene and no revision names any more."""
    gone = Asset.objects.filter(
        ~Exists(Scene.every.showing(OuterRef("pk"))),
        deleted_at__lt=timezone.now() - settings.TRASH_RETENTION,
    )
    by_workspace: dict[UUID, set[str]] = {}
    # By workspace, as revisions are looked through for all files of one at once.
    for pk, workspace in gone.values_list("pk", "workspace"):
        by_workspace.setdefault(workspace, set()).add(str(pk))
    for workspace, ids in by_workspace.items():
        unnamed = ids - named_in_revisions(workspace, ids)
        with transaction.atomic():
            # Asked again with the rows: the walk takes long, and a file may have come back meanwhile.
            held = gone.select_for_update(of=("self",)).filter(pk__in=unnamed)
            Asset.objects.filter(pk__in=list(held.values_list("pk", flat=True))).delete()


def named_in_revisions(workspace: UUID, ids: set[str]) -> set[str]:
    """Those of `ids` that a revision of the workspace names: one walk through its history, whatever their number."""
    named: set[str] = set()
    revisions = Revision.objects.filter(story__workspace=workspace, content__isnull=False).order_by()
    for text in revisions.values_list(Cast("content", TextField()), flat=True).iterator():
        named |= ids.intersection(ID.findall(text))
        if named == ids:
            break
    return named


def originals_in_use() -> set[str]:
    return set(Asset.objects.values_list("name", flat=True))


def sweep_files(files: Storage, in_use: set[str]) -> int:
    """Deletes the files outside `in_use` that are older than BLOB_RETENTION. Putting a file again makes it new."""
    oldest = timezone.now() - settings.BLOB_RETENTION
    deleted = 0
    for name in walk(files):
        if name not in in_use and is_older(files, name, oldest):
            files.delete(name)
            deleted += 1
    return deleted


def is_older(files: Storage, name: str, than: datetime) -> bool:
    """False of a file that somebody has moved or deleted since it was listed."""
    try:
        return bool(files.get_modified_time(name) < than)
    except (OSError, ClientError):
        if files.exists(name):
            raise
        return False


def walk(files: Storage) -> Iterator[str]:
    for folder in listed(files, "")[0]:
        for name in listed(files, folder)[1]:
            yield f"{folder}/{name}"


def listed(files: Storage, folder: str) -> tuple[list[str], list[str]]:
    """The folders and files in a folder; nothing where it was never made, or is gone since it was listed."""
    try:
        return files.listdir(folder)
    except FileNotFoundError:
        return [], []
