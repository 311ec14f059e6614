"""Looking at the sockets of the process leaves everything else of it alone."""

from __future__ import annotations

import fcntl
import subprocess
import sys

import pytest

from config import connections

TAKE = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB)"


@pytest.mark.skipif(not connections.SUPPORTED, reason="only Linux lists sockets under /proc")
def test_a_look_at_the_sockets_drops_no_lock_on_a_file(tmp_path):
    """Else two processes write into one SQLite database at once and break it."""
    path = tmp_path / "database"
    path.write_bytes(b"\0" * 16)
    with path.open("r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        list(connections.clients(port=1))
        assert connections.end(file.fileno(), ("127.0.0.1", 1)) is False
        other = subprocess.run([sys.executable, "-c", TAKE, str(path)], capture_output=True)
    assert b"BlockingIOError" in other.stderr, "another process got the lock"
