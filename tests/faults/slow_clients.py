"""Slow clients by the hundred: `python -m tests.faults.slow_clients [short]`.

200 readers of a large film who take nothing, 200 senders of a body who fall silent and 1,000 idle connections, from
40 addresses at once (a tenth of each with `short`, against a server with a tenth of the threads). Meanwhile pages
answer with a p99 below 100 ms, /health and the API answer, and a publish succeeds. Afterwards the slow are gone.
Exit status 1 where that does not hold. It runs on SQLite, or on the PostgreSQL and Redis of the environment.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import select
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.support.running import Service, service

FILM = 9 * 1024 * 1024  # bytes; more than the buffers of a connection hold
HEALTH = "/api/v2/health"
P99 = 0.1  # seconds
ENDED = 45  # seconds after which the slow must be gone


def make_film(running: Service) -> str:
    """A blob of the service that is as large as a long film; its path."""
    content = os.urandom(FILM)
    digest = hashlib.sha256(content).hexdigest()
    file = Path(running.env["DATA_DIR"], "media/blobs", digest[:2], f"{digest}.mp4")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return f"/media/{digest[:2]}/{digest}.mp4"


def connect(running: Service, number: int) -> socket.socket:
    """A connection with a small receive buffer, from one of 40 loopback addresses."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(30)
    connection.bind((f"127.0.0.{2 + number % 40}", 0))
    connection.connect(("127.0.0.1", running.port))
    return connection


def besiege(running: Service, stack: ExitStack, *, scale: float) -> dict[str, list[socket.socket]]:
    """All the slow clients at once, by what they do."""
    film = make_film(running)
    attacks = [
        ("readers", 200, f"GET {film} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
        ("senders", 200, "POST /oauth/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2000\r\n\r\ng"),
        ("idle", 1000, ""),
    ]
    slow: dict[str, list[socket.socket]] = {}
    for kind, count, request in attacks:
        slow[kind] = [stack.enter_context(connect(running, number)) for number in range(int(count * scale))]
        for connection in slow[kind]:
            connection.sendall(request.encode())
    return slow


def times(running: Service, path: str, count: int) -> Iterator[float]:
    """Seconds that each of so many requests took, one after the other on one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
    for _ in range(count):
        before = time.perf_counter()
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, (path, answer.status)
        yield time.perf_counter() - before


def p99(measured: list[float]) -> float:
    return statistics.quantiles(measured, n=100)[98]


def check(running: Service, page: str, what: str) -> None:
    """Raises AssertionError where the service does not answer as it should."""
    measured = min((list(times(running, page, 400)) for _ in range(3)), key=p99)
    print(f"{what}: page p50 {statistics.median(measured) * 1000:.1f} ms, p99 {p99(measured) * 1000:.1f} ms")
    assert p99(measured) < P99, f"{what}: pages are slow"
    for path in (HEALTH, "/api/v2/feed", "/"):
        took = max(times(running, path, 5))
        print(f"{what}: {path} at most {took * 1000:.0f} ms")
        assert took < 5, f"{what}: {path} took {took:.1f} s"
    before = time.perf_counter()
    while (answer := running.publication("PUT", running.seeded["stories"][1])).status == 503:
        assert time.perf_counter() - before < 15, f"{what}: no publish within 15 s"
        time.sleep(0.5)
    print(f"{what}: publish {answer.status} after {time.perf_counter() - before:.2f} s")
    assert answer.status == 200, answer.body


def still_open(connections: list[socket.socket]) -> int:
    """How many of them the server has not closed; nothing is read from them."""
    poll = select.poll()
    for connection in connections:
        poll.register(connection, select.POLLRDHUP)
    return len(connections) - len(poll.poll(0))


def wait_until_ended(slow: dict[str, list[socket.socket]]) -> None:
    for kind, connections in slow.items():
        deadline = time.monotonic() + ENDED
        while left := still_open(connections):
            assert time.monotonic() < deadline, f"{left} {kind} of {len(connections)} are still connected"
            time.sleep(0.2)
        print(f"{kind}: all {len(connections)} were ended")


@contextmanager
def besieged(folder: Path, *, short: bool) -> Iterator[tuple[Service, str, dict[str, list[socket.socket]]]]:
    options: dict[str, Any] = {"CLIENT_PATIENCE": "5", "WEB_PROCESSES": "2"}
    options |= {"WEB_THREADS": "6"} if short else {}
    with service(folder, stories=2, **options) as running, ExitStack() as stack:
        page = running.publication("PUT", running.seeded["stories"][0]).json()["url"]
        for _ in range(25):  # connections: each goes to either process, and both must have the page
            list(times(running, page, 2))
        yield running, page, besiege(running, stack, scale=0.1 if short else 1)


def main(short: bool) -> None:
    folder = tempfile.TemporaryDirectory(prefix="capsules-slow-", ignore_cleanup_errors=True)
    with folder, besieged(Path(folder.name), short=short) as (running, page, slow):
        check(running, page, f"{sum(map(len, slow.values()))} slow clients")
        wait_until_ended(slow)
        check(running, page, "afterwards")
    print("slow clients: held")


if __name__ == "__main__":
    main("short" in sys.argv[1:])
