"""What Celery wakes for accounts."""

from __future__ import annotations

from celery import shared_task

from accounts import housekeeping, throttling


@shared_task
def forget_old_windows() -> int:
    return throttling.forget_old_windows()


@shared_task
def forget_what_expired() -> dict[str, int]:
    return housekeeping.forget_what_expired()
