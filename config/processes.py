"""Processes that are forks of one that has loaded the application, and must not outlive it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.context import ForkProcess
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15  # linux/prctl.h
TOLD_BY = {signal.SIGTERM, signal.SIGINT}


def load() -> None:
    """Imports what every process runs, so that its forks share it. Opens no connection and starts no thread.

    Raises SystemCheckError where no process of the service may start.
    """
    import django
    from django.core.management.base import BaseCommand
    from django.urls import get_resolver

    django.setup()
    get_resolver().reverse_dict  # noqa: B018 - else each of the first concurrent requests builds it
    BaseCommand().check()  # as `manage.py` does by itself: prints warnings, and raises for errors


def load_templates() -> None:
    """Compiles the templates of the service and keeps them: those of the next version, which may lie there before this
    one has ended, name static files that this one does not know.
    """
    from django.template import engines

    engine = engines["django"]
    for folder in engine.dirs:
        for file in Path(folder).rglob("*.*"):
            engine.get_template(str(file.relative_to(folder)))


def die_with_parent(parent: int) -> None:
    """Runs in a child: when its parent is killed with -9, also a moment ago, it gets a SIGTERM.

    Only Linux can; elsewhere it lives on.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGTERM)


def call_process(name: str) -> None:
    """What `top` and /proc/<pid>/comm call this process: at most 15 letters. Forks have the same command line."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode())


class Fork(ForkProcess):
    """A child that runs `role` in a process group of its own.

    Ctrl-C reaches the parent alone, which stops its children in order.
    """

    def __init__(self, role: Callable[[], object]) -> None:
        super().__init__()
        self.role = role
        self.parent = os.getpid()

    def start(self) -> None:
        super().start()
        with suppress(OSError):  # the child has done it already, or has ended
            os.setpgid(self.pid or 0, self.pid or 0)

    def run(self) -> None:
        os.setpgid(0, 0)
        for signum in TOLD_BY:
            signal.signal(signum, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, TOLD_BY)
        die_with_parent(self.parent)
        self.role()

    def tell(self, signum: signal.Signals) -> None:
        """To it and all of its group, unless it has ended."""
        if self.pid and self.is_alive():
            os.killpg(self.pid, signum)
