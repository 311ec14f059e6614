"""What scripts that break things share. It imports nothing that reads the environment: they may set it afterwards."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping

NOT_TRIED = 3  # exit status


class NotTried(Exception):
    """A part of a script that a missing tool keeps from being tried; says which, and why."""


def end_in_order() -> None:
    """A SIGTERM to this script leaves nothing behind: what was started is ended, as after an error."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def not_tried(what: str) -> int:
    """Says loudly what was not tried; returns the exit status. It is 0 where MAY_SKIP is set, as in .ci/run, which goes
    on where a tool is missing.
    """
    print(f"\n!!! {what}\n", flush=True)
    return 0 if os.environ.get("MAY_SKIP") else NOT_TRIED


def run_drills(subject: str, drills: Mapping[str, Callable[[], list[str]]], names: list[str]) -> int:
    """Runs all, or those named, and says what they found broken; returns the exit status."""
    end_in_order()
    broken, status = [], 0
    for name in names or drills:
        try:
            broken += drills[name]()
        except NotTried as missing:
            status = not_tried(str(missing))
    for fault in broken:
        print("BROKEN", fault)
    print(f"{subject}:", "broken" if broken else "held")
    return 1 if broken else status
