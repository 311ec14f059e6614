"""What the lists are made of: cards, their ranks and the pins of staff.

A card and a rank exist exactly while their publication is live and listed; see feed.actions.relist.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from accounts.models import User, Workspace
from capsules import storage
from capsules.models import Story
from feed.keyset import Position, before
from publishing.models import Publication

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class CardQuerySet(models.QuerySet["Card"]):
    def newest_first(self) -> CardQuerySet:
        return self.order_by("-published_at", "-publication_id")

    def after(self, position: Position) -> CardQuerySet:
        """What follows `position` in newest_first()."""
        published_at = EPOCH + position.key * MICROSECOND
        return self.filter(before("published_at", "publication_id", published_at, position.id))


class Card(models.Model):
    """What lists show of one listed capsule, copied from its live bake in the transaction that published it.

    `cover`: {width, height, alt, colour, focus: [x, y], avif: [{name, width}], jpeg: [{name, width}]}, the narrowest
    first, where every `name` names a blob and the focus, from 0 to 1, is what a crop has to keep; `look` has the
    classes of its pages' look.
    """

    publication = models.OneToOneField(
        Publication, primary_key=True, on_delete=models.CASCADE, related_name="card"
    )
    story = models.OneToOneField(Story, on_delete=models.CASCADE, related_name="card")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+", db_index=False)
    slug = models.CharField(max_length=50)
    title = models.CharField(max_length=200)
    excerpt = models.CharField(max_length=200)
    author_name = models.CharField("author", max_length=120, blank=True)
    language = models.CharField(max_length=35)
    scene_count = models.PositiveSmallIntegerField("scenes")
    cover = models.JSONField(default=dict, blank=True)
    film = models.CharField(max_length=80, blank=True, help_text="Blob of the hero of the bake.")
    clip = models.CharField(max_length=80, blank=True, help_text="Blob of the social clip, once it is there.")
    published_at = models.DateTimeField()
    updated_at = models.DateTimeField(help_text="The latest publish.")

    objects = CardQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(F("published_at").desc(), F("publication").desc(), name="card_newest"),
            models.Index(
                F("workspace"), F("published_at").desc(), F("publication").desc(), name="card_of_workspace"
            ),
            models.Index(fields=["updated_at", "publication"], name="card_changed"),  # for the sitemap
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def path(self) -> str:
        return f"/{self.workspace.name}/{self.slug}"

    @property
    def author(self) -> str:
        """The name to show: the author, else the workspace."""
        return self.author_name or self.workspace.title

    @property
    def cover_name(self) -> str:
        """The blob of the widest JPEG of its cover; "" without a cover."""
        pictures = self.cover.get("jpeg", [])
        return pictures[-1]["name"] if pictures else ""

    @property
    def look(self) -> str:
        """The classes (static/themes.css) of its look; "" for a card of before there were looks."""
        return str(self.cover.get("look", ""))

    @property
    def cover_url(self) -> str:
        return storage.blobs().url(self.cover_name) if self.cover_name else ""

    @property
    def video_url(self) -> str:
        """The social clip, else the hero of the bake; "" without either."""
        name = self.clip or self.film
        return storage.blobs().url(name) if name else ""

    @property
    def position(self) -> Position:
        """Its place in newest_first()."""
        return Position((self.published_at - EPOCH) // MICROSECOND, self.pk)


class PinQuerySet(models.QuerySet["Pin"]):
    def running(self) -> PinQuerySet:
        now = timezone.now()
        return self.filter(Q(ends_at=None) | Q(ends_at__gt=now), ended_at=None, starts_at__lte=now)


class Pin(models.Model):
    """A decision of staff to show a Featured capsule above the others."""

    class Tier(models.TextChoices):
        HEADLINE = "headline"
        FEATURED = "featured"

    publication = models.ForeignKey(
        Publication, on_delete=models.CASCADE, related_name="pins", verbose_name="capsule"
    )
    tier = models.CharField(max_length=8, choices=Tier, default=Tier.FEATURED)
    place = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="1 stands first in its tier. Empty: by views, behind those with a place.",
    )
    starts_at = models.DateTimeField("start", default=timezone.now)
    ends_at = models.DateTimeField("end", null=True, blank=True, help_text="Empty: until you end it.")
    ended_at = models.DateTimeField(
        null=True, editable=False, help_text="When the capsule stopped being Featured or public."
    )
    created_by = models.ForeignKey(
        User, null=True, on_delete=models.SET_NULL, related_name="+", editable=False
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = PinQuerySet.as_manager()

    class Meta:
        ordering = ["-starts_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["publication"],
                condition=Q(ended_at__isnull=True),
                name="one_pin_a_capsule",
            ),
            models.CheckConstraint(
                condition=Q(place__isnull=True) | Q(place__range=(1, 255)), name="pin_place_range"
            ),
            models.CheckConstraint(
                condition=Q(ends_at__isnull=True) | Q(ends_at__gt=F("starts_at")),
                name="pin_ends_after_start",
                violation_error_message="The end must come after the start.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.publication.story}: {self.tier}"

    def clean(self) -> None:
        if self.ended_at is not None:
            return
        if not pinnable().filter(pk=self.publication_id).exists():
            raise ValidationError({"publication": "Only a capsule published as Featured can be pinned."})
        # Forms skip the constraint, because its condition is on a field that they do not show.
        if Pin.objects.filter(publication=self.publication_id, ended_at=None).exclude(pk=self.pk).exists():
            raise ValidationError({"publication": "This capsule has a pin already. Change that one."})


def pinnable() -> QuerySet[Publication]:
    """What staff may pin: capsules that are published as Featured."""
    return Publication.objects.live().listed().filter(story__visibility=Story.Visibility.FEATURED)


def may_be_pinned(listed: Publication) -> bool:
    """Whether one that is live and listed is `pinnable`."""
    return listed.story.visibility == Story.Visibility.FEATURED


class FeedRankQuerySet(models.QuerySet["FeedRank"]):
    def ranked(self) -> FeedRankQuerySet:
        """Headline, featured, the rest; each by views; among equals the newer publication first."""
        return self.order_by("-sort_key", "-card_id").select_related("card__workspace", "card__publication")

    def after(self, position: Position) -> FeedRankQuerySet:
        """What follows `position` in ranked()."""
        return self.filter(before("sort_key", "card_id", *position))


class FeedRank(models.Model):
    """The place of a card in the feed. `sort_key`: tier << 56 | place << 48 | views, from feed.ranks.sort_key."""

    VIEWS = (1 << 48) - 1
    TIERS = {2: Pin.Tier.HEADLINE, 1: Pin.Tier.FEATURED}

    card = models.OneToOneField(
        Card, primary_key=True, on_delete=models.CASCADE, related_name="rank", db_column="publication_id"
    )
    sort_key = models.BigIntegerField()

    objects = FeedRankQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(F("sort_key").desc(), F("card").desc(), name="feed_rank_order")]

    def __str__(self) -> str:
        return f"{self.card}: {self.views} views"

    @property
    def views(self) -> int:
        """The number it is ranked by, so that order and numbers agree."""
        return self.sort_key & self.VIEWS

    @property
    def pin_tier(self) -> Pin.Tier | None:
        return self.TIERS.get(self.sort_key >> 56)

    @property
    def position(self) -> Position:
        """Its place in ranked()."""
        return Position(self.sort_key, self.pk)


class FeedChange(models.Model):
    """A list whose feeds changed, until the WebSub hub was told: "" for that of all, else /<workspace>."""

    path = models.CharField(max_length=41)

    def __str__(self) -> str:
        return self.path or "/"
