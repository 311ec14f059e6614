"""Carrying out encodes: claim a row, make its files in a scratch folder, store them as blobs, mark the row."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import storages
from django.db.models.functions import Now

from capsules import media, signals, storage
from capsules.models.encodes import Encode, EncodeQuerySet
from config import stopping
from config.database import release_connection
from config.errors import CapsulesError
from config.scratch import scratch

logger = logging.getLogger(__name__)

POLL = 0.2  # seconds between two looks at encodes that others carry out
_slots = threading.BoundedSemaphore(settings.ENCODE_SLOTS)


class LeaseLost(Exception):
    """Another worker took this encode over, because this one was silent for too long."""


class Stopped(Exception):
    """This worker was told to stop: the encode is due again at once, for another worker or the next start."""


def run_due(encodes: EncodeQuerySet | None = None) -> int:
    """Carries out due encodes until none is left, at most ENCODE_SLOTS at once in this process; returns how many."""
    if not _slots.acquire(blocking=False):
        return 0  # those that are busy take the next row when they are done
    try:
        count = 0
        queue = Encode.objects.all() if encodes is None else encodes
        while not stopping.has_begun() and (claimed := queue.claim()):
            run(claimed)
            count += 1
        return count
    finally:
        _slots.release()


def run(encode: Encode) -> None:
    """Carries out one claimed encode and records its outputs, or why it failed."""
    try:
        outputs = make(encode)
    except LeaseLost:
        logger.warning("Encode %s was taken over by another worker", encode.pk)
        return
    except Stopped:
        held(encode).give_back()
        return
    except CapsulesError as error:
        fields: dict[str, Any] = {
            "state": Encode.State.FAILED,
            "error": str(error),
            "detail": str(getattr(error, "detail", "")),
        }
    except Exception as error:
        logger.exception("Encode %s failed", encode.pk)
        fields = {
            "state": Encode.State.FAILED,
            "error": "The encoder stopped unexpectedly. Please try again.",
            "detail": repr(error),
        }
    else:
        fields = {"state": Encode.State.DONE, "progress": 100, "outputs": outputs}
    held(encode).update(**fields, lease_token=None, lease_until=None, finished_at=Now())
    if fields["state"] == Encode.State.DONE:
        signals.encode_done.send(Encode, encode=encode)


def held(encode: Encode) -> EncodeQuerySet:
    """The row, as long as the claim on it still holds."""
    return Encode.objects.filter(pk=encode.pk, lease_token=encode.lease_token)


def make(encode: Encode) -> dict[str, Any]:
    """Makes the files of an encode and stores them as blobs; returns its `outputs`."""
    if encode.attempts > settings.ENCODE_ATTEMPTS:
        raise media.EncodeFailed("The encoder crashed on this file several times, so we stopped trying.")
    with ExitStack() as stack:
        folder = stack.enter_context(scratch("encode"))
        sources = [
            stack.enter_context(storage.local_file(storages[alias], name)) for alias, name in encode.sources
        ]
        result = MAKERS[encode.kind](encode, sources, folder, progress_of(encode))
        return {"colour": result.colour, "renditions": [stored(rendition) for rendition in result.renditions]}


def focus_of(encode: Encode) -> media.Focus:
    x, y = encode.focus or (0.5, 0.5)
    return x, y


Maker = Callable[[Encode, list[Path], Path, media.Progress], media.Result]
MAKERS: dict[str, Maker] = {
    Encode.Kind.STILL: lambda e, files, out, tell: media.make_still(
        files[0], out, focus=focus_of(e), progress=tell
    ),
    Encode.Kind.MOVE: lambda e, files, out, tell: media.make_move(
        files[0], out, focus=focus_of(e), progress=tell
    ),
    Encode.Kind.FILM: lambda e, files, out, tell: media.make_film(files[0], out, progress=tell),
    Encode.Kind.CARD: lambda e, files, out, tell: media.make_card(
        files[0], out, focus=focus_of(e), progress=tell
    ),
    Encode.Kind.CLIP: lambda e, files, out, tell: media.make_clip(files, out, progress=tell),
}


def stored(rendition: media.Rendition) -> dict[str, Any]:
    """A rendition as JSON, its file stored as a blob."""
    fields = asdict(rendition)
    fields["name"] = storage.put(storage.blobs(), fields.pop("path"), rendition.format)
    return fields


def progress_of(encode: Encode) -> media.Progress:
    """Writes progress to the row at most once a second, which also renews the lease. Raises LeaseLost, Stopped."""
    last = 0.0

    def report(percent: int) -> None:
        nonlocal last
        if stopping.has_begun():
            raise Stopped
        if time.monotonic() - last < 1:
            return
        last = time.monotonic()
        until = Now() + timedelta(seconds=settings.ENCODE_LEASE)
        if not held(encode).update(progress=min(percent, 99), lease_until=until):
            raise LeaseLost
        release_connection()

    return report


def finish(encodes: Iterable[int], report: Callable[[int, int], None]) -> None:
    """Returns when all these encodes are finished, carrying out those that nobody else has claimed.

    `report(done, total)` is called whenever that changes.
    """
    wanted = Encode.objects.filter(pk__in=list(encodes))
    total, shown = wanted.count(), -1
    while True:
        left = wanted.unfinished().count()
        if total - left != shown:
            shown = total - left
            report(shown, total)
        if not left:
            return
        claimed = wanted.claim()
        if claimed is None:
            release_connection()
            time.sleep(POLL)
        else:
            run(claimed)
