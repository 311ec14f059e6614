"""Publish slots: how many publishes one web process carries out at once, so that readers always find a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from config.errors import Throttled

_slots = threading.BoundedSemaphore(settings.PUBLISH_SLOTS)


@contextmanager
def slot() -> Iterator[None]:
    """Holds a slot for the time of a `with` block. Raises Throttled where none comes free in PUBLISH_SLOT_WAIT."""
    if not _slots.acquire(timeout=settings.PUBLISH_SLOT_WAIT):
        raise Throttled(
            "Many capsules are being published at the moment. Please try again shortly.", retry_after=5
        )
    try:
        yield
    finally:
        _slots.release()
