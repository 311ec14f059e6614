"""What Celery wakes. Each run looks at the rows and finds nothing to do when another was quicker."""

from __future__ import annotations

from celery import shared_task

from capsules import garbage, jobs, worker
from capsules.models import Process
from config import scratch


@shared_task
def check_and_encode() -> int:
    """Files first: somebody waits for the check of each."""
    from capsules.uploads import checking  # late: what it imports wakes these tasks

    return jobs.work(jobs.computing, checking.check_sent, worker.run_next)


@shared_task
def settle_scenes() -> int:
    """Asks for the encodes of scenes whose author has left their pictures alone."""
    from capsules.actions import encodes  # it wakes tasks of this module

    return encodes.settle_due()


@shared_task
def fetch_uploads() -> int:
    from capsules.uploads import checking

    return checking.fetch_due()


@shared_task
def sweep() -> None:
    """Wakes workers for rows that were queued or abandoned without a message, settles scenes, and drops uploads that
    never came whole and files that a killed worker was working on.
    """
    from capsules.uploads import checking

    settle_scenes()
    check_and_encode.delay()
    fetch_uploads.delay()
    checking.sweep()
    Process.objects.forgotten().delete()
    scratch.forget_orphans()


@shared_task
def collect_garbage() -> int:
    return garbage.collect()
