"""Whether this process was told to stop, and until when what still runs in it may go on.

A web process that gets SIGTERM takes requests for STOP_FAREWELL more, then ends those that run. Whoever waits for
something in a request asks here how long that may last. A worker begins nothing new, ends the mail under way and gives
back the encodes that run.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from django.conf import settings

from config.errors import Unavailable

logger = logging.getLogger(__name__)

ROOM = 3.0  # seconds before the end by which every wait is over, so that its answer still goes out
LAST_TRIES = 5.0  # seconds for which what is left for the end is tried again

_ends_at: float | None = None  # by time.monotonic()
_told = threading.Event()  # wakes whoever rests
_last: list[Callable[[], object]] = []


def begin() -> None:
    """Called when the process is told to stop."""
    global _ends_at
    if _ends_at is None:
        _ends_at = time.monotonic() + settings.STOP_PATIENCE
        _told.set()


def has_begun() -> bool:
    return _ends_at is not None


def rest(seconds: float) -> None:
    """Returns after so many seconds, or at once when the process is told to stop."""
    _told.wait(seconds)


def leave_for_the_end(act: Callable[[], object]) -> None:
    """Has a web process do this once its last answer is out."""
    _last.append(act)


def do_last() -> None:
    """Does what was left for the end, and tries it again for LAST_TRIES where the database is busy or away."""
    until = time.monotonic() + LAST_TRIES
    for act in _last:
        while True:
            try:
                act()
                break
            except Exception:
                if time.monotonic() > until:
                    logger.exception("What was left for the end of this process could not be done")
                    break
            time.sleep(0.2)


def check_may_wait() -> None:
    """Raises Unavailable (503) where this process stops so soon that no request may wait any longer."""
    if _ends_at is not None and time.monotonic() > _ends_at - min(ROOM, settings.STOP_PATIENCE / 2):
        raise Unavailable("The service restarts at the moment. Please try again shortly.", retry_after=5)
