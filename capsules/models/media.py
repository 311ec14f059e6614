"""The files that stories are made of."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from django.db import models
from django.utils import timezone

from accounts.models import User, Workspace
from capsules.models.encodes import Encode

if TYPE_CHECKING:
    from accounts.actors import Actor


class AssetQuerySet(models.QuerySet["Asset"]):
    def visible_to(self, actor: Actor) -> AssetQuerySet:
        """The only door from a request to a file."""
        return self.present().filter(actor.reach)

    def present(self) -> AssetQuerySet:
        return self.filter(deleted_at__isnull=True)

    def newest_first(self) -> AssetQuerySet:
        return self.order_by("-created_at", "-pk")

    def with_poster(self) -> AssetQuerySet:
        """Files with their workspaces and thumbnails, films with the stills taken from them, the first one first."""
        stills = Asset.objects.present().select_related("still_encode").order_by("created_at")
        whole = self.select_related("still_encode", "workspace")
        return whole.prefetch_related(models.Prefetch("posters", stills))


class Asset(models.Model):
    """A file as its author gave it. Readers never get it, only what an Encode made of it."""

    class Kind(models.TextChoices):
        PICTURE = "picture"
        FILM = "film"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="assets", db_index=False)
    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(
        max_length=80, help_text="Name in the storage of originals, from the SHA-256 of the content."
    )
    filename = models.CharField(max_length=200, help_text="What the author called it.")
    media_type = models.CharField(max_length=60)
    width = models.PositiveIntegerField(help_text="Pixels, as displayed.")
    height = models.PositiveIntegerField(help_text="Pixels, as displayed.")
    duration = models.FloatField(null=True, blank=True, help_text="Seconds, films only.")
    bytes = models.PositiveBigIntegerField(default=0, help_text="0 of old ones: it was not counted.")
    poster_of = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="posters",
        help_text="Set on a still that was taken from a film.",
    )
    taken_at = models.FloatField(
        null=True, editable=False, help_text="Stills of films only: at which second of it."
    )
    begins = models.JSONField(
        null=True,
        editable=False,
        help_text="Stills that nobody chose: the starts of the parts that begin with it, null for the film's own.",
    )
    still_encode = models.ForeignKey(
        Encode,
        null=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="Pictures only: its renditions around the middle, which are its thumbnail too.",
    )
    focus = models.JSONField(
        null=True, editable=False, help_text="Pictures only: the point that crops should keep, as proposed."
    )
    faces = models.JSONField(
        null=True,
        editable=False,
        help_text="Pictures only: left, top, right and bottom of each, as fractions.",
    )
    created_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    deleted_at = models.DateTimeField(null=True, editable=False)

    objects = AssetQuerySet.as_manager()

    class Meta:
        verbose_name = "media file"
        verbose_name_plural = "media"
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["workspace", "-created_at", "-id"], name="asset_newest")]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "kind", "name"], name="asset_once_a_workspace")
        ]

    def __str__(self) -> str:
        return self.filename

    @property
    def begins_at(self) -> list[float | None]:
        """The starts of the parts of its film of which this is the default still; None stands for the film's own
        beginning. Before it was noted, the first still of a film was that one.
        """
        if self.begins is not None or self.poster_of is None:
            return list(self.begins or [])
        first = self.poster_of.posters.order_by("created_at").first()
        return [None] if first == self else []
