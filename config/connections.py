"""The connections of this process's clients, as the kernel sees them: what went out, what still waits to, what came in.

Granian gives an application no access to a connection. The kernel lists the sockets of a process under /proc, and tells
of each how many bytes the other side has taken. That is what decides whether a client is too slow.
"""

from __future__ import annotations

import fcntl
import os
import socket
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

SOCKETS = "/proc/self/fd"
SIOCOUTQ = 0x5411  # linux/sockios.h: bytes that the other side has not taken yet
#: linux/tcp.h, struct tcp_info: where last_data_sent, last_data_recv (milliseconds ago), bytes_acked and bytes_received
#: are in it. The fields have kept their places since Linux 4.1.
SENT_AGE, RECEIVED_AGE, ACKED, RECEIVED = 44, 52, 120, 128
SIZE = 136
SUPPORTED = sys.platform == "linux"


@dataclass(frozen=True)
class Connection:
    """One look at one client's connection."""

    fd: int
    peer: tuple[str, int]
    taken: int  # bytes that the client has taken so far
    waiting: int  # bytes that it has yet to take
    idle: float  # seconds since it was last sent anything or sent anything itself
    is_answered: bool  # it has sent nothing since the last answer

    @property
    def written(self) -> int:
        """Bytes that the server has written to it."""
        return self.taken + self.waiting


def clients(port: int) -> Iterator[Connection]:
    """Every connection that clients of `port` have to this process."""
    for name in os.listdir(SOCKETS):  # noqa: PTH208 - numbers, not paths
        with opened(int(name)) as connection:
            if connection is not None and is_client(connection, port):
                try:
                    yield look(int(name), connection)
                except OSError:  # closed meanwhile
                    continue


def end(fd: int, peer: tuple[str, int], *, drop: bool = False) -> bool:
    """Closes a client's connection in both directions; False where it is gone, or its number another's by now.

    With `drop`, what the client has not taken yet is thrown away: the kernel would keep it for minutes.
    """
    with opened(fd) as connection:
        try:
            if connection is None or connection.getpeername()[:2] != peer:
                return False
            if drop:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return False
    return True


@contextmanager
def opened(fd: int) -> Iterator[socket.socket | None]:
    """A second handle to a socket, so that its number cannot become another's meanwhile; None for other files."""
    try:
        copy = os.dup(fd) if is_socket(fd) else None
    except OSError:  # closed meanwhile
        copy = None
    # Closing any handle to a file drops every lock that the process has on it (POSIX), and of the database's file these
    # keep its writers apart. So only sockets are copied, and a copy that is of a file after all, because the number
    # changed hands in this very moment, stays open.
    if copy is None or not is_socket(copy):
        yield None
        return
    with closing(socket.socket(fileno=copy)) as connection:
        yield connection


def is_socket(fd: int) -> bool:
    """Raises OSError where it is closed."""
    return stat.S_ISSOCK(os.fstat(fd).st_mode)


def is_client(connection: socket.socket, port: int) -> bool:
    """Whether this is a connection to our port, rather than one of ours to the database, or the listening socket."""
    try:
        if (
            connection.family not in (socket.AF_INET, socket.AF_INET6)
            or connection.type != socket.SOCK_STREAM
        ):
            return False
        return bool(connection.getsockname()[1] == port and connection.getpeername())
    except OSError:
        return False


def look(fd: int, connection: socket.socket) -> Connection:
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, SIZE)
    sent, received = (struct.unpack_from("I", info, place)[0] for place in (SENT_AGE, RECEIVED_AGE))
    taken, had = (struct.unpack_from("Q", info, place)[0] for place in (ACKED, RECEIVED))
    waiting = struct.unpack("i", fcntl.ioctl(connection.fileno(), SIOCOUTQ, b"\0" * 4))[0]
    host, number = connection.getpeername()[:2]
    return Connection(
        fd=fd,
        peer=(host, number),
        taken=taken,
        waiting=waiting,
        idle=min(sent, received) / 1000,
        is_answered=not had or sent <= received,
    )
