"""What Celery wakes for accounts."""

from __future__ import annotations

from celery import shared_task

from accounts import housekeeping, throttling
from accounts.people import outgoing
from accounts.webhooks import rounds


@shared_task
def forget_old_windows() -> int:
    return throttling.forget_old_windows()


@shared_task
def forget_what_expired() -> dict[str, int]:
    return housekeeping.forget_what_expired()


@shared_task
def send_account_mails() -> int:
    return outgoing.send_due_mails()


@shared_task
def send_webhooks() -> None:
    rounds.wake_rounds()
