"""Workspace API keys, and how often each caller called."""

from __future__ import annotations

import secrets
import uuid

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models.people import User, Workspace


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    def working(self) -> ApiKeyQuerySet:
        """Keys that are neither revoked nor expired and whose creator is an active member of the workspace."""
        return self.filter(
            models.Q(expires_at__isnull=True) | models.Q(expires_at__gt=Now()),
            revoked_at__isnull=True,
            creator__is_active=True,
            creator__memberships__workspace=models.F("workspace"),
        )


def publishing_scopes() -> list[str]:
    """What every key could do before keys had scopes."""
    return ["publications:read", "publications:write"]


class ApiKey(models.Model):
    """A workspace's key for scripts. Only its SHA-256 is kept: 256 random bits need no slow hash."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="api_keys")
    creator = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_keys")
    label = models.CharField(max_length=80, blank=True)
    prefix = models.CharField(max_length=16, help_text="The beginning of the key, to tell keys apart.")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.JSONField(
        default=publishing_scopes, help_text="What the key may do, as far as its maker may."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        verbose_name = "API key"

    def __str__(self) -> str:
        return f"{self.prefix}…"

    @staticmethod
    def new_secret() -> str:
        return f"capsules_{secrets.token_urlsafe(32)}"


class RateWindow(models.Model):
    """How often one caller did one kind of thing in one minute; shared by all processes."""

    key = models.CharField(max_length=96)
    minute = models.BigIntegerField()
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "minute"], name="one_rate_window_a_minute")]

    def __str__(self) -> str:
        return f"{self.key}: {self.count}"
