"""What is written: stories and their scenes."""

from __future__ import annotations

import operator
import uuid
from functools import reduce
from typing import TYPE_CHECKING

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User, Workspace
from capsules.fields import SCENE, columns_of
from capsules.models.encodes import Encode
from capsules.models.media import Asset
from capsules.painter.crops import subject_box
from capsules.texts import check_storable

if TYPE_CHECKING:
    from accounts.actors import Actor
    from capsules.models.previews import Preview

EDITION_NAME = r"^[a-z0-9]+(-[a-z0-9]+)*$"
LANGUAGE = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$"  # the common shape of BCP 47
COLOUR = r"^#[0-9a-fA-F]{6}$"


def choice_column(
    choices: type[models.TextChoices], default: str, *, help_text: str
) -> models.CharField[str, str]:
    """A column for one of these; servers of the version before it write rows without it while they are replaced."""
    return models.CharField(
        max_length=7, choices=choices, default=default, db_default=default, help_text=help_text
    )


class StoryQuerySet(models.QuerySet["Story"]):
    def visible_to(self, actor: Actor) -> StoryQuerySet:
        """The only door from a request to a story. What is in the trash is behind `trashed`."""
        return self.present().filter(actor.reach)

    def of(self, actor: Actor) -> StoryQuerySet:
        """What the actor can see, the trash included."""
        return self.filter(actor.reach)

    def present(self) -> StoryQuerySet:
        return self.filter(deleted_at__isnull=True)

    def deleted_by_themselves(self) -> StoryQuerySet:
        """Without the editions that went to the trash with their capsule."""
        return self.exclude(capsule__deleted_at=models.F("deleted_at"))

    def with_capsule(self) -> StoryQuerySet:
        """With what is asked of every story: its workspace, the capsule of an edition, the cover."""
        return self.select_related("workspace", "capsule__workspace", "cover")

    def with_scene_count(self) -> StoryQuerySet:
        """Adds `counted_scenes`."""
        scenes = Scene.objects.filter(story=models.OuterRef("pk")).order_by().values("story")
        counted = models.Subquery(scenes.annotate(count=models.Count("pk")).values("count"))
        return self.annotate(counted_scenes=Coalesce(counted, 0))

    def last_edited_first(self) -> StoryQuerySet:
        return self.order_by("-updated_at", "-pk")

    def trashed(self, actor: Actor) -> StoryQuerySet:
        """What the actor could see before it went to the trash."""
        return self.filter(actor.reach, deleted_at__isnull=False)


