"""Previews: frozen copies of a story with their rendered frames."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from accounts.models import User
from capsules.models.contents import ContentField
from capsules.models.encodes import Encode
from capsules.models.stories import Story


class Preview(models.Model):
    """A frozen copy of all scenes with the encodes that render them. Editing the story does not change it.

    `content`: what readers get of `fields.STORY`, cover: int, card: encode id or null, scenes: [id, what readers get of
    `fields.SCENE`, still: encode id or null, animation: encode id or null].
    """

    story = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="previews", db_index=False)
    number = models.PositiveIntegerField()
    revision = models.PositiveIntegerField(
        null=True, help_text="The revision of the draft that it froze; unknown of old ones."
    )
    content = ContentField()
    told = models.CharField(
        max_length=6, blank=True, editable=False, help_text="The state that the log was told of last."
    )
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
        """`ready`, `failed` or `building`: by the states of its encodes."""
        states = {encode.state for encode in self.encodes.all()}
        if Encode.State.FAILED in states:
            return "failed"
        return "ready" if states <= {Encode.State.DONE} else "building"

    @property
    def progress(self) -> int:
        """Percent of its rendering that is done."""
        progress = [encode.progress for encode in self.encodes.all()]
        return sum(progress) // len(progress) if progress else 100
