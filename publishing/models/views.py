"""How often a publication was opened in its life, in a narrow table of its own that takes the writes."""

from __future__ import annotations

from django.db import models

from publishing.models.publications import Publication


class ViewCount(models.Model):
    """Lifetime views of one publication: the readers of each day who opened it, and what was counted before."""

    publication = models.OneToOneField(
        Publication, primary_key=True, on_delete=models.CASCADE, related_name="view_count"
    )
    views = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.views} views"


class ViewFlush(models.Model):
    """A batch of reads that was counted already, so that a second delivery of it changes nothing."""

    id = models.UUIDField(primary_key=True)
    applied_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.id)
