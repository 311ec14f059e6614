"""What Celery wakes for publishing."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

from celery import shared_task
from celery.signals import worker_init

from publishing import clips, leases
from publishing.pages import view_counts
from publishing.premieres import sweeping
from publishing.subscribers import confirmations

FORK_PATIENCE = 60  # seconds a worker's timer may take to begin


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


@shared_task
def send_premieres() -> int:
    """Sends every premiere that is due; returns how many messages this run handed over."""
    return sweeping.run()


@shared_task
def send_confirmations() -> int:
    """Sends the mails that ask new subscribers to confirm; returns how many."""
    return confirmations.send_due()


@worker_init.connect
def sweep_without_broker(sender: Any, **kwargs: Any) -> None:
    """A worker of threads also looks for due premieres by itself, so that they go out while the broker is down.

    Not where a pool forks: a thread and a fork do not go together. There `manage.py send_premieres --forever` does it.
    For the same reason it waits until the timer inside the worker (-B) is forked: what SQLite keeps of an open
    connection must not be carried into another process (sqlite.org/howtocorrupt.html, section 2.6).
    """
    if "thread" not in str(sender.pool_cls):
        return
    forked = threading.Event()
    os.register_at_fork(after_in_parent=forked.set)
    if not {"-B", "--beat"} & set(sys.argv):
        forked.set()

    def look() -> None:
        forked.wait(FORK_PATIENCE)
        sweeping.run_forever()

    threading.Thread(target=look, name="premieres").start()
