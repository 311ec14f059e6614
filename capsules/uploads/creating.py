"""Beginning and cancelling uploads, within what a workspace may have."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from accounts.models import User, Workspace
from capsules import tasks
from capsules.actions.media import check_bytes
from capsules.models import Asset, Upload, UploadLink
from capsules.uploads import parts
from config.errors import Conflict, Fault, Invalid, Locked


def begin(
    workspace: Workspace,
    *,
    kind: str,
    filename: str,
    by: User,
    size: int | None = None,
    source_url: str = "",
    credential: str = "",
    link: UploadLink | None = None,
) -> Upload:
    """A new upload that waits for its bytes; or one that a worker fetches from `source_url`.

    Raises Invalid, TooLarge, and Conflict where the workspace has too many open uploads or too little room.
    """
    if source_url:
        check_address(source_url)
    elif not size:
        raise Invalid(faults=[Fault("size", "This file is empty.")])
    else:
        check_bytes(kind, size)
    with transaction.atomic():
        Workspace.objects.select_for_update().get(pk=workspace.pk)  # counts one upload at a time
        check_room(workspace, size or 0)
        upload = Upload.objects.create(
            workspace=workspace,
            created_by=by,
            credential=credential,
            link=link,
            kind=kind,
            filename=plain_name(filename),
            size=size,
            source_url=source_url,
            state=Upload.State.CHECKING if source_url else Upload.State.RECEIVING,
            expires_at=timezone.now() + settings.UPLOAD_RETENTION,
        )
        if source_url:
            transaction.on_commit(tasks.fetch_uploads.delay, robust=True)
    return upload


def check_room(workspace: Workspace, size: int) -> None:
    """Raises Conflict where `size` more bytes, or one more upload, are too much for the workspace."""
    under_way = Upload.objects.filter(workspace=workspace).under_way()
    if under_way.count() >= settings.UPLOADS_OPEN:
        raise Conflict(
            f"{settings.UPLOADS_OPEN} uploads are under way in this workspace. Finish or cancel some of them first."
        )
    coming = under_way.aggregate(Sum("size"))["size__sum"] or 0
    kept = Asset.objects.present().filter(workspace=workspace).aggregate(Sum("bytes"))["bytes__sum"] or 0
    quota = settings.MEDIA_QUOTA[workspace.plan]
    if kept + coming + size > quota:
        raise Conflict(
            f"This file does not fit: the workspace may store {quota / 10**9:g} GB. "
            "Delete files that no capsule uses."
        )


def check_address(address: str) -> None:
    """Raises Invalid for an address that is not even tried."""
    try:
        url = urlsplit(address)
        port = url.port
    except ValueError as error:
        raise Invalid(
            faults=[Fault("sourceUrl", "Must be an address like https://example.com/picture.jpg.")]
        ) from error
    if url.scheme not in ("http", "https") or not url.hostname:
        raise Invalid(faults=[Fault("sourceUrl", "Must be an address like https://example.com/picture.jpg.")])
    if url.username is not None or url.password is not None:
        raise Invalid(faults=[Fault("sourceUrl", "Must not contain a user name or a password.")])
    if port is not None and port not in (80, 443) and port < 1024:
        raise Invalid(faults=[Fault("sourceUrl", "This port is not allowed.")])


def plain_name(filename: str) -> str:
    """The last part of a file name, without what a list or a header would break on."""
    last = filename.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(char for char in last if char.isprintable()).strip()[:200] or "file"


def cancel(upload: Upload) -> None:
    """Drops an upload and what arrived of it; the asset of a finished one stays. Raises Locked while it is busy."""
    taken = Upload.objects.exclude(state=Upload.State.CHECKING).take(upload.pk, settings.UPLOAD_LEASE)
    if taken is None:
        if Upload.objects.filter(pk=upload.pk).exists():
            raise Locked("This upload is busy at the moment. Please try again shortly.", retry_after=2)
        return
    parts.drop(taken)
    taken.held().delete()


def wake_checkers() -> None:
    """Tells the workers after commit that a file is whole; without a broker the sweep finds it."""
    transaction.on_commit(tasks.check_and_encode.delay, robust=True)
