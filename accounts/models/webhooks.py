"""Webhooks: the addresses that are told of a workspace's events, and what was sent to each."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models.people import User, Workspace
from accounts.models.workspace_events import WorkspaceEvent
from config.json_types import JsonObject
from config.leases import Leased, LeasedQuerySet


class WebhookQuerySet(LeasedQuerySet["Webhook"]):
    def on(self) -> Self:
        return self.filter(is_on=True)

    def due(self) -> Self:
        """Those to look at now, and those whose sender died. Those of a suspended workspace wait."""
        waits = Q(next_at__lte=timezone.now()) | Q(lease_token__isnull=False, lease_until__lt=Now())
        working = Workspace.objects.filter(suspended_at__isnull=True)  # not joined: see `lease`
        return self.on().lease_free().filter(waits, workspace__in=working.values("pk"))


class Webhook(Leased):
    """One address that is told. Its secrets are encrypted (`accounts.webhooks.signing`)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    types = models.JSONField(null=True, help_text="The types of events that it is told of; null for all.")
    description = models.CharField(max_length=200, blank=True)
    secret = models.TextField(editable=False)
    old_secrets = models.JSONField(
        default=list, editable=False, help_text="Those that still sign: secret, until."
    )
    private_key = models.TextField(editable=False)
    public_key = models.CharField(max_length=60, editable=False)
    is_on = models.BooleanField("on", default=True)
    off_because = models.CharField(max_length=200, blank=True, help_text="Why the service turned it off.")
    failing_since = models.DateTimeField(null=True, editable=False)
    last_failure_at = models.DateTimeField(null=True, editable=False)
    last_success_at = models.DateTimeField(null=True, editable=False)
    next_at = models.DateTimeField(null=True, editable=False, help_text="When a sender looks at it next.")
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        ordering = ["created_at"]
        indexes = [models.Index(fields=["next_at"], condition=Q(is_on=True), name="webhook_next")]

    def __str__(self) -> str:
        return self.url

    @property
    def state(self) -> str:
        if not self.is_on:
            return "off"
        return "failing" if self.failing_since else "on"

    def wants(self, type: str) -> bool:
        return self.types is None or type in self.types


class WebhookDeliveryQuerySet(models.QuerySet["WebhookDelivery"]):
    def waiting(self) -> Self:
        return self.filter(state=WebhookDelivery.State.WAITING)


class WebhookDelivery(models.Model):
    """One event for one webhook; of a test, its made-up body."""

    class State(models.TextChoices):
        WAITING = "waiting"
        DONE = "done"
        FAILED = "failed"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    event = models.ForeignKey(
        WorkspaceEvent, null=True, on_delete=models.CASCADE, related_name="+", help_text="None: a test."
    )
    sample = models.JSONField(null=True, editable=False)
    type = models.CharField(max_length=32)
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    attempts = models.JSONField(default=list, help_text="[{at, status, error, ms, answer}], the first first.")
    next_attempt_at = models.DateTimeField(null=True, default=timezone.now)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)

    objects = WebhookDeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["webhook", "-id"], name="webhook_deliveries"),
            models.Index(fields=["webhook", "id"], condition=Q(state="waiting"), name="webhook_waiting"),
        ]

    def __str__(self) -> str:
        return f"{self.type}, {self.state}"

    @property
    def event_id_on_wire(self) -> str:
        return self.event.wire_id if self.event else str((self.sample or {}).get("id"))

    @property
    def sequence(self) -> int | None:
        return self.event.sequence if self.event else None

    def put_off(self, wait: timedelta, attempt: JsonObject) -> None:
        """Notes a try that failed; the next one comes after `wait`."""
        self.tries += 1
        self.attempts = [*self.attempts, attempt]
        self.next_attempt_at = timezone.now() + wait

    def end(self, state: str, attempt: JsonObject) -> None:
        """Notes the last try."""
        self.tries += 1
        self.attempts = [*self.attempts, attempt]
        self.state, self.next_attempt_at, self.finished_at = state, None, timezone.now()
