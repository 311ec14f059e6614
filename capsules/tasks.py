"""What Celery wakes. Each run looks at the rows and finds nothing to do when another was quicker."""

from __future__ import annotations

from capsules import garbage, jobs, worker
from capsules.actions import encodes
from capsules.models import Process
from capsules.uploads import checking
from config import scratch
from config.celery import app


@app.task
def check_and_encode() -> int:
    """Files first: somebody waits for the check of each."""
    return jobs.work(jobs.computing, checking.check_sent, worker.run_next)


@app.task
def settle_scenes() -> int:
    """Asks for the encodes of scenes whose author has left their pictures alone."""
    return encodes.settle_due()


@app.task
def fetch_uploads() -> int:
    return checking.fetch_due()


@app.task
def sweep() -> None:
    """Wakes workers for rows that were queued or abandoned without a message, settles scenes, and drops uploads that
    never came whole and what a killed worker left: parts of uploads, and files that it was working on.
    """
    settle_scenes()
    check_and_encode.delay()
    fetch_uploads.delay()
    checking.drop_overdue()
    checking.drop_left_over()
    Process.objects.forgotten().delete()
    scratch.forget_orphans()


@app.task
def collect_garbage() -> int:
    return garbage.collect()
