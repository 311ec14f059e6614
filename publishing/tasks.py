"""What Celery wakes for publishing."""

from __future__ import annotations

import threading
from typing import Any

from celery import shared_task
from celery.signals import worker_init, worker_shutting_down

from publishing import clips, confirmations, leases, view_counts
from publishing.premieres import sending, sweeping


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
    """
    if "thread" in str(sender.pool_cls):
        threading.Thread(target=sweeping.run_forever, name="premieres").start()


@worker_shutting_down.connect
def stop_sending(**kwargs: Any) -> None:
    """The message under way is finished, the rest stays due for the next worker."""
    sending.stopping.set()
