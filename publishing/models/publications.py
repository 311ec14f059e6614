"""What is public of one story: its publication, the slugs it holds, and its bakes."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from capsules.models import Encode, Preview, Story
from config.links import absolute

if TYPE_CHECKING:
    pass


class Bake(models.Model):
    """The immutable version that readers get, named by its content.

    `content`: {title, summary, author, language, cover: int, card: picture or null, scenes: [{title, text, alt,
    focus, finale, colour: "#rrggbb", still: {landscape: {avif|webp|jpeg: [picture]}, portrait: {…}}, film: {mp4:
    film, webm: film} or null}]}; a picture is {name, media_type, width, height, bytes}, a film has a duration
    (seconds) too, and every `name` names a blob.
    """

    story = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="bakes")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the content.")
    content = models.JSONField()
    preview = models.ForeignKey(Preview, null=True, on_delete=models.SET_NULL, related_name="bakes")
    clip = models.ForeignKey(
        Encode,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The social clip, made after the publish.",
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


def names_in(content: Any) -> list[str]:
    """Every blob name in a bake's content."""
    if isinstance(content, list):
        return [name for item in content for name in names_in(item)]
    if not isinstance(content, dict):
        return []
    own = [content["name"]] if "name" in content else []
    return own + [name for item in content.values() for name in names_in(item)]


#: What every address of a capsule looks like: the page, and the frame for other sites.
PUBLIC_PATH = re.compile(r"/(?P<workspace>[a-z0-9-]{3,40})/(?P<slug>[a-z0-9-]{1,50})(?:/embed)?")


class PublicationQuerySet(models.QuerySet["Publication"]):
    def live(self) -> PublicationQuerySet:
        """What anyone with the link can read at its own link. A shown edition is read through its capsule."""
        return self.filter(published_at__isnull=False).exclude(
            story__capsule__isnull=False, story__shown=True
        )

    def listed(self) -> PublicationQuerySet:
        """What lists may show: profile, feed, sitemap. Chain it to live(), which leaves shown editions out."""
        return self.filter(story__visibility__in=[Story.Visibility.PUBLIC, Story.Visibility.FEATURED])

    def shown_editions_of(self, *capsules: uuid.UUID) -> PublicationQuerySet:
        """What readers of these stories can switch to besides the default edition: shown, and baked."""
        shown = self.filter(story__capsule__in=capsules, story__shown=True, live_bake__isnull=False)
        return shown.order_by("story__created_at")

    def lease_free(self) -> PublicationQuerySet:
        return self.filter(Q(lease_until__isnull=True) | Q(lease_until__lt=Now()))

    def lease_lapsed(self) -> PublicationQuerySet:
        return self.filter(lease_until__lt=Now())


class Publication(models.Model):
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
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)

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
