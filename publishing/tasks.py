"""What Celery wakes for publishing."""

from __future__ import annotations

from celery import shared_task

from publishing import clips, leases, view_counts


@shared_task
def sweep() -> int:
    """Frees leases of publishes that died, and the slugs they had reserved; asks for clips that nobody asked for."""
    return leases.sweep() + clips.request_missing()


@shared_task
def flush_views() -> int:
    """Takes the views that Redis has counted to the database."""
    return view_counts.flush()


@shared_task
def forget_old_view_marks() -> None:
    view_counts.forget_old_marks()


@shared_task
def request_clips() -> int:
    return clips.request_missing()
