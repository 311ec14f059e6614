"""Hashing passwords takes a third of a second of the processor: a process does few at once, and says so to a flood."""

from __future__ import annotations

from django.contrib.auth.hashers import PBKDF2PasswordHasher

from config.outage import BUSY, RETRY_AFTER, Busy
from config.slots import Slots

AT_ONCE = 2
QUEUE = 8  # a class that signs in together; a quarter of the threads
PATIENCE = 5.0  # seconds
hashing = Slots(AT_ONCE, QUEUE, PATIENCE)


class PasswordHasher(PBKDF2PasswordHasher):
    """Django's. Raises Busy (503) where too many want it: else sign-ins of strangers would hold every thread."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        with hashing.slot(Busy(BUSY, retry_after=RETRY_AFTER)):
            return str(super().encode(password, salt, iterations))
