"""A PostgreSQL server for one test alone, which may stop, hang and be full."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg

from tests.support.ports import free_port

CONNECTIONS = 24


def binaries() -> Path | None:
    """The folder of initdb and pg_ctl, where PostgreSQL's server is installed."""
    if found := shutil.which("initdb"):
        return Path(found).parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return folders[-1] if folders else None


class Cluster:
    """A database cluster in a folder of its own. As root it runs as the user postgres, who may not be root."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port
        self.log = folder / "log"
        self.crowd: list[psycopg.Connection] = []

    @property
    def url(self) -> str:
        """The address for the service, which is not a superuser."""
        return f"postgres://capsules@127.0.0.1:{self.port}"

    def as_superuser(self) -> psycopg.Connection:
        return psycopg.connect(f"postgres://postgres@127.0.0.1:{self.port}/postgres", autocommit=True)

    def run(self, program: str, *arguments: str) -> None:
        bin = binaries()
        assert bin
        user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        subprocess.run(
            [*user, str(bin / program), *arguments],
            check=True,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def make(self) -> None:
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
            self.folder.chmod(0o755)
        self.run("initdb", "-D", f"{self.folder}/data", "-U", "postgres", "-A", "trust", "--no-sync")
        with (self.folder / "data/postgresql.conf").open("a") as file:
            file.write(
                f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n"
                f"max_connections = {CONNECTIONS}\nfsync = off\n"
            )

    def start(self) -> None:
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-l", str(self.log), "-w", "start")

    def stop(self) -> None:
        with suppress(subprocess.CalledProcessError):
            self.run("pg_ctl", "-D", f"{self.folder}/data", "-m", "fast", "-w", "stop")

    def restart(self) -> None:
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-l", str(self.log), "-m", "fast", "-w", "restart")

    def processes(self) -> list[int]:
        server = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
        return [server, *map(int, children)]

    def freeze(self) -> None:
        for pid in self.processes():
            os.kill(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        for pid in self.processes():
            os.kill(pid, signal.SIGCONT)

    def fill(self) -> None:
        """Takes every connection there is, also those that others have."""
        with self.as_superuser() as first:
            first.execute("ALTER ROLE capsules CONNECTION LIMIT 0")
            first.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'capsules'")
            with suppress(psycopg.OperationalError):
                while True:
                    self.crowd.append(self.as_superuser())
            first.execute("ALTER ROLE capsules CONNECTION LIMIT -1")

    def empty(self) -> None:
        for connection in self.crowd:
            connection.close()
        self.crowd.clear()


@contextmanager
def cluster(port: int = 0) -> Iterator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix="capsules-postgres-"))
    made = Cluster(folder, port or free_port())
    try:
        made.make()
        made.start()
        with made.as_superuser() as superuser:
            superuser.execute("CREATE ROLE capsules LOGIN CREATEDB")
        yield made
    finally:
        made.empty()
        with suppress(OSError):
            made.thaw()
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)
