"""Files on their way in: uploads, the parts of them that have arrived, and links that let a phone upload."""

from __future__ import annotations

import secrets
import uuid
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Cast, Now
from django.utils import timezone

from accounts.actors import STORIES_WRITE
from accounts.models import ApiKey, Connection, Membership, User, Workspace
from accounts.models.digests import digest_of
from capsules.models.media import Asset
from capsules.models.putting_off import CanBePutOff
from capsules.models.stories import Scene, Story
from config.leases import LeasedQuerySet

if TYPE_CHECKING:
    from accounts.actors import Actor


class UploadLinkQuerySet(models.QuerySet["UploadLink"]):
    def of_secret(self, secret: str) -> UploadLinkQuerySet:
        return self.filter(digest=digest_of(secret))

    def open(self) -> UploadLinkQuerySet:
        """Links that still take files."""
        return self.alive().filter(files__lt=settings.UPLOAD_LINK_FILES)

    def alive(self) -> UploadLinkQuerySet:
        """Links in their time, of somebody who may still write."""
        return self.allowed().filter(expires_at__gt=Now())

    def allowed(self) -> UploadLinkQuerySet:
        """Links of an active member who may write, in a workspace that is not suspended.

        One that an app or a key made ends with them, and with what it needs of the app's permission.
        """
        here = {"pk": OuterRef("connection"), "memberships__workspace": OuterRef("workspace")}
        apps = Connection.objects.live().filter(**here).annotate(listed=Cast("scopes", models.TextField()))
        return self.filter(
            Q(connection__isnull=True) | Exists(apps.filter(listed__contains=f'"{STORIES_WRITE}"')),
            Q(key__isnull=True) | Q(key__in=ApiKey.objects.working()),
            created_by__is_active=True,
            workspace__suspended_at__isnull=True,
            workspace__memberships__user=F("created_by"),
            workspace__memberships__role__in=Membership.WRITING_ROLES,
        )


