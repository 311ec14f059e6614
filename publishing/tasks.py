"""What Celery wakes for publishing."""

from __future__ import annotations

from celery import shared_task

from publishing import confirmations, leases
from publishing.premieres import sweeping


@shared_task
def sweep() -> int:
    """Frees leases of publishes that died, and the slugs they had reserved."""
    return leases.sweep()


@shared_task
def send_premieres() -> int:
    """Sends every premiere that is due; returns how many messages this run handed over."""
    return sweeping.run()


@shared_task
def send_confirmations() -> int:
    """Sends the mails that ask new subscribers to confirm; returns how many."""
    return confirmations.send_due()
