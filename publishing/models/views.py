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
