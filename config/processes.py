"""Processes that must not outlive the one that started them."""

from __future__ import annotations

import ctypes
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def die_with_parent() -> None:
    """Runs in a child: when its parent is killed with -9, it gets a SIGTERM. Only Linux can; elsewhere it lives on."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
