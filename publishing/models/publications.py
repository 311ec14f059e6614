"""What is public of one story: its publication, the slugs it holds, and its bakes."""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection
from typing import Any

from django.db import models
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from capsules.models import Encode, Preview, Story
from capsules.models.contents import ContentField
from config.leases import Leased, LeasedQuerySet
from config.links import absolute


class Bake(models.Model):
    """The immutable version that readers get, named by its content.

    `content`: what readers get of `fields.STORY`, cover: int, card: picture or null, scenes: [{what readers get of
    `fields.SCENE`, colour: "#rrggbb", still: {landscape: {avif|webp|jpeg: [picture]}, portrait: {…}}, camera: bool,
    film: {mp4: film, webm: film} or null}]; a picture is {name, media_type, width, height, bytes}, a film has a
    duration (seconds) too, and every `name` names a blob.
    """

    story = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="bakes", db_index=False)
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the content.")
    content = ContentField()
    preview = models.ForeignKey(Preview, null=True, on_delete=models.SET_NULL, related_name="bakes")
    clip = models.ForeignKey(
        Encode,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The social clip, made after the publish.",
    )
    hero = models.ForeignKey(
        Encode,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The camera's move over a still, for cards; made after the publish where no scene has a film.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    replaced_at = models.DateTimeField(null=True, editable=False, help_text="Since when no reader gets it.")

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["story", "number"], name="bake_number_once_a_story"),
            models.UniqueConstraint(fields=["story", "digest"], name="bake_content_once_a_story"),
        ]

    def __str__(self) -> str:
        return f"Bake {self.number} of {self.story}"

    def blobs(self) -> set[str]:
        """The names of all blobs it shows."""
        return set(names_in(self.content))

    def scene_keys(self) -> list[str]:
        """The keys that stay with scenes through every edit; names by their places where its preview is gone."""
        scenes = self.preview.content["scenes"] if self.preview else self.content["scenes"]
        return [str(scene.get("id") or f"scene {number}") for number, scene in enumerate(scenes, start=1)]


def names_in(content: object) -> list[str]:
    """Every blob name in a bake's content."""
    if isinstance(content, list):
        return [name for item in content for name in names_in(item)]
    if not isinstance(content, dict):
        return []
    own = [content["name"]] if "name" in content else []
    return own + [name for item in content.values() for name in names_in(item)]


#: What every address of a capsule looks like: the page, and the frame for other sites.
PUBLIC_PATH = re.compile(r"/(?P<workspace>[a-z0-9-]{3,40})/(?P<slug>[a-z0-9-]{1,50})(?:/embed)?")


#: What was taken down: a frozen capsule with its editions, and everything of a suspended workspace.
DARK = Q(frozen_at__isnull=False) | Q(story__workspace__suspended_at__isnull=False)


class PublicationQuerySet(LeasedQuerySet["Publication"]):
    def live(self) -> PublicationQuerySet:
        """What anyone with the link can read at its own link. A shown edition is read through its capsule.

        Whoever shows something to readers asks here, and nobody but this class asks what is dark.
        """
        return self.published().filter(~DARK).exclude(story__capsule__isnull=False, story__shown=True)

    def published(self) -> PublicationQuerySet:
        """What its author has published, also where it was taken down: for its people and for staff."""
        return self.filter(published_at__isnull=False)

    def dark(self) -> PublicationQuerySet:
        """What was taken down, whether its author has it published or not."""
        return self.filter(DARK)

    def capsules_first(self) -> PublicationQuerySet:
        """The order in which whoever holds several rows locks them: no two wait for each other."""
        return self.order_by(F("story__capsule").asc(nulls_first=True), "-story__created_at")

    def with_bake(self) -> PublicationQuerySet:
        """With what a page or a letter shows of each: its live bake, its story and its workspace."""
        return self.select_related("story__workspace", "live_bake")

    def listed(self) -> PublicationQuerySet:
        """What lists may show: profile, feed, sitemap. Chain it to live(), which leaves shown editions out."""
        return self.filter(story__visibility__in=[Story.Visibility.PUBLIC, Story.Visibility.FEATURED])

    def shown_editions_of(self, capsules: Collection[uuid.UUID] | QuerySet[Any, Any]) -> PublicationQuerySet:
        """What readers of these stories can switch to besides the default edition: shown, and baked."""
        shown = self.filter(~DARK, story__capsule__in=capsules, story__shown=True, live_bake__isnull=False)
        return shown.order_by("story__created_at")


class Publication(Leased):
    """What readers can open of one story. It is published while `published_at` is set."""

    class Mode(models.TextChoices):
        STANDARD = "STANDARD"
        WHITE_LABEL = "WHITE_LABEL"

    story = models.OneToOneField(Story, on_delete=models.CASCADE, related_name="publication")
    slug = models.CharField(max_length=50, unique=True, null=True, blank=True)
    mode = models.CharField(max_length=11, choices=Mode, default=Mode.STANDARD)
    show_social_share = models.BooleanField(default=True)
    published_at = models.DateTimeField(null=True, blank=True, editable=False)
    first_published_at = models.DateTimeField(null=True, blank=True, editable=False)
    updated_at = models.DateTimeField(null=True, blank=True, editable=False, help_text="The latest publish.")
    live_bake = models.ForeignKey(
        Bake, null=True, blank=True, on_delete=models.RESTRICT, related_name="+", editable=False
    )
    frozen_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="Set: staff took it down. An edition goes with its capsule.",
    )
    frozen_case = models.ForeignKey(
        "publishing.Case", null=True, on_delete=models.SET_NULL, related_name="frozen", editable=False
    )
    frees_slug = models.BooleanField(
        default=False, editable=False, help_text="Whether its slug is to be free once the case has ended."
    )

    objects = PublicationQuerySet.as_manager()

    class Meta:
        ordering = [F("published_at").desc(nulls_last=True)]
        constraints = [
            models.CheckConstraint(
                condition=Q(published_at__isnull=True) | Q(slug__isnull=False, live_bake__isnull=False),
                name="published_has_slug_and_bake",
            ),
        ]

    def __str__(self) -> str:
        return f"Publication of {self.story}"

    def get_absolute_url(self) -> str:
        return absolute(self.path) if self.path else ""

    @property
    def is_published(self) -> bool:
        return self.published_at is not None

    @property
    def is_dark(self) -> bool:
        return self.frozen_at is not None or self.story.workspace.is_suspended

    @property
    def is_white_label(self) -> bool:
        return self.mode == self.Mode.WHITE_LABEL

    @property
    def path(self) -> str | None:
        """The public path while published: /<workspace>/<slug>."""
        return f"/{self.story.workspace.name}/{self.slug}" if self.is_published else None


class Slug(models.Model):
    """A slug that is taken. `lease_token` is set while a running publish reserves it for its story."""

    text = models.CharField(primary_key=True, max_length=50)
    publication = models.ForeignKey(Publication, on_delete=models.CASCADE, related_name="slugs")
    lease_token = models.UUIDField(null=True, editable=False)

    def __str__(self) -> str:
        return self.text
