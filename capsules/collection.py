"""Collecting what nobody refers to any more: encodes, blobs and originals.

A file is first marked as condemned, and deleted only when it is still unused BLOB_RETENTION later.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.core.files.storage import Storage
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from capsules import signals, storage
from capsules.models import Asset, Encode, Preview, Scene


def collect() -> int:
    """Deletes unused encodes, then files unused for BLOB_RETENTION; returns how many files went."""
    forget_encodes()
    return sweep_files(storage.blobs(), blobs_in_use()) + sweep_files(storage.originals(), originals_in_use())


def forget_encodes() -> None:
    """Deletes finished encodes that no scene, no preview and no other app has referred to since BLOB_RETENTION."""
    used_by_scene = Scene.objects.filter(Q(still_encode=OuterRef("pk")) | Q(animation_encode=OuterRef("pk")))
    used_by_preview = Preview.encodes.through.objects.filter(encode_id=OuterRef("pk"))
    unused = Encode.objects.filter(
        ~Exists(used_by_scene),
        ~Exists(used_by_preview),
        finished_at__lt=timezone.now() - settings.BLOB_RETENTION,
    )
    wanted = {pk for _, pks in signals.encodes_in_use.send(sender=None) for pk in pks or ()}
    Encode.objects.filter(pk__in=set(unused.values_list("pk", flat=True)) - wanted).delete()


def blobs_in_use() -> set[str]:
    """Names of all blobs that an encode or another app refers to."""
    names = {
        rendition["name"]
        for outputs in Encode.objects.exclude(outputs=None).values_list("outputs", flat=True).iterator()
        if outputs
        for rendition in outputs["renditions"]
    }
    for _, more in signals.blobs_in_use.send(sender=None):
        names.update(more or ())
    return names


def originals_in_use() -> set[str]:
    return set(Asset.objects.values_list("name", flat=True))


def sweep_files(files: Storage, in_use: set[str]) -> int:
    """Deletes the files outside `in_use` that are older than BLOB_RETENTION. A file that is put again is younger."""
    oldest = timezone.now() - settings.BLOB_RETENTION
    deleted = 0
    for name in walk(files):
        if name not in in_use and files.get_modified_time(name) < oldest:
            files.delete(name)
            deleted += 1
    return deleted


def walk(files: Storage) -> Iterator[str]:
    folders, _ = files.listdir("")
    for folder in folders:
        for name in files.listdir(folder)[1]:
            yield f"{folder}/{name}"
