"""Carrying out encodes: claim a row, make its files in a scratch folder, store them as blobs, mark the row."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db.models.functions import Now

from capsules import jobs, media, putting_off, signals, storage
from capsules.models.encodes import Encode, EncodeQuerySet
from capsules.putting_off import LeaseLost
from capsules.telling import tell_rendered
from config import stopping
from config.database import release_connection
from config.leases import NO_LEASE
from config.scratch import scratch

logger = logging.getLogger(__name__)

GIVEN_UP = "We could not encode this file for a whole day. Please try again."
POLL = 0.2  # seconds between two looks at encodes that others carry out


class Stopped(Exception):
    """This worker was told to stop: the encode is due again at once, for another worker or the next start."""


def run_due(encodes: EncodeQuerySet | None = None) -> int:
    """Carries out due encodes until none is left; returns how many."""
    return jobs.work(jobs.computing, lambda: run_next(encodes))


def run_next(encodes: EncodeQuerySet | None = None) -> bool:
    """Carries out the next due encode; False where none is due."""
    queue = Encode.objects.all() if encodes is None else encodes
    claimed = queue.claim()
    if claimed:
        run_encode(claimed)
    return claimed is not None


def run_encode(encode: Encode) -> None:
    """Carries out one claimed encode and records its outputs, or why it failed. Or puts it off."""
    try:
        outputs = make(encode)
    except LeaseLost:
        logger.warning("Encode %s was taken over by another worker", encode.pk)
        return
    except Stopped:
        encode.held().give_back()
        return
    except Exception as error:
        if putting_off.is_verdict(error):
            end_encode(
                encode, state=Encode.State.FAILED, error=str(error), detail=getattr(error, "detail", "")
            )
        elif not putting_off.put_off(encode, error, state=Encode.State.QUEUED, progress=0):
            end_encode(encode, state=Encode.State.FAILED, error=GIVEN_UP, detail=repr(error))
        return
    encode.outputs = outputs
    news = partial(signals.encode_done.send, Encode, encode=encode)
    if not end_encode(encode, news, state=Encode.State.DONE, progress=100, outputs=outputs):
        news()  # another worker ended it, maybe before we stored the same files once more


def end_encode(encode: Encode, told: Callable[[], object] = lambda: None, **fields: object) -> int:
    """Ends an encode, as long as its lease holds; `told` runs in the same transaction. Returns 0 where it was taken
    over.
    """

    def tell() -> None:
        tell_rendered(encode)
        told()

    done = {**NO_LEASE, "finished_at": Now(), **putting_off.NO_LONGER}
    return putting_off.update_held(encode, then=tell, **fields, **done)


def make(encode: Encode) -> dict[str, object]:
    """Makes the files of an encode and stores them as blobs; returns its `outputs`."""
    if encode.attempts > settings.ENCODE_ATTEMPTS:
        raise media.EncodeFailed("The encoder crashed on this file several times, so we stopped trying.")
    with ExitStack() as stack:
        folder = stack.enter_context(scratch("encode"))
        sources = [
            stack.enter_context(storage.local_file(storage.holder_of(alias, name), name))
            for alias, name in encode.sources
        ]
        result = render(encode, sources, folder, note_progress(encode))
        return {
            "colour": result.colour,
            "renditions": [store_rendition(rendition) for rendition in result.renditions],
        }


def render(encode: Encode, files: list[Path], folder: Path, progress: media.Progress) -> media.Result:
    """Makes what an encode is of, from the files that it names."""
    if encode.kind == Encode.Kind.FILM:
        return media.make_film(files[0], folder, trim=encode.trim and tuple(encode.trim), progress=progress)
    if encode.kind == Encode.Kind.CLIP:
        points = [(x, y) for x, y in encode.focus] if encode.focus else None
        return media.make_clip(files, folder, points=points, progress=progress)
    x, y = encode.focus or (0.5, 0.5)
    return PICTURED[encode.kind](files[0], folder, focus=(x, y), progress=progress)


#: What is made of one picture, around its focus.
PICTURED: dict[str, Callable[..., media.Result]] = {
    Encode.Kind.STILL: media.make_still,
    Encode.Kind.MOVE: media.make_move,
    Encode.Kind.CARD: media.make_card,
}


def store_rendition(rendition: media.Rendition) -> dict[str, object]:
    """A rendition as JSON, its file stored as a blob."""
    fields = asdict(rendition)
    fields["name"] = storage.put(storage.blobs(), fields.pop("path"), rendition.format)
    return fields


def note_progress(encode: Encode) -> media.Progress:
    """Writes progress to the row at most once a second, which also renews the lease. Raises LeaseLost, Stopped."""
    last = 0.0

    def report(percent: int) -> None:
        nonlocal last
        if stopping.has_begun():
            raise Stopped
        if time.monotonic() - last < 1:
            return
        last = time.monotonic()
        if not encode.renew(settings.ENCODE_LEASE, progress=min(percent, 99)):
            raise LeaseLost
        release_connection()

    return report


def finish_encodes(encodes: Iterable[int], report: Callable[[int, int], None]) -> None:
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
            run_encode(claimed)
