"""What Celery wakes for publishing."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from celery.signals import worker_init

from accounts.people import outgoing
from accounts.webhooks import rounds as webhooks
from config.celery import app
from publishing import clips, leases
from publishing.moderation import blobs
from publishing.premieres import sweeping
from publishing.subscribers import confirmations

FORK_PATIENCE = 60  # seconds a worker's timer may take to begin


@app.task
def sweep() -> int:
    """Moves the files of what was taken down or given back; frees leases of publishes that died, and the slugs they had
    reserved; asks for clips that nobody asked for.
    """
    return blobs.move_files() + leases.free_lapsed_leases() + clips.request_missing()


@app.task
def move_hidden_blobs() -> int:
    return blobs.move_files()


@app.task
def request_clips() -> int:
    return clips.request_missing()


@app.task
def send_premieres() -> int:
    """Sends every premiere that is due; returns how many messages this run handed over."""
    return sweeping.send_due_premieres()


@app.task
def send_confirmations() -> int:
    """Sends the mails that ask new subscribers to confirm; returns how many."""
    return confirmations.send_due_confirmations()


@worker_init.connect
def sweep_without_broker(sender: Any, **kwargs: object) -> None:
    """A worker of threads also looks for due premieres and mails by itself, so that they go out while the broker is
    down, and while all its threads have longer work.

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

    def look(run_forever: Callable[[], None]) -> None:
        forked.wait(FORK_PATIENCE)
        run_forever()

    threading.Thread(target=look, args=[sweeping.run_forever], name="premieres").start()
    threading.Thread(target=look, args=[outgoing.send_mails_forever], name="account mails").start()
    threading.Thread(target=look, args=[webhooks.send_forever], name="webhooks").start()
