"""What a dashboard wants to know of publications, premieres and their mails."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Count, Min, Q
from django.utils import timezone

from config.metrics import measured
from publishing.mail import pauses
from publishing.models import Delivery, Premiere, Publication

RECENT = timedelta(hours=24)


@measured(
    "capsules_premiere_lag_seconds", "How long the oldest premiere has been due that has not been sent."
)
def premiere_lag() -> dict[str, float]:
    waiting = Premiere.objects.filter(state__in=[Premiere.State.SCHEDULED, Premiere.State.SENDING])
    oldest = waiting.aggregate(oldest=Min("due_at"))["oldest"]
    return {"": max(0.0, (timezone.now() - oldest).total_seconds()) if oldest else 0.0}


@measured("capsules_premieres_held", "Premieres that wait for a decision of staff.")
def premieres_held() -> dict[str, float]:
    return {"": float(Premiere.objects.held_for_staff().count())}


@measured(
    "capsules_deliveries", "Mails of premieres that are being sent or ended within a day, by state.", "state"
)
def deliveries() -> dict[str, float]:
    recent = Premiere.objects.filter(
        Q(state=Premiere.State.SENDING) | Q(finished_at__gt=timezone.now() - RECENT)
    )
    rows = Delivery.objects.filter(premiere__in=recent).order_by().values_list("state").annotate(Count("pk"))
    return {**dict.fromkeys(Delivery.State.values, 0.0), **{state: float(number) for state, number in rows}}


@measured(
    "capsules_mail_pause_seconds",
    "For how long no premiere mail is sent, because the mail server refuses everything; 0: it does not.",
)
def mail_pause() -> dict[str, float]:
    paused = pauses.pause()
    until = paused.paused_until if paused else None
    return {"": max(0.0, (until - timezone.now()).total_seconds()) if until else 0.0}


@measured("capsules_publish_leases_lapsed", "Publishes that stopped on their way and were not swept up yet.")
def lapsed_leases() -> dict[str, float]:
    return {"": float(Publication.objects.lease_lapsed().count())}
