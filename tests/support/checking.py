"""What the worker does with files that came in, without the pictures and films that it renders next."""

from __future__ import annotations

from capsules import jobs
from capsules.uploads import checking


def check_uploads() -> int:
    """Checks due uploads until none is left; returns how many."""
    return jobs.work(jobs.computing, checking.check_sent) + checking.fetch_due()
