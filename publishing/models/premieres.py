"""The premiere of a capsule: one row for it, one for every recipient, and what we know of the mail server."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.db.models import Count, Q
from django.db.models.functions import Now
from django.utils import timezone

from publishing.models.publications import Bake, Publication
from publishing.models.subscribers import Subscriber

TOO_LATE = timedelta(hours=24)  # after this, a person decides whether it is still news


class PremiereQuerySet(models.QuerySet["Premiere"]):
    def due(self) -> PremiereQuerySet:
        return self.filter(state=Premiere.State.SCHEDULED, due_at__lte=Now())

    def sending(self) -> PremiereQuerySet:
        return self.filter(state=Premiere.State.SENDING)

    def enrolling(self) -> PremiereQuerySet:
        """Sending has begun, but not every subscriber has a delivery yet."""
        return self.sending().filter(enrolled_at__isnull=True)

    def cancelled(self) -> PremiereQuerySet:
        return self.filter(state__in=Premiere.CALLED_OFF)


class Premiere(models.Model):
    """The one email to a workspace's subscribers about one capsule. The row is the truth; tasks only look at it."""

    class Mode(models.TextChoices):
        FULL = "FULL", "whole capsule"
        TEASER = "TEASER", "teaser"
        OFF = "OFF", "none"

    class State(models.TextChoices):
        SCHEDULED = "scheduled", "scheduled"
        SENDING = "sending", "being sent"
        DONE = "done", "sent"
        CANCELLED = "cancelled", "cancelled"
        CANCELLED_PARTIAL = "cancelled_partial", "cancelled after it began"
        HELD = "held", "held for staff"

    CALLED_OFF = (State.CANCELLED, State.CANCELLED_PARTIAL)

    publication = models.OneToOneField(Publication, on_delete=models.CASCADE, related_name="premiere")
    mode = models.CharField(max_length=6, choices=Mode)
    state = models.CharField(max_length=17, choices=State, default=State.SCHEDULED)
    note = models.TextField(blank=True, help_text="Why it is held or was cancelled.")
    due_at = models.DateTimeField(help_text="By the database's clock.")
    armings = models.PositiveSmallIntegerField(default=1, help_text="How often it was scheduled.")
    started_at = models.DateTimeField(null=True, editable=False)
    enrolled_to = models.BigIntegerField(
        default=0, editable=False, help_text="The last subscriber looked at."
    )
    enrolled_at = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)
    bake = models.ForeignKey(
        Bake, null=True, on_delete=models.SET_NULL, related_name="+", help_text="What the mails showed last."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = PremiereQuerySet.as_manager()

    class Meta:
        ordering = ["-due_at"]
        indexes = [models.Index(fields=["state", "due_at"], name="premiere_due")]

    def __str__(self) -> str:
        return f"Premiere of {self.publication.story}"

    @property
    def may_be_armed_again(self) -> bool:
        """Cancelled with nothing handed over, and not by a decision to publish quietly."""
        return self.state == self.State.CANCELLED and self.mode != self.Mode.OFF

    @property
    def is_open(self) -> bool:
        return self.state in (self.State.SCHEDULED, self.State.SENDING, self.State.HELD)

    @property
    def is_cancelled(self) -> bool:
        return self.state in self.CALLED_OFF

    def counts(self) -> dict[str, int]:
        """How many deliveries are in each state, states in their order; only those that occur."""
        found = dict(self.deliveries.values_list("state").annotate(Count("pk")).order_by())
        return {state: found[state] for state in Delivery.State.values if state in found}

    def errors(self) -> list[tuple[str, int]]:
        """What went wrong with deliveries, in words, and how often; the most frequent first."""
        found = self.deliveries.exclude(error="").values_list("error").annotate(times=Count("pk"))
        return list(found.order_by("-times", "error")[:10])


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def due(self) -> DeliveryQuerySet:
        return self.filter(state=Delivery.State.PENDING, next_try_at__lte=Now())

    def lapsed(self) -> DeliveryQuerySet:
        """Held by a worker that has been silent for too long."""
        return self.filter(lease_until__isnull=False, lease_until__lt=Now())  # the index has only these

    def open(self) -> DeliveryQuerySet:
        return self.filter(state__in=Delivery.OPEN)

    def handed_over(self) -> DeliveryQuerySet:
        """The mail server has the message, or may have it."""
        states = Delivery.State
        return self.filter(state__in=[states.SUBMITTING, states.SENT, states.UNCERTAIN])


class Delivery(models.Model):
    """One message to one address. `next_try_at` is set while pending, the lease while claimed or submitting."""

    class State(models.TextChoices):
        PENDING = "pending", "waiting"
        CLAIMED = "claimed", "taken by a worker"
        SUBMITTING = "submitting", "being handed over"
        SENT = "sent", "handed to the mail server"
        FAILED = "failed", "refused by the mail server"
        UNCERTAIN = "uncertain", "handed over, answer lost"
        CANCELLED = "cancelled", "cancelled"

    OPEN = (State.PENDING, State.CLAIMED, State.SUBMITTING)

    premiere = models.ForeignKey(
        Premiere, on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )
    subscriber = models.ForeignKey(
        Subscriber, null=True, on_delete=models.SET_NULL, related_name="deliveries"
    )
    email = models.EmailField()
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    refusals = models.PositiveSmallIntegerField(default=0, help_text="How often the server said: later.")
    next_try_at = models.DateTimeField(null=True)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)
    error = models.TextField(blank=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["premiere", "subscriber"], name="one_delivery_a_subscriber"),
            models.UniqueConstraint(fields=["premiere", "email"], name="one_delivery_an_address"),
            models.CheckConstraint(
                condition=Q(next_try_at__isnull=False, state="pending")
                | (Q(next_try_at__isnull=True) & ~Q(state="pending")),
                name="pending_delivery_has_a_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["premiere", "next_try_at", "id"],
                condition=Q(next_try_at__isnull=False),
                name="delivery_pending",
            ),
            models.Index(
                fields=["lease_until"], condition=Q(lease_until__isnull=False), name="delivery_leased"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email}: {self.get_state_display()}"


class MailServer(models.Model):
    """The one row (pk 1) through which all workers share the mail server: its rate, and a pause when it refuses."""

    next_free_at = models.DateTimeField(null=True, help_text="When the rate allows the next message.")
    paused_until = models.DateTimeField(null=True)
    failures = models.PositiveSmallIntegerField(default=0, help_text="Pauses since it last took a message.")
    reason = models.TextField(blank=True)

    def __str__(self) -> str:
        return "Mail server"
