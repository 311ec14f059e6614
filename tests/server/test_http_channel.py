"""What waitress does with one connection, a step of its loop at a time."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from waitress import create_server, wasyncore

from config.http_channel import Channel

REQUEST = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


class Loop:
    """A server whose loop turns when it is told to."""

    def __init__(self, listening: socket.socket) -> None:
        self.connections: dict[int, Any] = {}
        self.address = listening.getsockname()
        self.server: Any = create_server(
            says_hello, map=self.connections, sockets=[listening], threads=1, asyncore_use_poll=True
        )
        self.server.channel_class = Channel

    def turn(self) -> None:
        wasyncore.loop(1, use_poll=True, map=self.connections, count=1)

    def asked(self) -> socket.socket:
        """A client that has connected and sent a request."""
        client = socket.create_connection(self.address, timeout=30)
        client.sendall(REQUEST)
        return client

    def until_answered(self, client: socket.socket) -> bytes:
        """Turns until the answer, or the end, has come."""
        client.setblocking(False)
        for _ in range(30):
            self.turn()
            try:
                return client.recv(4096)
            except BlockingIOError:
                continue
        raise AssertionError("No answer came.")


def says_hello(environ: Any, start_response: Any) -> list[bytes]:
    start_response("200 OK", [("Content-Length", "5")])
    return [b"hello"]


@pytest.fixture
def loop() -> Iterator[Loop]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        loop = Loop(listening)
        yield loop
        loop.server.task_dispatcher.shutdown()
        for connection in list(loop.connections.values()):
            connection.close()


def test_who_connects_while_a_silent_connection_is_closed_is_answered(loop):
    """The system gives the number of the one that was closed to the one that comes, in the same turn of the loop."""
    with loop.asked() as silent:
        assert loop.until_answered(silent).endswith(b"hello")
        (old,) = loop.server.active_channels.values()
        number = old.socket.fileno()
        old.last_activity -= 1000
        loop.server.next_channel_cleanup = 0
        with loop.asked() as stranger:
            loop.turn()
            (new,) = loop.server.active_channels.values()
            assert new is not old
            assert new.socket.fileno() == number, "else this shows nothing"
            assert loop.until_answered(stranger).endswith(b"hello")
