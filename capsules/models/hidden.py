"""Pictures and films of what was taken down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from accounts.models import User, Workspace
from capsules.models.stories import Story

if TYPE_CHECKING:
    from accounts.actors import Actor


class HiddenBlobQuerySet(models.QuerySet["HiddenBlob"]):
    def misplaced(self) -> HiddenBlobQuerySet:
        """Those whose file is not yet where it should be."""
        return self.filter(is_settled=False)

    def visible_to(self, seer: Actor | User) -> HiddenBlobQuerySet:
        """What members of its workspaces may still look at."""
        if isinstance(seer, User):
            return self.filter(workspace__members=seer)
        return self.filter(workspace__in=seer.workspaces())


class HiddenBlob(models.Model):
    """A blob of something that was taken down: a story's, or without a story the picture of its workspace.

    While `is_hidden` its file is not served by name, because nothing that readers get shows it. The row outlives what
    it was of, so that the file comes back with the next capsule that shows it, and not before.
    """

    name = models.CharField(max_length=80, db_index=True)
    workspace = models.ForeignKey(Workspace, null=True, on_delete=models.SET_NULL, related_name="+")
    story = models.ForeignKey(Story, null=True, on_delete=models.SET_NULL, related_name="+")
    is_hidden = models.BooleanField(default=True)
    is_settled = models.BooleanField(default=False, help_text="Whether its file was moved since.")

    objects = HiddenBlobQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["is_settled"], condition=models.Q(is_settled=False), name="hidden_blob_unsettled"
            )
        ]

    def __str__(self) -> str:
        return self.name
