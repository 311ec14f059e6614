"""Hashing passwords takes a third of a second of the processor: a process does few at once, and says so to a flood."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.contrib.auth.hashers import PBKDF2PasswordHasher

from config.database import release_connection
from config.outage import busy
from config.slots import Slots

AT_ONCE = 2
QUEUE = 8  # a class that signs in together; a quarter of the threads
PATIENCE = 5.0  # seconds
hashing = Slots(AT_ONCE, QUEUE, PATIENCE)
has_slot = ContextVar("has_slot", default=False)


@contextmanager
def slot() -> Iterator[None]:
    """Holds a slot for the time of a `with` block; whoever has one already needs no other. Raises Busy (503)."""
    if has_slot.get():
        yield
        return
    with hashing.slot(busy()):
        token = has_slot.set(True)
        try:
            yield
        finally:
            has_slot.reset(token)


@contextmanager
def slot_without_connection() -> Iterator[None]:
    """Waits for a slot without a database connection, which a flood would keep from all others. Not for use in a
    transaction.
    """
    release_connection()
    with slot():
        yield


class PasswordHasher(PBKDF2PasswordHasher):
    """Django's. Raises Busy (503) where too many want it: else sign-ins of strangers would hold every thread."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        with slot():
            return str(super().encode(password, salt, iterations))
