"""What is authored: stories and their scenes, the files they are made of, and previews."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils import timezone

from accounts.models import User, Workspace
from capsules.encodes import Encode

if TYPE_CHECKING:
    from accounts.actors import Actor

__all__ = ["Asset", "Encode", "Preview", "Scene", "Story"]

EDITION_NAME = r"^[a-z0-9]+(-[a-z0-9]+)*$"
LANGUAGE = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$"  # the common shape of BCP 47


class StoryQuerySet(models.QuerySet["Story"]):
    def visible_to(self, actor: Actor) -> StoryQuerySet:
        """The only door from a request to a story."""
        return self.filter(workspace__in=actor.workspaces())


class Story(models.Model):
    """A capsule; or, where `capsule` is set, an edition of one."""

    class Visibility(models.TextChoices):
        PRIVATE = "private"
        UNLISTED = "unlisted"
        PUBLIC = "public"
        FEATURED = "featured"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="stories")
    title = models.CharField(max_length=200)
    summary = models.CharField(max_length=300, blank=True, help_text="One sentence under the title.")
    author_name = models.CharField("author", max_length=120, blank=True)
    language = models.CharField(
        max_length=35,
        default="en",
        validators=[RegexValidator(LANGUAGE, "Use a language tag like en or pt-BR.")],
    )
    visibility = models.CharField(
        max_length=8,
        choices=Visibility,
        default=Visibility.PRIVATE,
        help_text="The chosen level. The first publish makes a private capsule public.",
    )
    cover = models.ForeignKey(
        "Scene",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The scene whose still is the chosen image; the first scene's where empty.",
    )
    capsule = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="editions",
        help_text="Set on an edition: the capsule (default edition) that it is a variant of.",
    )
    edition_name = models.CharField(
        max_length=40,
        blank=True,
        validators=[RegexValidator(EDITION_NAME, "Use a name like classroom or de-short.")],
    )
    edition_label = models.CharField(max_length=80, blank=True)
    shown = models.BooleanField(
        "shown to readers", default=False, help_text="Whether readers can switch to this edition."
    )
    created_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = StoryQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        verbose_name_plural = "stories"
        constraints = [
            models.UniqueConstraint(fields=["capsule", "edition_name"], name="edition_name_once_a_capsule"),
            models.CheckConstraint(
                condition=models.Q(capsule__isnull=True, edition_name="", shown=False)
                | (models.Q(capsule__isnull=False) & ~models.Q(edition_name="")),
                name="edition_has_a_name",
            ),
            models.CheckConstraint(
                condition=~models.Q(capsule=models.F("id")), name="edition_of_another_story"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.edition_name})" if self.edition_name else self.title

    def clean(self) -> None:
        if self.capsule is None:
            return
        if self.capsule.capsule_id is not None:
            raise ValidationError({"capsule": "An edition cannot have editions of its own."})
        if self.capsule.workspace_id != self.workspace_id:
            raise ValidationError({"capsule": "An edition belongs to the workspace of its capsule."})

    @property
    def is_shown_edition(self) -> bool:
        return self.capsule_id is not None and self.shown

    @property
    def latest_preview(self) -> Preview | None:
        return self.previews.order_by("-number").first()


class Asset(models.Model):
    """A file as its author gave it. Readers never get it, only what an Encode made of it."""

    class Kind(models.TextChoices):
        PICTURE = "picture"
        FILM = "film"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="assets")
    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(
        max_length=80, help_text="Name in the storage of originals, from the SHA-256 of the content."
    )
    filename = models.CharField(max_length=200, help_text="What the author called it.")
    media_type = models.CharField(max_length=60)
    width = models.PositiveIntegerField(help_text="Pixels, as displayed.")
    height = models.PositiveIntegerField(help_text="Pixels, as displayed.")
    duration = models.FloatField(null=True, blank=True, help_text="Seconds, films only.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "kind", "name"], name="asset_once_a_workspace")
        ]

    def __str__(self) -> str:
        return self.filename


FRACTION = [MinValueValidator(0.0), MaxValueValidator(1.0)]


class Scene(models.Model):
    """One step of a story. The last one may be a finale: a still, no animation."""

    class Animation(models.TextChoices):
        NONE = "", "none"
        AUTO = "auto", "a slow camera move over the still"
        FILM = "film", "a film clip"

    story = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="scenes")
    position = models.PositiveSmallIntegerField(help_text="From 0.")
    title = models.CharField(max_length=80, blank=True)
    text = models.TextField(blank=True, max_length=2000)
    alt = models.CharField("alternative text", max_length=500, blank=True)
    still = models.ForeignKey(Asset, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    focus_x = models.FloatField(
        default=0.5, validators=FRACTION, help_text="Fraction of the width that crops must keep."
    )
    focus_y = models.FloatField(
        default=0.5, validators=FRACTION, help_text="Fraction of the height that crops must keep."
    )
    animation = models.CharField(max_length=4, choices=Animation, default=Animation.NONE, blank=True)
    film = models.ForeignKey(Asset, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    finale = models.BooleanField(default=False)
    still_encode = models.ForeignKey(
        Encode, null=True, blank=True, on_delete=models.PROTECT, related_name="+", editable=False
    )
    animation_encode = models.ForeignKey(
        Encode, null=True, blank=True, on_delete=models.PROTECT, related_name="+", editable=False
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["story", "position"], name="one_scene_a_position"),
            models.UniqueConstraint(
                fields=["story"], condition=models.Q(finale=True), name="one_finale_a_story"
            ),
            models.CheckConstraint(
                condition=models.Q(focus_x__range=(0, 1), focus_y__range=(0, 1)), name="scene_focus_inside"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position + 1}. {self.title or self.text[:40]}"

    @property
    def focus(self) -> tuple[float, float]:
        return self.focus_x, self.focus_y


class Preview(models.Model):
    """A frozen copy of all scenes with the encodes that render them. Editing the story does not change it.

    `content`: {title, summary, author, language, cover: int, card: encode id or null, scenes: [{title, text, alt,
    focus: [x, y], finale: bool, still: encode id or null, animation: encode id or null}]}.
    """

    story = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="previews")
    number = models.PositiveIntegerField()
    content = models.JSONField()
    encodes = models.ManyToManyField(Encode, related_name="previews")
    created_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["story", "number"], name="preview_number_once_a_story")
        ]

    def __str__(self) -> str:
        return f"Preview {self.number} of {self.story}"

    @property
    def state(self) -> str:
        """`ready`, `failed` or `building`: what its encodes have come to."""
        states = {encode.state for encode in self.encodes.all()}
        if Encode.State.FAILED in states:
            return "failed"
        return "ready" if states <= {Encode.State.DONE} else "building"

    @property
    def progress(self) -> int:
        """Percent of its rendering that is done."""
        progress = [encode.progress for encode in self.encodes.all()]
        return sum(progress) // len(progress) if progress else 100
