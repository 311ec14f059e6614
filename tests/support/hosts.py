"""Machines of one service: each has a folder and processes of its own, and shares database, Redis and bucket."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import redis

from tests.support import migrated
from tests.support.ports import free_port
from tests.support.running import ROOT, Service, collected

#: As deploy/systemd runs them.
COMMANDS = {
    "web": ["-m", "config.web_server"],
    "worker": [
        *["-m", "celery", "-A", "config", "worker", "-P", "threads"],
        *["--without-gossip", "--without-mingle"],
    ],
    "timer": ["-m", "celery", "-A", "config", "beat"],
}


class Host(Service):
    """One machine. `children` are its processes by role."""

    def __init__(self, folder: Path, shared: dict[str, str], port: int = 0) -> None:
        port = port or free_port()
        super().__init__({**shared, "DATA_DIR": str(folder), "PORT": str(port)}, port)
        self.folder = folder
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.log = folder.with_suffix(".log")

    def set_up(self) -> None:
        """Its disk, with the static files of the release alone."""
        self.folder.mkdir()
        (self.folder / "static").symlink_to(collected())

    def run(self, *roles: str, program: str = "", **env: str) -> None:
        """Starts these processes, or this program in their place; a web server answers when this returns."""
        for role in roles:
            with self.log.open("ab") as out:
                command = [sys.executable, *(["-c", program] if program else COMMANDS[role])]
                self.children[role] = subprocess.Popen(
                    command, cwd=ROOT, env={**self.env, **env}, stdout=out, stderr=out
                )
        if "web" in roles:
            within(120, self.answers, f"no answer of the web server: {self.log.read_text()[-2000:]}")

    def answers(self) -> bool:
        with suppress(OSError):
            return self.call("GET", "/api/v2/health", timeout=5).status == 200
        return False

    def manage(self, *words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(
            command, cwd=ROOT, env=self.env, check=True, capture_output=True, text=True, timeout=300
        ).stdout

    def seed(self, stories: int) -> dict[str, Any]:
        """Fills the empty database (tests.support.seed)."""
        if "DATABASE_URL" not in self.env:
            shutil.copy(migrated.file(), self.folder / "capsules.sqlite3")
        seed = [sys.executable, "-m", "tests.support.seed", str(stories)]
        done = subprocess.run(
            seed, cwd=ROOT, env=self.env, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        self.seeded = json.loads(done.stdout)
        return self.seeded

    def end(self, *roles: str, patience: float = 60) -> None:
        """SIGTERM to these processes (to all without a role), and waits until they are gone."""
        ended = [self.children.pop(role) for role in roles or list(self.children)]
        for process in ended:
            process.send_signal(signal.SIGTERM)
        for process in ended:
            try:
                process.wait(patience)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def lose_everything(self) -> None:
        """Its processes are killed and its disk is empty."""
        self.kill()
        for process in self.children.values():
            process.wait()
        self.children.clear()
        shutil.rmtree(self.folder)
        self.set_up()


@contextmanager
def host(folder: Path, shared: dict[str, str]) -> Iterator[Host]:
    machine = Host(folder, shared)
    machine.set_up()
    try:
        yield machine
    finally:
        with suppress(Exception):
            machine.end(patience=10)
        machine.kill()


class Redis:
    """A Redis server of its own, which may stop and hang."""

    def __init__(self, port: int = 0) -> None:
        self.port = port or free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(
            ["redis-server", *options], cwd=tempfile.gettempdir(), stdout=subprocess.DEVNULL
        )
        with redis.Redis.from_url(self.url) as client:
            within(20, lambda: quietly(client.ping), "Redis does not start")

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def freeze(self) -> None:
        assert self.process
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process
        self.process.send_signal(signal.SIGCONT)


@contextmanager
def redis_server(port: int = 0) -> Iterator[Redis]:
    server = Redis(port)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def quietly(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except (OSError, redis.RedisError):
        return None


def within(seconds: float, outcome: Callable[[], Any], otherwise: str = "", every: float = 0.1) -> float:
    """How many seconds it took until `outcome` was true; raises AssertionError where it takes too long."""
    began = time.monotonic()
    while not outcome():
        assert time.monotonic() - began < seconds, otherwise or f"not within {seconds} s"
        time.sleep(every)
    return time.monotonic() - began
