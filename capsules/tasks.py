"""What Celery wakes. Each run looks at the rows and finds nothing to do when another was quicker."""

from __future__ import annotations

from celery import shared_task

from capsules import collection, encoding


@shared_task
def run_encodes() -> int:
    return encoding.run_due()


@shared_task
def sweep() -> None:
    """Wakes encoders for rows that were queued or abandoned without a message."""
    run_encodes.delay()


@shared_task
def collect_garbage() -> int:
    return collection.collect()
