"""Where a server of a test can listen."""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress

#: Below those that an outgoing connection is given (Linux: 32768, macOS: 49152): it could have one before its server
#: binds it. Above those that browsers refuse.
PORTS = range(20_000, 32_000)


def free_port() -> int:
    """At which nobody listens now."""
    while True:
        with socket.socket() as probe, suppress(OSError):
            port = secrets.choice(PORTS)
            probe.bind(("127.0.0.1", port))
            return port
