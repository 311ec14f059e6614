"""Checking files that arrived whole, and making assets of them: a job under a lease, done once even if workers die."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from accounts.actions.workspaces import hold_workspace
from capsules import jobs, putting_off
from capsules.actions import media as assets
from capsules.media import MAX_SECONDS
from capsules.models import Asset, Upload
from capsules.models.uploads import UploadQuerySet
from capsules.putting_off import LeaseLost
from capsules.telling import tell_upload
from capsules.uploads import attaching, fetching, parts
from capsules.uploads.creating import check_room
from config.database import release_connection
from config.errors import Invalid
from config.leases import NO_LEASE
from config.scratch import scratch

logger = logging.getLogger(__name__)

BROKEN = "This file could not be read. Please export it again and upload the new file."
GIVEN_UP = "We could not check this file. Please upload it again."
BEAT = 5  # seconds between two renewals of the lease


def fetch_due() -> int:
    """Checks due uploads whose file is at an address; returns how many."""
    return jobs.work(jobs.fetching, lambda: check_next(Upload.objects.to_fetch()))


def check_sent() -> bool:
    """Checks the next file that was sent to us; False where there is none."""
    return check_next(Upload.objects.whole())


def check_next(queue: UploadQuerySet) -> bool:
    claimed = queue.claim()
    if claimed:
        check_upload(claimed)
    return claimed is not None


def check_upload(upload: Upload) -> None:
    """Makes an asset of one claimed upload, or says in words why not; nothing of it is left. Or puts it off."""
    try:
        asset, note = make_asset(upload)
    except LeaseLost:
        logger.warning("Upload %s was taken over by another worker", upload.pk)
    except Exception as error:
        if putting_off.is_verdict(error):
            refuse(upload, error.in_words())
        elif not putting_off.put_off(upload, error):
            refuse(upload, GIVEN_UP)
    else:
        end_upload(
            upload, partial(hand_over, upload, asset), state=Upload.State.READY, asset=asset, note=note
        )


def hand_over(upload: Upload, asset: Asset) -> None:
    """What goes with `ready`, in its transaction: the scene that the file was sent for shows it."""
    tell_upload(upload, asset=asset.pk)
    attaching.attach(upload, asset)


def refuse(upload: Upload, error: str) -> None:
    end_upload(upload, partial(give_up, upload, error), state=Upload.State.REFUSED, error=error)


def give_up(upload: Upload, error: str) -> None:
    """What goes with `refused`, in its transaction: the place that the file had in its link is free again."""
    tell_upload(upload, error=error)
    if upload.link:
        upload.link.take_back()


def end_upload(upload: Upload, told: Callable[[], None] = lambda: None, **fields: object) -> None:
    """Ends an upload, as long as its lease holds, and drops its parts; `told` runs in the same transaction."""
    done = {**NO_LEASE, "finished_at": Now(), **putting_off.NO_LONGER}
    if putting_off.update_held(upload, then=told, **fields, **done):
        parts.drop(upload)


def make_asset(upload: Upload) -> tuple[Asset, str]:
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
                hold_workspace(upload.workspace_id)  # what is begun meanwhile counts this file
                upload.held().update(size=fetched, offset=fetched)
                check_room(upload.workspace, 0)
        elif parts.assemble(upload, source) != upload.size:
            raise Invalid("A part of this file was lost. Please upload it again.")
        alive()
        workspace, by = upload.workspace, upload.created_by  # asked for while there is a connection
        release_connection()
        asset, facts = assets.take_in(workspace, source, kind=upload.kind, filename=upload.filename, by=by)
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
        if not upload.renew(settings.UPLOAD_CHECK_LEASE):
            raise LeaseLost
        release_connection()

    return beat


def drop_overdue() -> int:
    """Drops uploads that never came whole; returns how many."""
    count = 0
    for pk in list(Upload.objects.overdue().values_list("pk", flat=True)):
        if upload := Upload.objects.overdue().take(pk, settings.UPLOAD_LEASE):
            parts.drop(upload)
            upload.drop(state=Upload.State.EXPIRED, finished_at=Now())
            count += 1
    return count


def drop_left_over() -> None:
    """Drops the parts of uploads whose worker died once they had ended."""
    for upload in Upload.objects.filter(finished_at__isnull=False, parts__isnull=False).distinct():
        parts.drop(upload)
