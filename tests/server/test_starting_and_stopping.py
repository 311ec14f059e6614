"""What a SIGTERM does to requests that run; to an encode: tests/capsules/test_encoding.py."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.support.running import ROOT, START, Service, service
from tests.support.sending import until

WEB_SERVER = "from config import web_server; web_server.main()"


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The data of a service that does not run."""
    options = {"STOP_PATIENCE": "12", "STOP_FAREWELL": "6", "WEB_PROCESSES": "1"}
    with service(tmp_path_factory.mktemp("idle"), stories=1, start=False, **options) as running:  # type: ignore[arg-type]
        yield running


def log(running: Service) -> Path:
    return Path(running.env["DATA_DIR"], "web.log")


@contextmanager
def web_server(running: Service) -> Iterator[subprocess.Popen[bytes]]:
    """A web server without a worker."""
    command = [sys.executable, "-c", WEB_SERVER]
    with (
        log(running).open("wb") as out,
        subprocess.Popen(command, cwd=ROOT, env=running.env, stderr=out) as process,
    ):
        try:
            until(lambda: running.call("GET", "/api/v2/health").status == 200, "a web server", START)
            yield process
        finally:
            process.terminate()


def test_whoever_is_with_a_server_that_is_told_to_stop_is_answered(idle):
    """Or a proxy fails what it may not send twice, each time a version is replaced."""
    story = idle.seeded["stories"][0]
    with web_server(idle) as process, ThreadPoolExecutor(4) as callers:
        page = idle.publication("PUT", idle.seeded["neighbour"]["story"]).json()["url"]
        idle.sql("UPDATE capsules_encode SET state = 'queued'")
        calls = [callers.submit(idle.publication, "PUT", story) for _ in range(2)]
        [refused], [waiting] = wait(calls, timeout=30, return_when=FIRST_COMPLETED)
        assert refused.result().status == 423, "the other call is publishing"
        with half_a_form(idle) as (connection, rest):
            kept = {path: kept_connection(idle, path) for path in ("/api/v2/health", page)}
            process.terminate()
            last = [callers.submit(last_answer, idle, path, line) for path, line in kept.items()]
            newest = callers.submit(answer_the_last, idle)
            time.sleep(1)
            connection.sendall(rest)
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            assert (answer.status, answer.headers["Connection"]) == (200, "close"), answer.read()
        newest.result(60)
        assert [answer.result(60) for answer in last] == [(200, "close")] * 2
        published = waiting.result(30)
        assert (published.status, int(published.headers["retry-after"])) == (503, 5), published.body
        assert process.wait(60) == 0
        assert not idle.processes()


def kept_connection(running: Service, path: str) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
    assert [asked(connection, path) for _ in range(2)] == [(200, None)] * 2
    return connection


def last_answer(
    running: Service, path: str, connection: http.client.HTTPConnection
) -> tuple[int, str | None]:
    """Asks again and again, until an answer is another; it has to come before the connection ends."""
    answer, told = (200, None), time.monotonic()
    while answer == (200, None):
        time.sleep(0.02)
        try:
            answer = asked(connection, path)
        except OSError as error:
            after = time.monotonic() - told
            raise AssertionError(f"closed {after:.2f} s later: {log(running).read_text()}") from error
    return answer


@contextmanager
def half_a_form(running: Service) -> Iterator[tuple[socket.socket, bytes]]:
    """A connection that has sent half of a subscription, and the rest of it."""
    body = b"email=reader@example.com"
    head = (
        "POST /subscribe/harbour HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", running.port), timeout=30) as connection:
        connection.sendall(head.encode() + body[:10])
        time.sleep(0.5)  # so that it has arrived
        yield connection, body[10:]


def answer_the_last(running: Service) -> None:
    """The last who connects to a server that was told to stop, before nobody can any more, is answered."""
    with ExitStack() as connections:
        last = None
        while True:
            try:
                connection = socket.create_connection(("127.0.0.1", running.port), timeout=30)
            except ConnectionRefusedError:
                break
            last = connections.enter_context(connection)
            time.sleep(0.02)
        assert last is not None
        last.sendall(b"POST /api/v2/stories HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}")
        answer = http.client.HTTPResponse(last)
        answer.begin()
        assert (answer.status, answer.headers["Connection"]) == (401, "close"), answer.read()


def asked(connection: http.client.HTTPConnection, path: str) -> tuple[int, str | None]:
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer.status, answer.getheader("connection")
