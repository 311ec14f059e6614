"""How often a publication was read, in a narrow table of its own that takes the writes."""

from __future__ import annotations

from django.db import models

from publishing.models.publications import Publication


class ViewCount(models.Model):
    """Lifetime views of one publication."""

    publication = models.OneToOneField(
        Publication, primary_key=True, on_delete=models.CASCADE, related_name="view_count"
    )
    views = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.views} views"


class ViewFlush(models.Model):
    """A batch of views that is in `ViewCount` already, so that a second delivery of it changes nothing."""

    id = models.UUIDField(primary_key=True)
    applied_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.id)


class ViewMark(models.Model):
    """One reader of one page in one hour, as a hash that reveals neither. With Redis they are kept there instead."""

    mark = models.CharField(primary_key=True, max_length=32)
    hour = models.IntegerField(db_index=True, help_text="Hours since 1970.")

    def __str__(self) -> str:
        return self.mark
