"""Slots: how many of one costly thing a process does at once, so that everybody else finds a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps

from config.errors import CapsulesError


class Slots:
    """`count` hold a slot at a time, `queue` may wait for one, for `patience` seconds: each of them holds a thread."""

    def __init__(self, count: int, queue: int, patience: float) -> None:
        self.free = threading.BoundedSemaphore(count)
        self.queue = threading.BoundedSemaphore(queue)
        self.patience = patience

    @contextmanager
    def slot(self, refusal: CapsulesError) -> Iterator[None]:
        """Holds a slot for the time of a `with` block. Raises `refusal` where none comes free in time, and at once
        where the queue is full.
        """
        if not (self.free.acquire(blocking=False) or self.wait()):
            raise refusal
        try:
            yield
        finally:
            self.free.release()

    def wait(self) -> bool:
        """Whether a slot came free in time."""
        if not self.queue.acquire(blocking=False):
            return False
        try:
            return self.free.acquire(timeout=self.patience)
        finally:
            self.queue.release()


def in_one_thread(work: Callable[[], int]) -> Callable[[], int]:
    """Does nothing, and returns 0, while another thread of this process is at it: a mail server that hangs must not
    take all threads of a worker.
    """
    lock = threading.Lock()

    @wraps(work)
    def alone() -> int:
        if not lock.acquire(blocking=False):
            return 0
        try:
            return work()
        finally:
            lock.release()

    return alone
