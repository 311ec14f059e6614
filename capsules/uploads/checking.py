"""Checking files that arrived whole, and making assets of them: a job under a lease, done once even if workers die."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from capsules import jobs, putting_off
from capsules.actions import media as assets
from capsules.media import MAX_SECONDS
from capsules.models import Asset, Upload
from capsules.models.uploads import UploadQuerySet
from capsules.uploads import fetching, parts
from capsules.uploads.creating import check_room
from config.database import release_connection
from config.errors import Invalid
from config.scratch import scratch

logger = logging.getLogger(__name__)

BROKEN = "This file could not be read. Please export it again and upload the new file."
GIVEN_UP = "We could not check this file. Please upload it again."
BEAT = 5  # seconds between two renewals of the lease


class LeaseLost(Exception):
    """Another worker took this upload over, because this one was silent for too long."""


def run_due() -> int:
    """Checks due uploads until none is left; returns how many."""
    return jobs.work(jobs.computing, check_sent) + fetch_due()


def fetch_due() -> int:
    """Checks due uploads whose file is at an address; returns how many."""
    return jobs.work(jobs.fetching, lambda: check_next(Upload.objects.to_fetch()))


def check_sent() -> bool:
    """Checks the next file that was sent to us; False where there is none."""
    return check_next(Upload.objects.whole())


def check_next(queue: UploadQuerySet) -> bool:
    claimed = queue.claim()
    if claimed:
        check(claimed)
    return claimed is not None


def check(upload: Upload) -> None:
    """Makes an asset of one claimed upload, or says in words why not; nothing of it is left. Or puts it off."""
    try:
        asset, note = take_in(upload)
    except LeaseLost:
        logger.warning("Upload %s was taken over by another worker", upload.pk)
    except Exception as error:
        if putting_off.is_verdict(error):
            settle(upload, state=Upload.State.REFUSED, error=error.in_words())
        elif not putting_off.put_off(upload, error):
            settle(upload, state=Upload.State.REFUSED, error=GIVEN_UP)
    else:
        settle(upload, state=Upload.State.READY, asset=asset, note=note)


def settle(upload: Upload, **fields: object) -> None:
    """Ends an upload, as long as its lease holds, and drops its parts."""
    done = {"lease_token": None, "lease_until": None, "finished_at": Now(), **putting_off.NO_LONGER}
    if putting_off.update_held(upload, **fields, **done):
        parts.drop(upload)


def take_in(upload: Upload) -> tuple[Asset, str]:
    """The asset of an upload's file, and what its author should know of it. Raises Invalid, Conflict, LeaseLost."""
    if upload.attempts > settings.ENCODE_ATTEMPTS:
        raise Invalid(BROKEN)
    alive = heartbeat(upload)
    with scratch("upload") as folder:
        source = folder / "file"
        if upload.source_url:
            fetched = fetching.fetch(
                upload.source_url, source, limit=settings.MAX_BYTES[upload.kind], beat=alive
            )
            with transaction.atomic():
                upload.held().update(size=fetched, offset=fetched)
                check_room(upload.workspace, 0)
        elif parts.assemble(upload, source) != upload.size:
            raise Invalid("A part of this file was lost. Please upload it again.")
        alive()
        release_connection()
        asset, facts = assets.take_in(
            upload.workspace, source, kind=upload.kind, filename=upload.filename, by=upload.created_by
        )
        notes = []
        if facts.sound:
            notes.append("Films are silent: the sound of this one is left out.")
        if facts.duration and facts.duration > MAX_SECONDS:
            notes.append(f"Only the first {MAX_SECONDS} seconds of this film are shown.")
        return asset, " ".join(notes)


def heartbeat(upload: Upload) -> Callable[[], None]:
    """Renews the lease, at most every few seconds. What it returns raises LeaseLost."""
    last = time.monotonic()

    def beat() -> None:
        nonlocal last
        if time.monotonic() - last < BEAT:
            return
        last = time.monotonic()
        if not upload.held().update(lease_until=Now() + timedelta(seconds=settings.UPLOAD_CHECK_LEASE)):
            raise LeaseLost
        release_connection()

    return beat


def sweep() -> int:
    """Drops uploads that never came whole; returns how many."""
    count = 0
    for pk in list(Upload.objects.overdue().values_list("pk", flat=True)):
        if upload := Upload.objects.overdue().take(pk, settings.UPLOAD_LEASE):
            parts.drop(upload)
            upload.held().update(
                state=Upload.State.EXPIRED, lease_token=None, lease_until=None, finished_at=Now()
            )
            count += 1
    return count
