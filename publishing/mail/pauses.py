"""What all workers share about the mail server: the rate, and a pause while it refuses everything."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from publishing.models import MailServer

FIRST_PAUSE = 60  # seconds; doubled with every further failure
LONGEST_PAUSE = 900


def pause() -> MailServer | None:
    """The row while it says that nothing is sent, and why."""
    return MailServer.objects.filter(paused_until__gt=Now()).first()


def is_closed() -> bool:
    return pause() is not None


@transaction.atomic
def reserve(messages: int) -> float:
    """Reserves so many messages at MAIL_RATE; returns the seconds until the first may go."""
    if not settings.MAIL_RATE:
        return 0
    row, now = lock_pause()
    start = max(now, row.next_free_at or now)
    row.next_free_at = start + timedelta(seconds=messages / settings.MAIL_RATE)
    row.save(update_fields=["next_free_at"])
    return (start - now).total_seconds()


@transaction.atomic
def close(reason: str) -> None:
    """Pauses all sending: 1, 2, 4 … 15 minutes."""
    row, now = lock_pause()
    seconds = min(FIRST_PAUSE * 2 ** min(row.failures, 8), LONGEST_PAUSE)
    row.paused_until = now + timedelta(seconds=seconds)
    row.failures += 1
    row.reason = reason
    row.save(update_fields=["paused_until", "failures", "reason"])


def open_again() -> None:
    """The server took a message, or staff say that it does."""
    MailServer.objects.exclude(failures=0).update(failures=0, paused_until=None, reason="")


def lock_pause() -> tuple[MailServer, datetime]:
    """The row, locked, and the time by the database's clock."""
    MailServer.objects.get_or_create(pk=1)
    row = MailServer.objects.select_for_update().annotate(now=Now()).get(pk=1)
    return row, row.now
