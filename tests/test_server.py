"""The real server: framing that only a socket can break, and kill -9 in the middle of a publish."""

from __future__ import annotations

import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from tests.running import Service, service

LEASE = 3  # seconds


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("service"), stories=3, PUBLISH_LEASE=str(LEASE)) as running:
        yield running


def head(running: Service, *lines: str) -> bytes:
    story = running.seeded["stories"][0]
    start = [f"PUT /api/v2/stories/{story}/publication HTTP/1.1", "Host: 127.0.0.1", "Connection: close"]
    return "\r\n".join([*start, f"x-api-key: {running.seeded['key']}", *lines, "", ""]).encode()


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer else 0


def test_a_chunked_body_is_read_whole(running):
    chunks = b'6\r\n{"slug\r\n11\r\n": "from-chunks"}\r\n0\r\n\r\n'
    answer = running.raw(head(running, "Transfer-Encoding: chunked") + chunks)
    assert status(answer) == 200
    assert b'"slug":"from-chunks"' in answer


CUT_SHORT = [b'f\r\n{"slug": "cu', b'f\r\n{"slug": "cut1"\r\n', b"zz\r\n{}\r\n0\r\n\r\n", b""]


@pytest.mark.parametrize("body", CUT_SHORT)
def test_a_chunked_body_cut_short_publishes_nothing(running, body):
    answer = running.raw(head(running, "Transfer-Encoding: chunked") + body, half_close=True)
    assert status(answer) in (0, 400), answer[:200]
    assert b"cut" not in running.publication("GET", running.seeded["stories"][0]).body


def test_a_body_shorter_than_declared_publishes_nothing(running):
    answer = running.raw(head(running, "Content-Length: 40") + b'{"slug": "cut3"}', half_close=True)
    assert status(answer) in (0, 400), answer[:200]
    assert b"cut" not in running.publication("GET", running.seeded["stories"][0]).body


@pytest.mark.parametrize(
    "line", ["Content-Length: -1", "Content-Length: abc", "Content-Length: 2\r\nContent-Length: 3"]
)
def test_a_senseless_length_is_a_400(running, line):
    assert status(running.raw(head(running, line) + b"{}", half_close=True)) == 400


def test_a_huge_chunked_body_is_a_400(running):
    chunk = b"ffff\r\n" + b" " * 0xFFFF + b"\r\n"
    answer = running.raw(head(running, "Transfer-Encoding: chunked") + chunk * 2 + b"0\r\n\r\n")
    assert status(answer) == 400


def test_blobs_are_immutable_and_served_by_range(running):
    story = running.seeded["stories"][1]
    path = running.publication("PUT", story).json()["url"]
    page = running.call("GET", path).body.decode()
    blob = re.search(r'"(?:https?://[^/"]+)?(/media/[^"]+\.jpeg)"', page)[1]
    whole = running.call("GET", blob)
    part = running.call("GET", blob, Range="bytes=10-19")
    assert (whole.status, part.status, part.body) == (200, 206, whole.body[10:20])
    assert whole.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert running.call("GET", "/media/../capsules.sqlite3").status == 404
    assert running.call("GET", "/media/aa/" + "a" * 64 + ".avif").status == 404


# --- kill -9 ---------------------------------------------------------------------------------------------------


@contextmanager
def publishing(running: Service, story: str) -> Iterator[None]:
    """Somebody publishes the story again and again under new slugs, for the time of a `with` block."""
    stop = threading.Event()

    def publish() -> None:
        while not stop.is_set():
            with suppress(OSError):
                running.publication("PUT", story, {"slug": f"s{random.randrange(10**6)}"}, timeout=10)

    publisher = threading.Thread(target=publish)
    publisher.start()
    try:
        yield
    finally:
        stop.set()
        publisher.join()


@pytest.mark.parametrize("victim", ["granian", "celery", ""])
def test_a_killed_publish_leaves_nothing_half_and_a_later_one_succeeds_within_the_lease(running, victim):
    story = running.seeded["stories"][2]
    for _ in range(4):
        with publishing(running, story):
            time.sleep(random.uniform(0.05, 0.6))
            until(lambda: running.kill(victim))
        if not victim:
            running.start()
        assert_whole(running, story)
        back = time.monotonic()
        assert publish_until_it_succeeds(running, story) - back < LEASE + 10


def assert_whole(running: Service, story: str) -> None:
    """Either published, and the page opens, or not, and it does not."""
    state = until(lambda: running.publication("GET", story))
    body = json.loads(state.body)
    assert state.status == 200
    if body["isPublished"]:
        assert until(lambda: running.call("GET", body["url"])).status == 200
    else:
        assert body["url"] is None


def publish_until_it_succeeds(running: Service, story: str) -> float:
    """When the publish succeeded; the answers before may only be 423."""
    while True:
        answer = until(lambda: running.publication("PUT", story))
        if answer.status == 200:
            return time.monotonic()
        assert answer.status == 423, answer.body
        time.sleep(0.2)


def until(call: Callable[[], Any]) -> Any:
    """The first true outcome, while the killed processes come back."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with suppress(OSError):
            if outcome := call():
                return outcome
        time.sleep(0.1)
    raise AssertionError("The service did not come back.")
