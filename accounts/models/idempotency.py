"""What was answered to calls that carried an Idempotency-Key, so that a repeated call is not done twice."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils import timezone

from accounts.models.people import User, Workspace
from config.leases import Leased, LeasedQuerySet


class IdempotentAnswerQuerySet(LeasedQuerySet["IdempotentAnswer"]):
    def running(self) -> IdempotentAnswerQuerySet:
        """Calls that have no answer yet."""
        return self.filter(status=None)


class IdempotentAnswer(Leased):
    """One call of one credential. While `status` is null it still runs, under a lease that a killed process loses."""

    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="+")
    workspace = models.ForeignKey(
        Workspace,
        null=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="Where the call acted: its answer is not given again to who may not act there any more.",
    )
    credential = models.CharField(max_length=96)
    key = models.CharField(max_length=255)
    request = models.CharField(max_length=64, help_text="SHA-256 of method, address and body.")
    lease_token = models.UUIDField(default=uuid.uuid4, db_column="token", editable=False)
    lease_until = models.DateTimeField(editable=False)
    status = models.PositiveSmallIntegerField(null=True)
    headers = models.JSONField(default=dict)
    body = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)

    objects = IdempotentAnswerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["credential", "key"], name="one_answer_an_idempotency_key")
        ]
        indexes = [models.Index(fields=["at"], name="idempotent_answer_at")]

    def __str__(self) -> str:
        return f"{self.credential}: {self.key}"
