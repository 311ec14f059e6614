"""Signs of life of workers and MCP servers, which a thread of each writes to the database as long as it lives."""

from __future__ import annotations

import logging
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable
from typing import Any

from celery.signals import worker_ready
from django.db.models.functions import Now

from capsules.models import Process
from config import stopping
from config.database import release_connection

logger = logging.getLogger(__name__)

EVERY = 15.0  # seconds between two signs of life; deploy/alerts.yaml waits for four


def start(kind: str, where: str = "") -> None:
    """Begins to tell of this process, until it is told to stop."""
    name = f"{kind} {where or socket.gethostname()}"
    threading.Thread(target=tell_until_stopped, args=(name,), name="signs of life").start()


@worker_ready.connect
def start_of_worker(sender: Any = None, **kwargs: object) -> None:
    start("worker", str(sender.hostname))


def tell_until_stopped(name: str) -> None:
    while not stopping.has_begun():
        try_for_process(write_beat, name)
        stopping.rest(EVERY)
    try_for_process(forget_process, name)


def try_for_process(action: Callable[[str], None], name: str) -> None:
    try:
        action(name)
    except Exception:  # the database is away, or the disk: the next try may work
        logger.warning("No sign of life of %s could be written", name, exc_info=True)
    finally:
        release_connection()


def write_beat(name: str) -> None:
    signs = {"seen_at": Now(), "scratch_free": shutil.disk_usage(tempfile.gettempdir()).free}
    if not Process.objects.filter(pk=name).update(**signs):
        Process.objects.create(pk=name, **signs)


def forget_process(name: str) -> None:
    Process.objects.filter(pk=name).delete()
