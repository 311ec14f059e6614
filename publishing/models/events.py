"""The history of a publication: who changed what readers see, when, and through what."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from accounts.models import User
from capsules.models import Story
from publishing.models.publications import Bake

THROUGH = {
    "studio": "in the studio",
    "token": "through the API",
    "app": "through a connected app",
    "key": "through a workspace key",
    "staff": "as staff of the service",
    "service": "by the service itself",
}


class PublicationEvent(models.Model):
    """One change of one story's publication. It is written in the transaction that makes the change."""

    class Action(models.TextChoices):
        PUBLISHED = "published", "published"
        REPUBLISHED = "republished", "republished"
        UNPUBLISHED = "unpublished", "unpublished"
        VISIBILITY = "visibility", "visibility changed"
        RESTORED = "restored", "an earlier version made live again"
        PREMIERE_CANCELLED = "premiere cancelled", "premiere cancelled"

    story = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="publication_events")
    at = models.DateTimeField(default=timezone.now)
    action = models.CharField(max_length=18, choices=Action)
    by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    via = models.CharField(
        max_length=8, help_text="studio, token, app, key or staff; service where nobody asked for it."
    )
    label = models.CharField(max_length=120, blank=True, help_text="The name of the app or the key.")
    bake = models.ForeignKey(
        Bake, null=True, on_delete=models.SET_NULL, related_name="+", help_text="The version it is about."
    )
    detail = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["story", "-id"], name="publication_history"),
            models.Index(fields=["at"], name="publication_event_at"),
        ]

    def __str__(self) -> str:
        return f"{self.story}: {self.get_action_display()}"

    @property
    def through(self) -> str:
        """By what it was done, in words that follow a person's name."""
        return f"through {self.label}" if self.label else THROUGH.get(self.via, "")
