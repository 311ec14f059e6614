"""Clients that take their time: seats for those that are read from or sent to, and an end for those that are too slow.

A thread of the web server waits while a body comes in, and while a file goes out. Such requests get seats of their own
besides the threads that work, a limited number in each direction. A watch looks at the connections every second and
ends those below LEAST_RATE; where all seats are taken, it waits less long before it does.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest

from config import connections
from config.connections import Connection

logger = logging.getLogger(__name__)

PIECE = 8 * 1024  # bytes of a body that are asked for at once; a sender's progress is known in these steps
LOOK_EVERY = 1.0  # seconds
CROWDED_PATIENCE = 2.0  # seconds without progress, while all seats of a direction are taken
TOO_SLOW = b'{"error":"The request body did not arrive in time."}'

Headers = list[tuple[str, str]]


class CutShort(BadRequest):
    """The client went away, or was too slow, before the whole body was there. Its connection is closed by then."""


class Body:
    """The body of a request, as an application reads it (`wsgi.input`); knows how long it has been waited for."""

    def __init__(self, source: Any, length: int | None, protocol: Any, when_read: Callable[[], None]) -> None:
        self.source = source
        self.length = length  # None where it comes in chunks
        self.protocol = protocol
        self.when_read = when_read
        self.received = 0
        self.waited = 0.0  # seconds that reads have waited so far, without the one that is waiting now
        self.waits_since: float | None = None
        self.buffer = b""

    def read(self, size: int | None = -1) -> bytes:
        pieces, missing = [self.buffer], None if size is None or size < 0 else size - len(self.buffer)
        self.buffer = b""
        while missing is None or missing > 0:
            wanted = PIECE if missing is None else min(PIECE, missing)
            piece = self.wait_for(wanted)
            pieces.append(piece)
            if missing is not None:
                missing -= len(piece)
            if len(piece) < wanted:
                break
        return self.cut(b"".join(pieces), size)

    def readline(self, size: int | None = -1) -> bytes:
        while b"\n" not in self.buffer:
            piece = self.wait_for(PIECE)
            self.buffer += piece
            if len(piece) < PIECE:
                break
        line, found, rest = self.buffer.partition(b"\n")
        self.buffer = rest
        return self.cut(line + found, size)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")

    def cut(self, found: bytes, size: int | None) -> bytes:
        """As much of it as was asked for; the rest is for the next call."""
        if size is None or size < 0 or len(found) <= size:
            return found
        self.buffer = found[size:] + self.buffer
        return found[:size]

    def wait_for(self, size: int) -> bytes:
        """The next bytes; fewer than `size` only at the end. Raises CutShort."""
        self.waits_since = time.monotonic()
        try:
            piece: bytes = self.source.read(size)
        finally:
            self.waited, self.waits_since = self.has_waited(), None
        self.received += len(piece)
        if len(piece) < size or self.received == self.length:
            self.when_read()
        if len(piece) < size and self.length is not None and self.received < self.length:
            raise CutShort("The request body was cut short.")
        return piece

    def has_waited(self) -> float:
        since = self.waits_since
        return self.waited + (time.monotonic() - since if since is not None else 0)

    def is_overdue(self, patience: float) -> bool:
        return (
            self.waits_since is not None
            and self.has_waited() > patience + self.received / settings.LEAST_RATE
        )


@dataclass
class Sending:
    """How much of what waited for a client it had taken when it was last quick enough."""

    taken: int
    since: float
    looked_at: int = field(default=0)


class SlowClients:
    """The seats of one process, and the watch over its connections."""

    def __init__(self, seats: int) -> None:
        self.seats = seats  # in each direction
        self.lock = threading.Lock()
        self.bodies: set[Body] = set()
        self.streams = 0
        self.sendings: dict[tuple[str, int], Sending] = {}
        self.looks = 0

    # --- Seats ---

    def admit(self, body: Body) -> bool:
        """Gives a body a seat until it was read or the request ended; False where none is free."""
        with self.lock:
            if len(self.bodies) >= self.seats:
                return False
            self.bodies.add(body)
            return True

    def leave(self, body: Body) -> None:
        with self.lock:
            self.bodies.discard(body)

    def begin_stream(self) -> bool:
        """Takes a seat for an answer that is sent piece by piece; False where none is free."""
        with self.lock:
            if self.streams >= self.seats:
                return False
            self.streams += 1
            return True

    def end_stream(self) -> None:
        with self.lock:
            self.streams -= 1

    # --- The watch ---

    def start(self) -> None:
        if connections.SUPPORTED:
            threading.Thread(target=self.watch, daemon=True, name="slow-clients").start()
        else:
            logger.warning("Slow clients are not ended on this system; put a buffering proxy in front.")

    def watch(self) -> None:
        while True:
            time.sleep(LOOK_EVERY)
            try:
                self.look()
            except Exception:  # the watch must go on, whatever it met
                logger.exception("The watch over slow clients failed; it goes on.")

    def look(self) -> None:
        found = list(connections.clients(settings.PORT))
        self.end_slow_readers(found)
        self.end_idle(found)
        self.end_slow_senders()

    def end_slow_readers(self, found: list[Connection]) -> None:
        """Ends those that took less than LEAST_RATE of what waited for them, all through the patience."""
        now, self.looks = time.monotonic(), self.looks + 1
        patience = CROWDED_PATIENCE if self.streams >= self.seats else settings.SEND_PATIENCE
        for each in found:
            if not each.waiting:
                continue
            sending = self.sendings.setdefault(each.peer, Sending(each.taken, now))
            sending.looked_at = self.looks
            if each.taken - sending.taken >= settings.LEAST_RATE * max(now - sending.since, LOOK_EVERY):
                sending.taken, sending.since = each.taken, now
            elif now - sending.since > patience:
                connections.end(each.fd, each.peer, drop=True)
        self.sendings = {peer: each for peer, each in self.sendings.items() if each.looked_at == self.looks}

    def end_idle(self, found: list[Connection]) -> None:
        """Granian ends idle connections after half a minute; where nearly all places are taken, they end at once."""
        if len(found) < 0.75 * settings.WEB_CONNECTIONS:
            return
        for each in found:
            if each.is_answered and not each.waiting and each.idle > CROWDED_PATIENCE:
                connections.end(each.fd, each.peer)

    def end_slow_senders(self) -> None:
        with self.lock:
            patience = CROWDED_PATIENCE if len(self.bodies) >= self.seats else settings.BODY_PATIENCE
            overdue = [body for body in self.bodies if body.is_overdue(patience)]
        if overdue:
            self.refuse(overdue)

    def refuse(self, overdue: list[Body]) -> None:
        """Answers 408 to each sender, and closes its connection, which is the only way to end the read.

        Nothing tells which connection a body comes in by. So every answer has another length, and the connection to
        which exactly that many bytes were written is the one.
        """
        before = {(each.fd, each.peer): each.written for each in connections.clients(settings.PORT)}
        wanted = {}
        for number, body in enumerate(overdue):
            headers, content = too_slow(padding=number)
            wanted[length_on_the_wire(headers, content)] = body
            body.protocol.response_bytes(408, headers, content)
        deadline = time.monotonic() + 0.5
        while wanted and time.monotonic() < deadline:
            time.sleep(0.02)
            for each in connections.clients(settings.PORT):
                grown = each.written - before.get((each.fd, each.peer), each.written)
                if wanted.pop(grown, None) is not None:
                    connections.end(each.fd, each.peer)


def too_slow(padding: int) -> tuple[Headers, bytes]:
    content = TOO_SLOW + b" " * padding
    headers = [
        ("content-type", "application/json"),
        ("connection", "close"),
        ("date", formatdate(usegmt=True)),  # granian adds these two where they are absent
        ("server", "granian"),
        ("content-length", str(len(content))),
    ]
    return headers, content


def length_on_the_wire(headers: Headers, content: bytes) -> int:
    lines = ["HTTP/1.1 408 Request Timeout", *(f"{name}: {value}" for name, value in headers), "", ""]
    return len("\r\n".join(lines)) + len(content)


class Streamed:
    """An answer that is sent piece by piece, and gives its seat back at the end."""

    def __init__(self, answer: Any, when_sent: Callable[[], None]) -> None:
        self.answer = answer
        self.when_sent = when_sent
        self.is_open = True

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.answer)

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self.when_sent()
            close(self.answer)


def close(answer: Any) -> None:
    """What PEP 3333 asks of a server once an answer was sent; Django then ends the request."""
    if hasattr(answer, "close"):
        answer.close()
