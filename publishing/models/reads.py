"""How often capsules were opened and read: sums by day, in which nobody can be found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import models

from accounts.models import Workspace
from publishing.models.publications import Publication


class Surface(models.IntegerChoices):
    """Where a reader met a capsule first that day."""

    PAGE = 1, "page"
    EMBED = 2, "embed"
    MAIL = 3, "mail"


class NumbersField(models.TextField):
    """A list of numbers as text with spaces: the smallest form that every database keeps."""

    def from_db_value(self, value: str | None, *args: object) -> list[int]:
        return self.to_python(value)

    def to_python(self, value: str | Sequence[int] | None) -> list[int]:
        if value is None or isinstance(value, str):
            return [int(each) for each in (value or "").split()]
        return list(value)

    def get_prep_value(self, value: Any) -> str:
        return value if isinstance(value, str) else " ".join(str(each) for each in value or [])


class ReadDay(models.Model):
    """What the readers of one day did who opened a capsule on one surface, in one edition."""

    publication = models.ForeignKey(
        Publication, on_delete=models.CASCADE, related_name="read_days", db_index=False
    )
    edition = models.ForeignKey(
        Publication,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="Whose bake they read: that of the publication itself, or of an edition shown with it.",
    )
    day = models.DateField(help_text="Of the workspace's time zone.")
    surface = models.PositiveSmallIntegerField(choices=Surface)
    opened = models.PositiveIntegerField(default=0)
    read = models.PositiveIntegerField(default=0, help_text="Reached the second scene.")
    finished = models.PositiveIntegerField(default=0, help_text="Reached the last scene of what they read.")
    reached: Any = NumbersField(
        default="", blank=True, help_text="Readers by scene, in the order of `SceneOrder.keys`."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["publication", "day", "edition", "surface"], name="read_day_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day}: {self.opened} opened"


class ReadSource(models.Model):
    """How many readers of one day came from another site. `host` is empty where none was told."""

    OTHERS = "others"  # no host: it has no dot

    publication = models.ForeignKey(
        Publication, on_delete=models.CASCADE, related_name="read_sources", db_index=False
    )
    edition = models.ForeignKey(Publication, on_delete=models.CASCADE, related_name="+")
    day = models.DateField()
    host = models.CharField(max_length=253, blank=True)
    opened = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["publication", "day", "edition", "host"], name="read_source_once_a_day"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day}: {self.host or 'no source'}"


class ReadTotals(models.Model):
    """Sums of `ReadDay` for the pages of a workspace with many capsules: they change in the same transaction."""

    opened = models.PositiveBigIntegerField(default=0)
    read = models.PositiveBigIntegerField(default=0)
    finished = models.PositiveBigIntegerField(default=0)

    class Meta:
        abstract = True


class ReadMonth(ReadTotals):
    """What the readers of one month did with a publication, in all editions and on all surfaces."""

    publication = models.ForeignKey(Publication, on_delete=models.CASCADE, related_name="+", db_index=False)
    month = models.DateField(help_text="Its first day.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["publication", "month"], name="read_month_once")]

    def __str__(self) -> str:
        return f"{self.month:%Y-%m}: {self.opened} opened"


class WorkspaceDay(ReadTotals):
    """What the readers of one day did with all capsules of a workspace."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+", db_index=False)
    day = models.DateField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "day"], name="workspace_day_once")]

    def __str__(self) -> str:
        return f"{self.day}: {self.opened} opened"


class SceneOrder(models.Model):
    """Every scene that was ever live in an edition, in the order in which they first were: an edit moves no count."""

    edition = models.OneToOneField(
        Publication, primary_key=True, on_delete=models.CASCADE, related_name="scene_order"
    )
    keys = models.JSONField(default=list, help_text="Scene keys, a list of str.")

    def __str__(self) -> str:
        return f"{len(self.keys)} scenes"
