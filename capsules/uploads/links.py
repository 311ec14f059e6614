"""Links that take files without a login: for the phone in a person's hand, or for a script with files on its disk."""

from __future__ import annotations

from datetime import timedelta
from pathlib import PurePosixPath

from django.conf import settings
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from accounts.actors import STORIES_WRITE, Actor
from accounts.models import Workspace
from accounts.models.digests import digest_of
from capsules.models import Asset, Scene, Story, Upload, UploadLink
from capsules.uploads import creating, receiving
from capsules.uploads.errors import Expired
from capsules.uploads.receiving import Stream
from config.errors import Invalid

LIFETIME = 3600  # seconds
PATH = "/studio/up/{}"
FILMS = (".mp4", ".mov", ".m4v", ".webm", ".mkv", ".3gp")

OVER = gettext_noop("This upload link has expired, or has taken all its files. Please ask for a new one.")


def make_link(
    workspace: Workspace,
    *,
    by: Actor,
    story: Story | None = None,
    scene: Scene | None = None,
    lifetime: timedelta,
) -> tuple[UploadLink, str]:
    """A new link and its address, which is shown this once: only its hash is kept.

    It ends with the app or the key that asked for it. `scene`, of `story`, shows the first file that comes.
    """
    secret = UploadLink.new_secret()
    id = by.credential.partition(":")[2]
    link = UploadLink.objects.create(
        workspace=workspace,
        story=story,
        scene=scene,
        created_by=by.user,
        connection_id=id if by.via == "app" else None,
        key_id=id if by.via == "key" else None,
        digest=digest_of(secret),
        expires_at=timezone.now() + lifetime,
    )
    return link, settings.APP_URL + PATH.format(secret)


def open_link(secret: str) -> UploadLink:
    """The link of a secret while it takes files. Raises Expired, also for one that never existed."""
    link = (
        UploadLink.objects.of_secret(secret)
        .open()
        .select_related("workspace", "created_by", "story", "scene__still", "scene__film")
        .first()
    )
    if link is None:
        raise Expired(gettext(OVER))
    return link


def sender(secret: str) -> Actor | None:
    """The actor for the secret of a link, who may finish the uploads it began; None once the link has ended."""
    link = UploadLink.objects.of_secret(secret).alive().select_related("created_by").first()
    if link is None:
        return None
    return actor_of(link)


def actor_of(link: UploadLink) -> Actor:
    """The maker of a link, as the link lets them act."""
    workspaces, scopes = frozenset({link.workspace_id}), frozenset({STORIES_WRITE})
    return Actor(link.created_by, link_credential(link), workspaces, scopes, via="link")


def link_credential(link: UploadLink) -> str:
    return f"link:{link.pk}"


def of_secret(secret: str) -> UploadLink:
    """The link of a secret until an hour after its end, so that its page can still tell what became of the files.

    Raises Expired, the same for one that never was.
    """
    links = UploadLink.objects.of_secret(secret).select_related("workspace", "created_by", "story")
    link = links.filter(expires_at__gt=timezone.now() - timedelta(seconds=LIFETIME)).first()
    if link is None:
        raise Expired(gettext(OVER))
    return link


def begin_by_link(link: UploadLink, *, filename: str, size: int, kind: str = "") -> Upload:
    """An upload by a link; counts as one of its files. Raises Expired, and what `creating.begin_upload` raises."""
    rows = UploadLink.objects.filter(pk__in=UploadLink.objects.filter(pk=link.pk).open().values("pk"))
    # The number is asked of the row that is written: of many at once one is the first, and none is one too many.
    is_first = bool(rows.filter(files=0).update(files=1))
    if not is_first and not rows.filter(files__lt=settings.UPLOAD_LINK_FILES).update(files=F("files") + 1):
        raise Expired(gettext(OVER))
    try:
        return creating.begin_upload(
            link.workspace,
            kind=kind or kind_of(filename),
            filename=filename,
            size=size,
            by=link.created_by,
            credential=link_credential(link),
            via="link",
            link=link,
            story=link.story,
            scene=link.scene if is_first else None,  # further ones stay in the library
        )
    except Exception:
        link.take_back()
        raise


def receive_by_link(link: UploadLink, stream: Stream, *, filename: str, length: int) -> Upload:
    """Takes one whole file, or keeps nothing of it. Raises Invalid where it breaks off."""
    upload = begin_by_link(link, filename=filename, size=length)
    try:
        if receiving.receive(upload, stream, offset=0, length=length) < length:
            raise Invalid(gettext("The file was cut short. Please send it again."))
    except Exception:  # also of ours, as a full disk: nobody knows of this upload, so nobody could cancel it
        creating.cancel_upload(upload)
        raise
    upload.refresh_from_db()
    return upload


def kind_of(filename: str) -> str:
    return Asset.Kind.FILM if PurePosixPath(filename.lower()).suffix in FILMS else Asset.Kind.PICTURE
