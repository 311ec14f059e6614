"""Publish slots: how many publishes one web process carries out at once, so that readers always find a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from config.errors import Throttled

_slots = threading.BoundedSemaphore(settings.PUBLISH_SLOTS)
_waiting = threading.BoundedSemaphore(settings.PUBLISH_SLOTS)  # for a slot; each holds a thread


@contextmanager
def slot() -> Iterator[None]:
    """Holds a slot for the time of a `with` block. Raises Throttled where none comes free in PUBLISH_SLOT_WAIT, and at
    once where as many wait already as there are slots.
    """
    if not (_slots.acquire(blocking=False) or wait_for_one()):
        raise Throttled(
            "Many capsules are being published at the moment. Please try again shortly.", retry_after=5
        )
    try:
        yield
    finally:
        _slots.release()


def wait_for_one() -> bool:
    """Whether a slot came free in time."""
    if not _waiting.acquire(blocking=False):
        return False
    try:
        return _slots.acquire(timeout=settings.PUBLISH_SLOT_WAIT)
    finally:
        _waiting.release()
