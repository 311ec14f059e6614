"""Receiving a file slice by slice (the core of tus 1.0): acknowledged bytes are kept, whichever process dies."""

from __future__ import annotations

import tempfile
import time
from typing import Protocol

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext, gettext_noop, ngettext

from capsules.actions.encodes import wake_workers
from capsules.actions.writing import check_not_suspended
from capsules.models import Upload, UploadPart
from capsules.uploads import parts
from capsules.uploads.errors import Expired, WrongOffset
from config.database import release_connection
from config.errors import Conflict, Locked, TooLarge
from config.leases import NO_LEASE, lease_end

PIECE = 1 << 16  # bytes read at once
BEAT = 5  # seconds between two renewals of the lease while bytes trickle in

BUSY = gettext_noop("Another request is sending this upload. Please try again shortly.")


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


def receive(upload: Upload, stream: Stream, *, offset: int, length: int) -> int:
    """Takes `length` bytes from `offset` on, or as many as come; returns where the next slice begins.

    Raises Expired, WrongOffset, TooLarge, Conflict, and Locked while another request sends the same upload.
    """
    check_open(upload)
    check_not_suspended(upload.workspace)
    if offset != upload.offset:
        raise WrongOffset(upload.offset)
    if upload.size is None:
        raise TooLarge(gettext("The service fetches this file itself; nothing can be sent to it."))
    if offset + length > upload.size:
        told = ngettext(
            "The upload was announced with %(size)d byte; this would be more.",
            "The upload was announced with %(size)d bytes; this would be more.",
            upload.size,
        )
        raise TooLarge(told % {"size": upload.size})
    if not length:
        return offset
    # With the offset: of two requests for one slice only the first finds the row as it was.
    taken = Upload.objects.filter(state=Upload.State.RECEIVING, offset=offset).take(
        upload.pk, settings.UPLOAD_LEASE
    )
    if taken is None:
        raise Locked(gettext(BUSY), retry_after=2)
    try:
        while length and (taken_in := take_slice(taken, stream, min(length, settings.UPLOAD_SLICE))):
            length -= taken_in
    finally:
        taken.drop()
    return taken.offset


def check_open(upload: Upload) -> None:
    """Raises Expired or Conflict for an upload that takes no more bytes."""
    if upload.is_expired:
        raise Expired
    if upload.state == Upload.State.REFUSED:
        raise Conflict(gettext("This file was refused: %(error)s") % {"error": upload.error})


def take_slice(upload: Upload, stream: Stream, limit: int) -> int:
    """Stores at most `limit` bytes of the stream as one part and records it; returns how many there were.

    A connection that breaks gives what came before, so that a slow line gets there in the end.
    """
    with tempfile.SpooledTemporaryFile(max_size=1 << 20) as piece:
        arrived, whole = 0, True
        last = time.monotonic()
        while arrived < limit:
            try:
                chunk = stream.read(min(PIECE, limit - arrived))
            except (OSError, RuntimeError, ValueError):  # how servers say that the client went away
                chunk = b""
            if not chunk:
                whole = False
                break
            piece.write(chunk)
            arrived += len(chunk)
            if time.monotonic() - last > BEAT:
                renew_lease(upload)
                last = time.monotonic()
        if arrived:
            piece.seek(0)
            name = parts.store(upload, piece, upload.offset)
            record_part(upload, name, arrived)
    return arrived if whole else 0


def renew_lease(upload: Upload) -> None:
    """Keeps the upload for this request. Raises Locked where another took over."""
    if not upload.renew(settings.UPLOAD_LEASE):
        raise Locked(gettext(BUSY), retry_after=2)
    release_connection()


def record_part(upload: Upload, name: str, size: int) -> None:
    """Makes a stored part count; the last one makes the file whole. Raises Locked where another request took over."""
    end = upload.offset + size
    fields: dict[str, object] = {"offset": end, "lease_until": lease_end(settings.UPLOAD_LEASE)}
    if end == upload.size:
        fields |= {"state": Upload.State.CHECKING, **NO_LEASE}
    with transaction.atomic():
        if not upload.held().filter(offset=upload.offset).update(**fields):
            raise Locked(gettext(BUSY), retry_after=2)
        UploadPart.objects.create(upload=upload, offset=upload.offset, size=size, name=name)
        if end == upload.size:
            wake_workers()
    upload.offset = end
    release_connection()
