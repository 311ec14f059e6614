"""Beginning and cancelling uploads, within what a workspace may have."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone
from django.utils.translation import gettext

from accounts.actions.workspaces import hold_workspace
from accounts.models import User, Workspace
from capsules.actions.media import check_bytes
from capsules.models import Asset, Scene, Story, Upload, UploadLink
from capsules.uploads import parts
from config.celery import wake
from config.errors import Conflict, Fault, Invalid, Locked
from config.outbound import parts_of


def begin_upload(
    workspace: Workspace,
    *,
    kind: str,
    filename: str = "",
    by: User,
    size: int | None = None,
    source_url: str = "",
    credential: str = "",
    via: str = "",
    link: UploadLink | None = None,
    story: Story | None = None,
    scene: Scene | None = None,
) -> Upload:
    """A new upload that waits for its bytes; or one that a worker fetches from `source_url`. `scene`, of `story`,
    shows the file once it is ready.

    Raises Invalid, TooLarge, NotFound, and Conflict where the workspace has too many open uploads or too little room.
    """
    if source_url:
        check_address(source_url)
    elif not size:
        raise Invalid(faults=[Fault("size", gettext("This file is empty."))])
    else:
        check_bytes(kind, size)
    with transaction.atomic():
        hold_workspace(workspace.pk)  # counts one upload at a time
        check_under_way(workspace)
        check_room(workspace, size or 0)
        upload = Upload.objects.create(
            workspace=workspace,
            created_by=by,
            credential=credential,
            via=via,
            link=link,
            story=story,
            scene=scene,
            replaces=shown_in(scene, kind) if scene else None,
            kind=kind,
            filename=plain_name(filename or urlsplit(source_url).path),
            size=size,
            source_url=source_url,
            state=Upload.State.CHECKING if source_url else Upload.State.RECEIVING,
            expires_at=timezone.now() + settings.UPLOAD_RETENTION,
        )
        if source_url:
            wake("capsules.tasks.fetch_uploads")
    return upload


def shown_in(scene: Scene, kind: str) -> Asset | None:
    """The picture or the film of a scene."""
    return scene.film if kind == Asset.Kind.FILM else scene.still


def check_under_way(workspace: Workspace) -> None:
    """Raises Conflict where one more upload is too much for the workspace."""
    if Upload.objects.filter(workspace=workspace).under_way().count() >= settings.UPLOADS_OPEN:
        raise Conflict(
            gettext(
                "%(number)s uploads are under way in this workspace. Finish or cancel some of them first."
            )
            % {"number": settings.UPLOADS_OPEN}
        )


def check_room(workspace: Workspace, size: int) -> None:
    """Raises Conflict where `size` more bytes are too much for the workspace."""
    under_way = Upload.objects.filter(workspace=workspace).under_way()
    coming = under_way.aggregate(Sum("size"))["size__sum"] or 0
    kept = Asset.objects.present().filter(workspace=workspace).aggregate(Sum("bytes"))["bytes__sum"] or 0
    quota = settings.MEDIA_QUOTA[workspace.plan]
    if kept + coming + size > quota:
        raise Conflict(
            gettext(
                "This file does not fit: the workspace may store %(quota)s GB. Delete files that no capsule "
                "uses."
            )
            % {"quota": format(quota / 10**9, "g")}
        )


def check_address(address: str) -> None:
    """Raises Invalid for an address that is not even tried."""
    parts_of(address, path="sourceUrl", like="https://example.com/picture.jpg")


def plain_name(filename: str) -> str:
    """The last part of a file name, without what a list or a header would break on."""
    last = filename.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(char for char in last if char.isprintable()).strip()[:200] or "file"


def cancel_upload(upload: Upload) -> None:
    """Drops an upload and what arrived of it; the asset of a finished one stays. Raises Locked while it is busy."""
    rows = Upload.objects.filter(pk=upload.pk)
    # One by address that was put off: nobody fetches it before its time.
    rows.filter(lease_token=None).exclude(source_url="").update(lease_until=None)
    open_rows = Upload.objects.exclude(state=Upload.State.CHECKING, source_url="")
    taken = open_rows.take(upload.pk, settings.UPLOAD_LEASE)
    if taken is None:
        if rows.exists():
            raise Locked(
                gettext("This upload is busy at the moment. Please try again shortly."), retry_after=2
            )
        return
    parts.drop(taken)
    with transaction.atomic():
        deleted, _ = taken.held().delete()
        if deleted and taken.link and taken.state in Upload.UNDER_WAY:
            taken.link.take_back()
