"""The log of a workspace: what happened in it, numbered without a gap, for programs that follow it.

Not the audit log (`SecurityEvent`), which people read, and which says who did what to accounts and credentials.
"""

from __future__ import annotations

import uuid
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models.people import Workspace


class WorkspaceEventQuerySet(models.QuerySet["WorkspaceEvent"]):
    def numbered(self) -> Self:
        return self.filter(sequence__isnull=False)

    def unnumbered(self) -> Self:
        return self.filter(sequence__isnull=True)


class WorkspaceEvent(models.Model):
    """One thing that happened. It is written in the transaction of the change, and numbered once that is committed.

    Without a constraint of the database: to insert a row that refers to a workspace would wait for every transaction
    that has locked the workspace, and a publish has. Rows whose workspace was deleted meanwhile go with the daily
    round.
    """

    workspace = models.ForeignKey(
        Workspace, on_delete=models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    sequence = models.PositiveBigIntegerField(
        null=True, editable=False, help_text="Its place in the workspace's log, from 1."
    )
    key = models.UUIDField(default=uuid.uuid4, editable=False)
    type = models.CharField(max_length=32)
    at = models.DateTimeField(default=timezone.now, editable=False)
    data = models.JSONField(default=dict)

    objects = WorkspaceEventQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "sequence"], name="event_once_a_sequence")
        ]
        indexes = [
            models.Index(fields=["workspace"], condition=Q(sequence__isnull=True), name="event_unnumbered")
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.sequence or 'without a number yet'}"

    @property
    def wire_id(self) -> str:
        return f"evt_{self.key.hex}"


class WorkspaceLog(models.Model):
    """How far the log of a workspace is: its row is locked while events are numbered."""

    workspace = models.OneToOneField(
        Workspace, on_delete=models.CASCADE, primary_key=True, related_name="log", db_constraint=False
    )
    last = models.PositiveBigIntegerField(default=0, help_text="The highest number that was given.")
    dispatched = models.PositiveBigIntegerField(default=0, help_text="The highest number that webhooks have.")
    forgotten = models.PositiveBigIntegerField(
        default=0, help_text="The highest number that is not kept any more."
    )

    def __str__(self) -> str:
        return f"Log of {self.workspace_id}"
