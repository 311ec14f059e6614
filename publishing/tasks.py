"""What Celery wakes for publishing."""

from __future__ import annotations

from celery import shared_task

from publishing import leases


@shared_task
def sweep() -> int:
    """Frees leases of publishes that died, and the slugs they had reserved."""
    return leases.sweep()
