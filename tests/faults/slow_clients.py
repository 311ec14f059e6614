"""Slow clients by the hundred: `python -m tests.faults.slow_clients [short]`.

200 readers of a large film who take nothing, 200 senders of a body who fall silent, 1,000 idle connections and 600 more
at the MCP server, from 40 addresses at once (a tenth of each with `short`, against a server with a tenth of the
threads): at the service alone, then at nginx before it. Meanwhile pages answer with a p99 below 100 ms, /health, the
API and the MCP server answer, and a publish and an upload succeed. Afterwards the slow are gone.
Exit status 1 where that does not hold. It runs on SQLite, or on the PostgreSQL and Redis of the environment.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import select
import shutil
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults.tools import not_tried
from tests.support.nginx import nginx
from tests.support.ports import free_port
from tests.support.running import Service, service
from tests.support.sending import announce, jetty, send_slice

FILM = 9 * 1024 * 1024  # bytes; more than the buffers of a connection hold
HEALTH = "/api/v2/health"
P99 = 0.1  # seconds
ENDED = 45  # seconds after which the slow must be gone
#: nginx is as impatient here as CLIENT_PATIENCE makes the service.
IMPATIENT = {
    "send_timeout 60s": "send_timeout 5s",
    "client_body_timeout 30s": "client_body_timeout 5s",
    "client_header_timeout 15s": "client_header_timeout 5s",
}


@dataclass
class Door:
    """A way into the service: the ports of the web server and of the MCP server."""

    name: str
    port: int
    mcp: int


def make_film(running: Service) -> str:
    """A blob of the service that is as large as a long film; its path."""
    content = os.urandom(FILM)
    digest = hashlib.sha256(content).hexdigest()
    file = Path(running.env["DATA_DIR"], "media/blobs", digest[:2], f"{digest}.mp4")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return f"/media/{digest[:2]}/{digest}.mp4"


def connect(port: int, number: int) -> socket.socket:
    """A connection with a small receive buffer, from one of 40 loopback addresses."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(30)
    connection.bind((f"127.0.0.{2 + number % 40}", 0))
    connection.connect(("127.0.0.1", port))
    return connection


def besiege(
    running: Service, door: Door, stack: ExitStack, *, scale: float
) -> dict[str, list[socket.socket]]:
    """All the slow clients at once, by what they do."""
    film = make_film(running)
    attacks = [
        ("readers", door.port, 200, f"GET {film} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
        (
            "senders",
            door.port,
            200,
            "POST /oauth/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2000\r\n\r\ng",
        ),
        ("idle", door.port, 1000, ""),
        ("idle at MCP", door.mcp, 600, ""),
    ]
    slow: dict[str, list[socket.socket]] = {}
    for kind, port, count, request in attacks:
        slow[kind] = [stack.enter_context(connect(port, number)) for number in range(int(count * scale))]
        for connection in slow[kind]:
            connection.sendall(request.encode())
    return slow


def times(port: int, path: str, count: int) -> Iterator[float]:
    """Seconds that each of so many requests took, one after the other on one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for _ in range(count):
        before = time.perf_counter()
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, (path, answer.status)
        yield time.perf_counter() - before


def p99(measured: list[float]) -> float:
    return statistics.quantiles(measured, n=100)[98]


def check(running: Service, door: Door, page: str, what: str) -> None:
    """Raises AssertionError where the service does not answer as it should."""
    measured = min((list(times(door.port, page, 400)) for _ in range(3)), key=p99)
    print(f"{what}: page p50 {statistics.median(measured) * 1000:.1f} ms, p99 {p99(measured) * 1000:.1f} ms")
    assert p99(measured) < P99, f"{what}: pages are slow"
    for path in (HEALTH, "/api/v2/feed", "/"):
        took = max(times(door.port, path, 5))
        print(f"{what}: {path} at most {took * 1000:.0f} ms")
        assert took < 5, f"{what}: {path} took {took:.1f} s"
    through = Service(running.env, door.port, running.seeded)
    before = time.perf_counter()
    assert Service({}, door.mcp).call("POST", "/mcp", {}, timeout=10).status == 401, f"{what}: MCP"
    print(f"{what}: MCP answered after {(time.perf_counter() - before) * 1000:.0f} ms")
    before = time.perf_counter()
    while (answer := through.publication("PUT", running.seeded["stories"][1])).status in (423, 503):
        assert time.perf_counter() - before < 15, f"{what}: no publish within 15 s"
        time.sleep(0.5)
    print(f"{what}: publish {answer.status} after {time.perf_counter() - before:.2f} s")
    assert answer.status == 200, answer.body
    upload(through, what)


def upload(through: Service, what: str) -> None:
    """A picture in one slice."""
    content = jetty()
    before = time.perf_counter()
    made = announce(through, content)
    send_slice(through, made["id"], content, at=0)
    print(f"{what}: upload of {len(content) / 1e6:.1f} MB after {time.perf_counter() - before:.2f} s")


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
def served(folder: Path, *, short: bool) -> Iterator[tuple[Service, list[Door], str]]:
    """The service, the ways into it, and a page that is a file."""
    mcp = free_port()
    options: dict[str, Any] = {
        "CLIENT_PATIENCE": "5",
        "WEB_PROCESSES": "2",
        "MCP_PORT": str(mcp),
        "BEHIND_PROXY": "true",
    }
    options |= {"WEB_THREADS": "6"} if short else {}
    with service(folder, stories=2, **options) as running, ExitStack() as stack:
        page = running.publication("PUT", running.seeded["stories"][0]).json()["url"]
        for _ in range(3):
            list(times(running.port, page, 2))
        doors = [Door("the service alone", running.port, mcp)]
        if shutil.which("nginx"):
            url, _ = stack.enter_context(nginx([running.port], data=folder, mcp=mcp, changed=IMPATIENT))
            port = int(url.rpartition(":")[2])
            doors.append(Door("nginx", port, port))
        yield running, doors, page


def main(short: bool) -> int:
    folder = tempfile.TemporaryDirectory(prefix="capsules-slow-", ignore_cleanup_errors=True)
    with folder, served(Path(folder.name), short=short) as (running, doors, page):
        for door in doors:
            with ExitStack() as stack:
                slow = besiege(running, door, stack, scale=0.1 if short else 1)
                check(running, door, page, f"{door.name}, {sum(map(len, slow.values()))} slow clients")
                if door.mcp != door.port:
                    del slow["idle at MCP"]  # the MCP server keeps them; nginx does not
                wait_until_ended(slow)
                check(running, door, page, f"{door.name}, afterwards")
    print("slow clients: held")
    return 0 if len(doors) == 2 else not_tried("NGINX IS NOT INSTALLED: THE SERVICE ALONE WAS TRIED.")


if __name__ == "__main__":
    sys.exit(main("short" in sys.argv[1:]))
