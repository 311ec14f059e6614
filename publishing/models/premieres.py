"""The premiere of a capsule: when it is due, how far it is, and what became of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta

from django.db import models
from django.db.models import Count
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from publishing.models.deliveries import Delivery
from publishing.models.publications import Bake, Publication

NEWS_FOR = timedelta(hours=24)  # after this, a person decides whether it is still news


class PremiereQuerySet(models.QuerySet["Premiere"]):
    def due(self) -> PremiereQuerySet:
        return self.filter(state=Premiere.State.SCHEDULED, due_at__lte=Now())

    def sending(self) -> PremiereQuerySet:
        return self.filter(state=Premiere.State.SENDING)

    def held_for_staff(self) -> PremiereQuerySet:
        """Those that a person has to decide. What is held with its capsule goes on with it."""
        return self.filter(state=Premiere.State.HELD).exclude(note=Premiere.TAKEN_DOWN)

    def enrolling(self) -> PremiereQuerySet:
        """Sending has begun, but not every subscriber has a delivery yet."""
        return self.sending().filter(enrolled_at__isnull=True)

    def cancelled(self) -> PremiereQuerySet:
        return self.filter(state__in=Premiere.CALLED_OFF)


class Premiere(models.Model):
    """The one email to a workspace's subscribers about one capsule. The row is the truth; tasks only look at it."""

    class Mode(models.TextChoices):
        FULL = "FULL", _("whole capsule")
        TEASER = "TEASER", _("teaser")
        OFF = "OFF", _("none")

    class State(models.TextChoices):
        SCHEDULED = "scheduled", _("scheduled")
        SENDING = "sending", _("being sent")
        DONE = "done", _("sent")
        CANCELLED = "cancelled", _("cancelled")
        CANCELLED_PARTIAL = "cancelled_partial", _("cancelled after it began")
        HELD = "held", _("held for staff")

    CALLED_OFF = (State.CANCELLED, State.CANCELLED_PARTIAL)
    TAKEN_DOWN = gettext_noop("The capsule was taken down.")

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
    tally = models.JSONField(
        null=True,
        editable=False,
        help_text="Deliveries by state, once the deliveries themselves are deleted.",
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
        return counts_of([self])[self.pk]

    def errors(self) -> list[tuple[str, int]]:
        """What went wrong with deliveries, in words, and how often; the most frequent first."""
        return errors_of([self]).get(self.pk, [])


def counts_of(premieres: Sequence[Premiere]) -> dict[int, dict[str, int]]:
    """`Premiere.counts` of many, by key, with one query. What waits of one that was called off is cancelled, though
    its rows say so from the next sweep on.
    """
    found: dict[int, dict[str, int]] = defaultdict(dict)
    rows = Delivery.objects.filter(premiere__in=[each.pk for each in premieres if each.tally is None])
    called_off = {each.pk for each in premieres if each.is_cancelled}
    for pk, kept, number in rows.values_list("premiere", "state").annotate(Count("pk")).order_by():
        state = Delivery.State.CANCELLED if kept == Delivery.State.PENDING and pk in called_off else kept
        found[pk][state] = found[pk].get(state, 0) + number
    for each in premieres:
        if each.tally is not None:
            found[each.pk] = each.tally
    states = Delivery.State.values
    return {
        each.pk: {state: found[each.pk][state] for state in states if state in found[each.pk]}
        for each in premieres
    }


def errors_of(premieres: Sequence[Premiere], most: int = 10) -> dict[int, list[tuple[str, int]]]:
    """`Premiere.errors` of many, by key, with one query."""
    found: dict[int, list[tuple[str, int]]] = defaultdict(list)
    rows = Delivery.objects.filter(premiere__in=[each.pk for each in premieres]).exclude(error="")
    counted = rows.values_list("premiere", "error").annotate(times=Count("pk")).order_by("-times", "error")
    for pk, error, times in counted:
        if len(found[pk]) < most:
            found[pk].append((error, times))
    return dict(found)