class UploadLink(models.Model):
    """A secret address that takes a few files for one workspace without a login. Only its SHA-256 is kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="upload_links")
    story = models.ForeignKey(Story, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    scene = models.ForeignKey(
        Scene,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="That gets the first file.",
    )
    created_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    connection = models.ForeignKey(
        Connection,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="That made it.",
    )
    key = models.ForeignKey(
        ApiKey, null=True, blank=True, on_delete=models.CASCADE, related_name="+", help_text="That made it."
    )
    digest = models.CharField(max_length=64, unique=True, editable=False)
    files = models.PositiveSmallIntegerField(default=0, help_text="How many it has taken.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()

    objects = UploadLinkQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"Upload link of {self.workspace}"

    @property
    def is_open(self) -> bool:
        """Whether it takes files now, by the database."""
        return UploadLink.objects.filter(pk=self.pk).open().exists()

    def take_back(self) -> None:
        """A file of which nothing is kept does not count."""
        UploadLink.objects.filter(pk=self.pk, files__gt=0).update(files=F("files") - 1)

    @staticmethod
    def new_secret() -> str:
        return secrets.token_urlsafe(32)


class UploadQuerySet(LeasedQuerySet["Upload"]):
    def visible_to(self, actor: Actor) -> UploadQuerySet:
        """The only door from a request to an upload. A link sees the uploads that it began, and no others."""
        rows = self.filter(workspace__in=actor.workspaces())
        return rows.filter(credential=actor.credential) if actor.via == "link" else rows

    def under_way(self) -> UploadQuerySet:
        return self.filter(state__in=Upload.UNDER_WAY)

    def overdue(self) -> UploadQuerySet:
        """Those whose file never came whole."""
        return self.lease_free().filter(state=Upload.State.RECEIVING, expires_at__lt=Now())

    def due(self) -> UploadQuerySet:
        """Whole files that nobody is checking: new ones, those put off till now, and those whose worker died."""
        return self.lease_free().filter(state=Upload.State.CHECKING)

    def whole(self) -> UploadQuerySet:
        """Those whose file was sent to us."""
        return self.filter(source_url="")

    def to_fetch(self) -> UploadQuerySet:
        """Those whose file is at an address, of workspaces for which nothing is fetched now."""
        of_addresses = Upload.objects.exclude(source_url="").filter(state=Upload.State.CHECKING)
        served = of_addresses.filter(lease_token__isnull=False, lease_until__gt=Now()).values("workspace")
        return self.exclude(source_url="").exclude(workspace__in=served)

    def claim(self) -> Upload | None:
        """Takes the oldest due upload of this set for the caller alone; None when nothing is due."""
        while (row := self.due().order_by("created_at").only("pk", "workspace_id").first()) is not None:
            with transaction.atomic():
                # Two workers that look at one workspace decide one after the other which file is fetched for it.
                Workspace.objects.select_for_update(no_key=True).filter(pk=row.workspace_id).first()
                claimed = self.due().take(row.pk, settings.UPLOAD_CHECK_LEASE, attempts=F("attempts") + 1)
            if claimed:
                return claimed
        return None


class Upload(CanBePutOff):
    """One file on its way in. `offset` bytes of it have arrived, in the parts that its rows name.

    The lease is held by the request that receives a slice, later by the worker that checks the whole file.
    """

    class State(models.TextChoices):
        RECEIVING = "receiving"
        CHECKING = "checking"
        READY = "ready"
        REFUSED = "refused"
        EXPIRED = "expired"

    UNDER_WAY = (State.RECEIVING, State.CHECKING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="uploads")
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    credential = models.CharField(max_length=80, blank=True, help_text="Through what it was begun.")
    link = models.ForeignKey(
        UploadLink, null=True, blank=True, on_delete=models.SET_NULL, related_name="uploads"
    )
    via = models.CharField(
        max_length=6, blank=True, default="", db_default="", help_text="As Actor.via, where that is known."
    )
    story = models.ForeignKey(
        Story,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="uploads",
        help_text="It is for.",
    )
    scene = models.ForeignKey(
        Scene,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="That gets the file once it is ready.",
    )
    replaces = models.ForeignKey(
        Asset,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="What the scene showed of this kind when the upload began.",
    )
    kind = models.CharField(max_length=8, choices=Asset.Kind)
    filename = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField(
        null=True, help_text="Bytes; unknown of a file that is still to be fetched."
    )
    offset = models.PositiveBigIntegerField(default=0)
    source_url = models.CharField(max_length=2000, blank=True)
    state = models.CharField(max_length=9, choices=State, default=State.RECEIVING)
    error = models.TextField(blank=True, help_text="Why it was refused, for the author.")
    note = models.TextField(blank=True, help_text="What the author should know of a file that was taken.")
    asset = models.ForeignKey(Asset, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, editable=False)

    objects = UploadQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(
                fields=["created_at"],
                condition=Q(state__in=["receiving", "checking"]),
                name="upload_under_way",
            )
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(size__isnull=True) | Q(offset__lte=F("size")), name="upload_offset_inside"
            )
        ]

    def __str__(self) -> str:
        return f"{self.filename}, {self.state}"

    @property
    def percent(self) -> int:
        """How much of it has arrived."""
        return 100 * self.offset // self.size if self.size else 0

    @property
    def is_expired(self) -> bool:
        late = self.state == self.State.RECEIVING and self.expires_at < timezone.now()
        return late or self.state == self.State.EXPIRED


class UploadPart(models.Model):
    """A piece of an upload that is stored: `size` bytes from `offset`, under `name` in the storage of parts."""

    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="parts", db_index=False)
    offset = models.PositiveBigIntegerField()
    size = models.PositiveBigIntegerField()
    name = models.CharField(max_length=120)

    class Meta:
        ordering = ["offset"]
        constraints = [models.UniqueConstraint(fields=["upload", "offset"], name="part_once_an_offset")]

    def __str__(self) -> str:
        return self.name
