"""What a story was copied from, known for as long as the copy is there."""

from __future__ import annotations

from django.db import models

from capsules.models.stories import Story


class Origin(models.Model):
    """That `story` is a copy of another one, or a copy of its copy: a row for each that it comes from, however far.

    `original` is no foreign key, because the copy may outlive it. Of an edition its capsule counts, too.
    """

    story = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="origins", db_index=False)
    original = models.UUIDField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["story", "original"], name="origin_once_a_story"),
        ]

    def __str__(self) -> str:
        return f"{self.story} comes from {self.original}"
