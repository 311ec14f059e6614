"""Hashing passwords takes a third of a second of the processor: a process does few at once, and says so to a flood."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.contrib.auth.hashers import PBKDF2PasswordHasher

from config.database import release_connection
from config.outage import BUSY, RETRY_AFTER, Busy
from config.slots import Slots

AT_ONCE = 2
QUEUE = 8  # a class that signs in together; a quarter of the threads
PATIENCE = 5.0  # seconds
hashing = Slots(AT_ONCE, QUEUE, PATIENCE)
has_turn = ContextVar("has_turn", default=False)


@contextmanager
def turn() -> Iterator[None]:
    """Within it passwords are hashed at once. It is waited for without a connection, which a flood would keep from all
    others. Not for use in a transaction. Raises Busy (503) where too many want it.
    """
    release_connection()
    with slot():
        token = has_turn.set(True)
        try:
            yield
        finally:
            has_turn.reset(token)


@contextmanager
def slot() -> Iterator[None]:
    with hashing.slot(Busy(BUSY, retry_after=RETRY_AFTER)):
        yield


class PasswordHasher(PBKDF2PasswordHasher):
    """Django's. Raises Busy (503) where too many want it: else sign-ins of strangers would hold every thread."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        if has_turn.get():
            return str(super().encode(password, salt, iterations))
        with slot():
            return str(super().encode(password, salt, iterations))
