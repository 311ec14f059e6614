"""How long to wait before something is tried again."""

from __future__ import annotations

from datetime import timedelta

LATEST = timedelta(minutes=5)


def next_wait(age: timedelta, *, soonest: timedelta) -> timedelta:
    """Until the next try of what was first tried `age` ago: as long again, so that the waits double, within bounds."""
    return min(max(age, soonest), LATEST)
