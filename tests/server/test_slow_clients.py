"""The watch over slow clients, on real connections: who is ended, who is left alone, and how a body is read."""

from __future__ import annotations

import io
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from config import connections, slow_clients
from config.slow_clients import Body, CutShort, SlowClients, length_on_the_wire
from tests.support.running import free_port

pytestmark = pytest.mark.skipif(not connections.SUPPORTED, reason="needs Linux")


class Pair:
    """A client's connection and the server's end of it; granian's protocol, as far as a refusal needs it."""

    def __init__(self, listener: socket.socket) -> None:
        self.client = socket.socket()
        self.client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.client.connect(listener.getsockname())
        self.server, _ = listener.accept()
        self.server.setblocking(False)

    def response_bytes(self, status: int, headers: Any, content: bytes) -> None:
        self.server.sendall(b"x" * length_on_the_wire(headers, content))

    def fill(self) -> None:
        """The server writes until nothing more fits."""
        try:
            while True:
                self.server.send(b"y" * 65536)
        except BlockingIOError:
            pass

    def is_open(self) -> bool:
        try:
            return self.server.recv(1) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False


@pytest.fixture
def connect(settings) -> Iterator[Callable[[], Pair]]:
    settings.PORT = free_port()
    pairs: list[Pair] = []
    with socket.create_server(("127.0.0.1", settings.PORT)) as listener:

        def connected() -> Pair:
            pairs.append(Pair(listener))
            return pairs[-1]

        yield connected
        for pair in pairs:
            pair.client.close()
            pair.server.close()


def look_until(clients: SlowClients, is_done: Callable[[], bool], *, meanwhile: Callable[[], None]) -> None:
    deadline = time.monotonic() + 60
    while not is_done():
        assert time.monotonic() < deadline
        meanwhile()
        clients.look()
        time.sleep(0.1)


def test_a_reader_who_takes_nothing_is_ended_and_one_who_goes_on_is_not(connect, settings):
    settings.SEND_PATIENCE, settings.LEAST_RATE = 1.0, 1024
    stuck, steady, idle = connect(), connect(), connect()

    def go_on() -> None:
        steady.fill()
        steady.client.recv(65536)

    stuck.fill()
    look_until(SlowClients(seats=4), lambda: not stuck.is_open(), meanwhile=go_on)
    assert steady.is_open() and idle.is_open()


def test_where_all_seats_are_taken_readers_who_stall_are_ended_sooner(connect, settings, monkeypatch):
    settings.SEND_PATIENCE = 600
    monkeypatch.setattr(slow_clients, "CROWDED_PATIENCE", 0.5)
    stuck, clients = connect(), SlowClients(seats=1)
    stuck.fill()
    for _ in range(8):
        clients.look()
        time.sleep(0.1)
    assert stuck.is_open()
    assert clients.begin_stream()
    assert not clients.begin_stream()
    look_until(clients, lambda: not stuck.is_open(), meanwhile=lambda: None)


def test_of_several_connections_the_one_whose_body_is_overdue_is_ended(connect, settings):
    silent, quick, long_call = connect(), connect(), connect()
    clients = SlowClients(seats=4)
    overdue = Body(io.BytesIO(), 2000, silent, when_read=lambda: None)
    overdue.waits_since = time.monotonic() - 1
    in_time = Body(io.BytesIO(), 2000, quick, when_read=lambda: None)
    in_time.waits_since = time.monotonic()
    settings.BODY_PATIENCE = 0.9
    assert clients.admit(overdue) and clients.admit(in_time)
    clients.look()
    assert (silent.is_open(), quick.is_open(), long_call.is_open()) == (False, True, True)


def test_a_sender_who_keeps_to_the_least_rate_is_not_overdue_however_long_it_takes(settings):
    settings.LEAST_RATE = 1000
    body = Body(io.BytesIO(), 8 << 20, None, when_read=lambda: None)
    body.waited, body.received, body.waits_since = 600, 600_000, time.monotonic()
    assert not body.is_overdue(10)
    body.received = 500_000
    assert body.is_overdue(10)


def test_idle_connections_end_when_nearly_all_places_are_taken(connect, settings, monkeypatch):
    monkeypatch.setattr(slow_clients, "CROWDED_PATIENCE", 0.2)
    settings.WEB_CONNECTIONS = 5
    idle, asking = [connect() for _ in range(3)], connect()
    clients = SlowClients(seats=4)
    time.sleep(0.3)
    clients.look()
    assert not any(each.is_open() for each in idle)
    asking = connect()
    settings.WEB_CONNECTIONS = 1
    asking.client.sendall(b"GET / HTTP/1.1\r\n\r\n")
    time.sleep(0.3)
    clients.look()
    assert asking.is_open()  # its answer is still to come


def body_of(content: bytes, length: int | None = None) -> Body:
    return Body(io.BytesIO(content), length, None, when_read=lambda: None)


def test_a_body_is_read_whole_by_size_and_by_line():
    content = b"first line\n" + b"x" * 20_000 + b"\nlast"
    assert body_of(content, len(content)).read() == content
    body = body_of(content)
    assert (body.read(5), body.readline(), body.read(20_001)) == (b"first", b" line\n", b"x" * 20_000 + b"\n")
    assert (body.read(), body.read(1)) == (b"last", b"")
    assert list(body_of(content)) == [b"first line\n", b"x" * 20_000 + b"\n", b"last"]


def test_a_body_that_breaks_off_is_never_taken_for_a_whole_one():
    with pytest.raises(CutShort):
        body_of(b"slug=sho", 12).read()
