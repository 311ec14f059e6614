"""Where a server of a test can listen."""

from __future__ import annotations

import fcntl
import os
import secrets
import socket
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

#: Below those that an outgoing connection is given (Linux: 32768, macOS: 49152): it could have one before its server
#: binds it. Above those that browsers refuse.
PORTS = range(20_000, 32_000)
#: Those of this process, whose locks do not hinder itself.
own: set[int] = set()


@cache
def given() -> IO[bytes]:
    """A file of which each process locks the bytes whose numbers are its ports, until it ends. In one place for all of
    them, whatever their TMPDIR.
    """
    return Path(f"/tmp/capsules-ports-{os.getuid()}").open("ab")  # noqa: S108 - its name is its owner's


def free_port() -> int:
    """At which nobody listens now, and which was given to nobody in the tests: its server may begin later."""
    while True:
        with socket.socket() as probe, suppress(OSError):
            port = secrets.choice([each for each in PORTS if each not in own])
            fcntl.lockf(given(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
            probe.bind(("127.0.0.1", port))
            own.add(port)
            return port
