"""How many jobs one worker process does at once: each holds a slot, whatever its kind."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.conf import settings

from config import stopping

computing = threading.BoundedSemaphore(settings.ENCODE_SLOTS)  # encodes, and checks of files that were sent
fetching = threading.BoundedSemaphore(settings.FETCH_SLOTS)  # files at an address, each for minutes


def work(slots: threading.BoundedSemaphore, *kinds: Callable[[], bool]) -> int:
    """Does one job after the other, of the first kind that has one, until none is due; returns how many.

    Each of `kinds` does its next job and says whether there was one. 0 where all slots are taken: whoever has them
    takes the next job when theirs is done.
    """
    if not slots.acquire(blocking=False):
        return 0
    try:
        count = 0
        while not stopping.has_begun() and any(do_next() for do_next in kinds):
            count += 1
        return count
    finally:
        slots.release()
