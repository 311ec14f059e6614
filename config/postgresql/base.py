"""Connections to PostgreSQL that never wait for a server that is away, and a pool that says so at once.

Three things happen to a database server: it is stopped (connections are refused), it hangs (connections are made
by the kernel and nobody answers), or it takes no more connections. A call to it is ended after PATIENCE seconds
of silence, but only when the server does not answer a stranger either: a slow statement is not an outage.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Generator
from typing import Any

import psycopg
from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool, PoolTimeout

from config import outage

PATIENCE = 0.8  # seconds of silence before the server is asked whether it is there, and for its answer
KNOWN_FOR = 1.0  # seconds for which an answer counts
STEP = 0.5  # seconds between two looks while a connection from the pool is awaited
SSL_REQUEST = bytes.fromhex("0000000804d2162f")  # which every server answers with one byte, before any login


class DatabaseAway(psycopg.OperationalError):
    """The server does not answer."""


class Server:
    """Whether the database server answers, as this process last saw it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.address: tuple[str, int] | None = (
            None  # known from the first connection on; None: nobody can be asked
        )
        self.asked_at = 0.0
        self.answered = True
        self.refused_at = 0.0  # when a connection could not be made

    def answers(self) -> bool:
        """Asks it, unless somebody did a moment ago."""
        with self.lock:
            if self.address and time.monotonic() - self.asked_at > KNOWN_FOR:
                self.answered = ask(self.address)
                self.asked_at = time.monotonic()
            return self.answered

    def is_away(self) -> bool:
        """Whether it was away when last asked. While it is, one caller a second asks again, and no other waits."""
        if self.answered or self.lock.locked():
            return not self.answered
        return not self.answers()


server = Server()


def ask(address: tuple[str, int]) -> bool:
    """Whether something that speaks PostgreSQL answers there within PATIENCE."""
    host, port = address
    try:
        if host.startswith("/"):
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(PATIENCE)
            connection.connect(f"{host}/.s.PGSQL.{port}")
        else:
            connection = socket.create_connection((host, port), timeout=PATIENCE)
        with connection:
            connection.settimeout(PATIENCE)
            connection.sendall(SSL_REQUEST)
            return bool(connection.recv(1))
    except OSError:
        return False


class Connection(psycopg.Connection[Any]):
    """A connection whose calls end when the server hangs."""

    @classmethod
    def connect(cls, conninfo: str = "", **kwargs: Any) -> Connection:
        try:
            made = super().connect(conninfo, **kwargs)
        except psycopg.Error:
            server.refused_at = time.monotonic()
            raise
        if "," not in str(kwargs.get("host", "")):  # of several hosts the next may be well
            server.address = made.info.hostaddr or made.info.host, made.info.port
        return made

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        return super().wait(self.with_patience(gen), interval=interval, timeout=timeout)

    def with_patience(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Passes everything through; psycopg wakes it with nothing every `interval` while the server is silent."""
        silent_since = None
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                now = time.monotonic()
                if ready:
                    silent_since = None
                elif silent_since is None:
                    silent_since = now
                elif now - silent_since > PATIENCE and not server.answers():
                    self.pgconn.finish()
                    raise DatabaseAway("the server stopped answering in the middle of a call")
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value


class Pool(ConnectionPool[Connection]):
    """Hands out connections that were just tried. Raises at once while the server is known to be away."""

    def getconn(self, timeout: float | None = None) -> Connection:
        if server.is_away():
            raise self.away("it did not answer a moment ago")
        began = time.monotonic()
        while True:
            try:
                connection = super().getconn(STEP)
            except PoolTimeout:
                if server.refused_at > began:
                    raise self.away("it takes no new connections") from None
                if not server.answers():
                    raise self.away("it is silent or gone") from None
                if time.monotonic() - began > self.timeout:
                    raise  # it is there: all connections are in use
                continue
            if self.is_alive(connection):
                outage.database.works()
                return connection
            if server.is_away():
                raise self.away("it does not answer")

    def is_alive(self, connection: Connection) -> bool:
        """Whether a connection still works; one that does not is replaced."""
        try:
            self.check_connection(connection)
        except psycopg.Error:
            self.putconn(connection)
            return False
        return True

    def away(self, reason: str) -> DatabaseAway:
        outage.database.failed(reason)
        return DatabaseAway(f"the database server is away: {reason}")


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, with this pool in place of the library's."""

    _connection_pools: dict[str, Any] = {}

    @property
    def pool(self) -> Pool | None:
        options = self.settings_dict["OPTIONS"].get("pool")
        if self.alias == NO_DB_ALIAS or not options:
            return None
        pools = self._connection_pools
        if self.alias not in pools:
            made = Pool(
                kwargs={**self.get_connection_params(), "autocommit": True},
                connection_class=Connection,
                open=False,
                configure=self._configure_connection,  # type: ignore[attr-defined]
                **options,
            )
            pools.setdefault(self.alias, made)
        return pools[self.alias]

    @property
    def made_pool(self) -> Pool | None:
        """The pool, if there is one already: who only looks at it makes none."""
        return self._connection_pools.get(self.alias)