class Story(models.Model):
    """A capsule; or, where `capsule` is set, an edition of one."""

    class Visibility(models.TextChoices):
        PRIVATE = "private", _("Private")
        UNLISTED = "unlisted", _("Unlisted")
        PUBLIC = "public", _("Public")
        FEATURED = "featured", _("Featured")

    class Theme(models.TextChoices):
        NIGHT = "night"
        DAY = "day"
        PAPER = "paper"
        INK = "ink"

    class Face(models.TextChoices):
        SERIF = "serif"
        SANS = "sans"
        SLAB = "slab"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="stories", db_index=False)
    title = models.CharField(max_length=200, validators=[check_storable])
    summary = models.CharField(
        max_length=300, blank=True, validators=[check_storable], help_text="One sentence under the title."
    )
    author_name = models.CharField("author", max_length=120, blank=True, validators=[check_storable])
    language = models.CharField(
        max_length=35,
        default="en",
        validators=[RegexValidator(LANGUAGE, _("Use a language tag like en or pt-BR."))],
    )
    theme = choice_column(Theme, "night", help_text="Ground and colour of the words.")
    accent = models.CharField(
        max_length=7,
        blank=True,
        default="",
        db_default="",
        validators=[RegexValidator(COLOUR, _("Must be a colour like #b5432a."))],
        help_text="Colour of rule, progress and links; the theme's where empty.",
    )
    face = choice_column(Face, "serif", help_text="Typeface of the words.")
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
        db_index=False,
    )
    edition_name = models.CharField(
        max_length=40,
        blank=True,
        validators=[RegexValidator(EDITION_NAME, _("Use a name like classroom or de-short."))],
    )
    edition_label = models.CharField(max_length=80, blank=True, validators=[check_storable])
    shown = models.BooleanField(
        "shown to readers", default=False, help_text="Whether readers can switch to this edition."
    )
    created_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)
    version = models.PositiveIntegerField(
        default=1, editable=False, help_text="Counts the changes of the story's own fields: its ETag."
    )
    revision = models.PositiveIntegerField(
        default=1, editable=False, help_text="Counts every change of the draft, its scenes included."
    )
    edited_by = models.ForeignKey(
        User, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    deleted_at = models.DateTimeField(
        null=True, editable=False, help_text="Set while it is in the trash; an edition shares its capsule's."
    )
    deleted_by = models.ForeignKey(
        User, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    duplicate_of = models.ForeignKey(
        "self", null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )

    objects = StoryQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        verbose_name = "capsule"
        verbose_name_plural = "capsules and editions"
        indexes = [
            models.Index(fields=["workspace", "-updated_at", "-id"], name="story_last_edited"),
        ]
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

    @property
    def is_shown_edition(self) -> bool:
        return self.capsule_id is not None and self.shown

    @property
    def latest_preview(self) -> Preview | None:
        return self.previews.order_by("-number").first()


FRACTION = [MinValueValidator(0.0), MaxValueValidator(1.0)]


class SceneQuerySet(models.QuerySet["Scene"]):
    def showing(self, asset: object) -> SceneQuerySet:
        """Scenes that name a file, in whichever of their fields; `asset` may be an expression."""
        named = (models.Q(**{column: asset}) for column in columns_of(SCENE.media))
        return self.filter(reduce(operator.or_, named))

    def with_media(self) -> SceneQuerySet:
        """With all that an answer tells of a scene."""
        stills = Asset.objects.present().select_related("still_encode").order_by("created_at")
        return self.select_related(
            "still__still_encode", "film__still_encode", "still_encode", "animation_encode", "edited_by"
        ).prefetch_related(models.Prefetch("film__posters", stills))


class PresentScenes(models.Manager.from_queryset(SceneQuerySet)):  # type: ignore[misc]
    """The scenes that a story has now; also what `story.scenes` means."""

    def get_queryset(self) -> SceneQuerySet:
        return SceneQuerySet(self.model, using=self._db).filter(deleted_at__isnull=True)


class Scene(models.Model):
    """One step of a story. The last one may be a finale: a still, no animation."""

    class Animation(models.TextChoices):
        NONE = "", "none"
        AUTO = "auto", "a slow camera move over the still"
        FILM = "film", "a film clip"

    class Fit(models.TextChoices):
        AUTO = "auto", "as its shape asks for"
        COVER = "cover", "fills the screen"
        CONTAIN = "contain", "stands whole"

    class Place(models.TextChoices):
        AUTO = "auto", "opposite the focus"
        TOP = "top", "at the top"
        MIDDLE = "middle", "in the middle"
        BOTTOM = "bottom", "at the bottom"

    class Size(models.TextChoices):
        AUTO = "auto", "few words large, many small"
        LARGE = "large", "large"
        SMALL = "small", "small"

    key = models.UUIDField(
        default=uuid.uuid4, unique=True, editable=False, help_text="Its identifier in the API."
    )
    story = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="scenes")
    position = models.PositiveSmallIntegerField(help_text="From 0.")
    title = models.CharField(max_length=80, blank=True, validators=[check_storable])
    text = models.TextField(blank=True, max_length=2000, validators=[check_storable])
    alt = models.CharField("alternative text", max_length=500, blank=True, validators=[check_storable])
    still = models.ForeignKey(Asset, null=True, blank=True, on_delete=models.RESTRICT, related_name="+")
    focus_x = models.FloatField(
        default=0.5, validators=FRACTION, help_text="Fraction of the width that crops must keep."
    )
    focus_y = models.FloatField(
        default=0.5, validators=FRACTION, help_text="Fraction of the height that crops must keep."
    )
    focus_chosen = models.BooleanField(
        default=False, db_default=False, editable=False, help_text="Whether its author chose the focus."
    )
    animation = models.CharField(max_length=4, choices=Animation, default=Animation.NONE, blank=True)
    film = models.ForeignKey(Asset, null=True, blank=True, on_delete=models.RESTRICT, related_name="+")
    trim_start = models.FloatField(
        null=True, blank=True, help_text="Seconds of the film that are left out before its shown part."
    )
    trim_length = models.FloatField(null=True, blank=True, help_text="Seconds that are shown of it.")
    fit = choice_column(Fit, "auto", help_text="Of its picture or film.")
    place = choice_column(Place, "auto", help_text="Where its words stand.")
    size = choice_column(Size, "auto", help_text="Of its words.")
    finale = models.BooleanField(default=False)
    still_encode = models.ForeignKey(
        Encode, null=True, blank=True, on_delete=models.PROTECT, related_name="+", editable=False
    )
    animation_encode = models.ForeignKey(
        Encode, null=True, blank=True, on_delete=models.PROTECT, related_name="+", editable=False
    )
    version = models.PositiveIntegerField(default=1, editable=False, help_text="Its ETag.")
    edited_at = models.DateTimeField(default=timezone.now, editable=False)
    edited_by = models.ForeignKey(
        User, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    deleted_at = models.DateTimeField(null=True, editable=False)
    settle_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When its encodes may be asked for: not while its author still drags the focus.",
    )
    copied_from = models.ForeignKey(
        "self", null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    copied_version = models.PositiveIntegerField(
        null=True, editable=False, help_text="The original's version that this copy is true to."
    )

    objects = PresentScenes()
    every = SceneQuerySet.as_manager()

    class Meta:
        ordering = ["position"]
        indexes = [
            models.Index(
                fields=["settle_at"], condition=models.Q(settle_at__isnull=False), name="scene_unsettled"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["story", "position"],
                condition=models.Q(deleted_at__isnull=True),
                name="one_scene_a_position",
            ),
            models.UniqueConstraint(
                fields=["story"],
                condition=models.Q(finale=True, deleted_at__isnull=True),
                name="one_finale_a_story",
            ),
            models.CheckConstraint(
                condition=models.Q(focus_x__range=(0, 1), focus_y__range=(0, 1)), name="scene_focus_inside"
            ),
            models.CheckConstraint(
                condition=models.Q(trim_start__isnull=True, trim_length__isnull=True)
                | models.Q(trim_start__gte=0, trim_length__gt=0, trim_length__lte=12),
                name="scene_trim_of_twelve_seconds",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position + 1}. {self.title or self.text[:40]}"

    @property
    def focus(self) -> tuple[float, float]:
        return self.focus_x, self.focus_y

    @property
    def subject(self) -> list[float] | None:
        """The faces that its focus stands for: left, top, right, bottom, as fractions of its still."""
        if self.still is None or not self.still.faces:
            return None
        proposed = (self.still.focus[0], self.still.focus[1]) if self.still.focus else None
        return subject_box(self.still.faces, self.focus, proposed)

    @property
    def trim(self) -> tuple[float, float] | None:
        """Start and length of the shown part of its film, where its author chose one."""
        if self.trim_start is None or self.trim_length is None:
            return None
        return self.trim_start, self.trim_length
