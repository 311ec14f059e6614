"""One row for every recipient of a premiere: its states, every step between them, and what we know of the mail server.

    pending ──claim──▶ claimed ──submit──▶ submitting ──record──▶ sent | failed | uncertain | pending again

A worker holds what it claimed under a lease. `next_try_at` is set while a delivery is pending, and then only.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.conf import settings
from django.db import models, transaction
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from config.leases import NO_LEASE, Leased, LeasedQuerySet, lease_end
from publishing.models.subscribers import Subscriber, Suppression


class State(models.TextChoices):
    PENDING = "pending", "waiting"
    CLAIMED = "claimed", "taken by a worker"
    SUBMITTING = "submitting", "being handed over"
    SENT = "sent", "handed to the mail server"
    FAILED = "failed", "refused by the mail server"
    UNCERTAIN = "uncertain", "handed over, answer lost"
    CANCELLED = "cancelled", "cancelled"


@dataclass(frozen=True)
class Outcome:
    """What became of one attempt. `next_try_at`: of a pending one; None means at once."""

    state: State
    error: str = ""
    next_try_at: Combinable | None = None
    is_refusal: bool = False  # one of the few that a recipient has before it has failed


class DeliveryQuerySet(LeasedQuerySet["Delivery"]):
    def due(self) -> DeliveryQuerySet:
        return self.filter(state=State.PENDING, next_try_at__lte=Now())

    def pending(self) -> DeliveryQuerySet:
        return self.filter(state=State.PENDING)

    def claimed(self) -> DeliveryQuerySet:
        return self.filter(state=State.CLAIMED)

    def submitting(self) -> DeliveryQuerySet:
        return self.filter(state=State.SUBMITTING)

    def attempted(self) -> DeliveryQuerySet:
        """Deliveries whose outcome a worker may still record, even if the sweep gave them up meanwhile."""
        return self.filter(state__in=[State.SUBMITTING, State.UNCERTAIN])

    def uncertain(self) -> DeliveryQuerySet:
        return self.filter(state=State.UNCERTAIN)

    def open(self) -> DeliveryQuerySet:
        return self.filter(state__in=Delivery.OPEN)

    def handed_over(self) -> DeliveryQuerySet:
        """Deliveries whose message the mail server has, or may have."""
        return self.filter(state__in=[State.SUBMITTING, State.SENT, State.UNCERTAIN])

    def wanted(self) -> DeliveryQuerySet:
        """Deliveries whose reader is still subscribed, and whose address is not closed."""
        reader = Subscriber.objects.filter(pk=OuterRef("subscriber"), unsubscribed_at__isnull=True)
        closed = Suppression.objects.filter(email=OuterRef("email"))
        return self.filter(Exists(reader), ~Exists(closed))

    # --- The steps. Each writes every column that belongs to the state it leads to ----------------------------------

    @transaction.atomic
    def claim(self, number: int, lease: uuid.UUID) -> list[Delivery]:
        """Takes up to so many due deliveries for the holder of `lease` alone, those first that wait longest."""
        # Many workers claim at once: none waits for rows that another one is taking.
        due = self.due().order_by("next_try_at", "pk").select_for_update(skip_locked=True)
        chosen = list(due.values_list("pk", flat=True)[:number])
        rows = Delivery.objects.filter(pk__in=chosen)
        until = lease_end(settings.PREMIERE_LEASE)
        rows.update(state=State.CLAIMED, next_try_at=None, lease_token=lease, lease_until=until)
        return list(rows.held_by(lease).select_related("subscriber").order_by("pk"))

    def renew(self) -> int:
        # Not what the sweep marked as uncertain: that has a token and no lease any more.
        return self.filter(lease_until__isnull=False).update(lease_until=lease_end(settings.PREMIERE_LEASE))

    def submit(self) -> int:
        """Marks claimed deliveries as being handed over, as far as they are still wanted; returns how many."""
        # In one statement: whoever leaves before it gets no mail, whoever leaves after it was too late.
        return self.claimed().wanted().update(state=State.SUBMITTING)

    def record(self, outcome: Outcome) -> int:
        """Writes what became of an attempt and lets go of the rows."""
        waits = outcome.state == State.PENDING
        return self.update(
            state=outcome.state,
            error=outcome.error,
            next_try_at=(outcome.next_try_at or Now()) if waits else None,
            finished_at=None if waits else Now(),
            refusals=F("refusals") + int(outcome.is_refusal),
            **NO_LEASE,
        )

    def give_back(self) -> int:
        """Makes deliveries due at once, as if nobody had taken them."""
        return self.update(state=State.PENDING, next_try_at=Now(), finished_at=None, **NO_LEASE)

    def ask_first(self) -> int:
        """Puts waiting deliveries before all others of their premiere, whatever they were waiting for."""
        # Earlier than any other try of the premiere, and the same for all of these.
        own = Delivery.objects.filter(pk=OuterRef("pk")).values("premiere__created_at")
        return self.pending().update(next_try_at=Subquery(own[:1]))

    def mark_uncertain(self, error: str) -> int:
        """For deliveries whose worker is silent. Their token stays, so that it may still record the outcome."""
        return self.update(state=State.UNCERTAIN, error=error, finished_at=Now(), lease_until=None)

    def cancel(self, error: str = "") -> int:
        return self.record(Outcome(State.CANCELLED, error))


class Delivery(Leased):
    """One message to one address."""

    State = State

    OPEN = (State.PENDING, State.CLAIMED, State.SUBMITTING)

    premiere = models.ForeignKey(
        "publishing.Premiere", on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )
    subscriber = models.ForeignKey(
        Subscriber, null=True, on_delete=models.SET_NULL, related_name="deliveries"
    )
    email = models.EmailField()
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    refusals = models.PositiveSmallIntegerField(default=0, help_text="How often the server said: later.")
    next_try_at = models.DateTimeField(null=True)
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
