"""The real service in its own processes, on a database of its own, for tests that kill it or speak raw HTTP to it."""

from __future__ import annotations

import fcntl
import http.client
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from email.message import Message
from functools import cache
from pathlib import Path
from typing import Any

import environ
import jwt
import psycopg
import redis
from django.apps import apps

from tests.support import migrated
from tests.support.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
SEEDED_BY = {"APP_URL", "BASE_URL", "DATABASE_URL", "SECRET_KEY", "STORAGE_URL"}  # what seeds depend on
A_FEW = 3  # stories
WHOLE = ("manage.py", "serve")
WEB = ("-m", "config.web_server")  # alone, without a worker
START = 180  # seconds the service may take to answer, on a machine that has much else to do

DATABASE = environ.Env.db_url_config(os.environ["DATABASE_URL"]) if os.environ.get("DATABASE_URL") else None


@dataclass
class Answer:
    status: int
    headers: Message  # whose names may be written in any case
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Service:
    """A running service; `seeded` is what tests.support.seed made in it."""

    env: dict[str, str]
    port: int
    seeded: dict[str, Any] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    program: tuple[str, ...] = WHOLE

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, *under: str) -> None:
        """`under`: a command that runs another one, as `nice`."""
        log = Path(self.env["DATA_DIR"], "service.log")
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                [*under, sys.executable, *self.program],
                cwd=ROOT,
                env=self.env,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        deadline = time.monotonic() + START
        while time.monotonic() < deadline and self.process.poll() is None:
            with suppress(OSError):
                if self.call("GET", "/api/v2/health").status == 200 and self.mcp_listens():
                    return
            time.sleep(0.1)
        raise AssertionError(f"The service did not start: {log.read_text()[-2000:]}")

    def mcp_listens(self) -> bool:
        """Whether the MCP server, a process of its own, takes connections too where there is one."""
        if port := int(self.env.get("MCP_PORT", "0")):
            socket.create_connection(("127.0.0.1", port), timeout=10).close()
        return True

    def processes(self) -> dict[int, str]:
        """Names and command lines of all processes of this service, by pid: DATA_DIR is in their environment."""
        mark = f"DATA_DIR={self.env['DATA_DIR']}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    found[int(folder.name)] = f"{(folder / 'comm').read_text()} {command}"
        return found

    def kill(self, what: str = "") -> int:
        """kill -9 of every process whose command line contains `what`; returns how many."""
        victims = [pid for pid, command in self.processes().items() if what in command]
        for pid in victims:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return len(victims)

    def stop(self) -> None:
        self.kill()
        if self.process is not None:
            self.process.wait(10)

    def call(
        self, method: str, path: str, body: Any = None, *, timeout: float = 60, **headers: str
    ) -> Answer:
        """The service's answer; a ConnectionError where it died in the middle of one."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return Answer(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.headers, error.read())
        except http.client.HTTPException as error:
            raise ConnectionError from error

    def publication(self, method: str, story: str, body: Any = None, **options: Any) -> Answer:
        path = f"/api/v2/stories/{story}/publication"
        neighbour = self.seeded["neighbour"]
        token = neighbour["token"] if story == neighbour["story"] else self.seeded["token"]
        return self.call(method, path, body, Authorization=f"Bearer {token}", **options)

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """What its database answers, whether it runs or not."""
        if DATABASE:
            return postgres(statement, self.env["DATABASE_URL"].rpartition("/")[2])
        with closing(sqlite3.connect(Path(self.env["DATA_DIR"], "capsules.sqlite3"))) as database, database:
            return database.execute(statement).fetchall()

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Somebody else writes for long: on SQLite nobody can meanwhile, on PostgreSQL no views are counted."""
        if DATABASE:
            with psycopg.connect(self.env["DATABASE_URL"]) as held:
                held.execute("LOCK TABLE publishing_viewcount")
                yield
            return
        with closing(
            sqlite3.connect(Path(self.env["DATA_DIR"], "capsules.sqlite3"), isolation_level=None)
        ) as held:
            held.execute("BEGIN IMMEDIATE")
            yield

    def raw(self, data: bytes, *, half_close: bool = False) -> bytes:
        """What the server answers to these bytes on one connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(data)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            with suppress(OSError):
                while chunk := connection.recv(65536):
                    answer += chunk
            return answer


@cache
def collected() -> Path:
    """The static files of this checkout as `serve` collects them, made once for each state of them."""
    data = ROOT / ".data" / "tests"
    data.mkdir(parents=True, exist_ok=True)
    if apps.ready:  # to start Django once more would take half as long as to collect them
        from django.test import override_settings

        from config.static import collect_static

        with override_settings(STATIC_ROOT=data / "static"):
            collect_static()
    else:
        env = {**os.environ, "DATA_DIR": str(data), "DATABASE_URL": "", "REDIS_URL": "", "DEBUG": "true"}
        env["DJANGO_SETTINGS_MODULE"] = "config.settings"
        subprocess.run([sys.executable, "-m", "config.static"], cwd=ROOT, env=env, check=True, timeout=300)
    return data / "static"


def seed(stories: int, env: dict[str, str], *options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.support.seed", str(stories), *options]
    seeded = subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, timeout=300)
    return dict(json.loads(seeded.stdout))


def copied_seed(stories: int, folder: Path, url: str) -> dict[str, Any]:
    """Fills DATA_DIR with a copy of what was seeded once for the whole run, database and media; with more stories than
    it was asked for where others ask for a few more.
    """
    made = Path(os.environ["SHARED_FOLDER"], f"seeded-{max(stories, A_FEW)}")
    made.mkdir(exist_ok=True)
    with (made / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (made / "seeded.json").exists():
            shutil.copy(migrated.file(), made / "capsules.sqlite3")
            env = {**os.environ, "DATA_DIR": str(made), "DATABASE_URL": "", "REDIS_URL": "", "PORT": "1"}
            seeded = seed(max(stories, A_FEW), env, "--clip", "--before", str(made / "before.sqlite3"))
            (made / "seeded.json").write_text(json.dumps(seeded))
    shutil.copy(made / ("capsules.sqlite3" if stories else "before.sqlite3"), folder / "capsules.sqlite3")
    shutil.copytree(made / "media", folder / "media")
    seeded = json.loads((made / "seeded.json").read_text())
    if not stories:
        seeded["stories"] = []
    for whose in (seeded, seeded["neighbour"]):
        whose["token"] = token_at(url, whose["token"])
    return seeded


def token_at(url: str, token: str) -> str:
    """The same token, as a service at this address would have issued it."""
    from accounts import tokens

    key = tokens.keys()[0]
    claims = jwt.decode(token, options={"verify_signature": False})
    claims |= {"iss": url, "aud": claims["aud"].replace(claims["iss"], url)}
    headers = {"typ": tokens.TYPE, "kid": key.id}
    return jwt.encode(claims, key.private, algorithm=tokens.ALGORITHM, headers=headers)


@contextmanager
def service(
    folder: Path,
    *,
    stories: int | None,
    start: bool = True,
    program: tuple[str, ...] = WHOLE,
    **env: str,
) -> Iterator[Service]:
    """A service with its own data in `folder` and, where the environment names them, in PostgreSQL and Redis.

    With `stories` None its database is empty.
    """
    (folder / "static").symlink_to(collected())
    port = free_port()
    name = f"capsules_service_{port}"
    own = {
        "DATA_DIR": str(folder),
        "REDIS_PREFIX": f"{name}:",
        "PORT": str(port),
        "DEBUG": "true",
        "RATE_READ": "100000",
        "RATE_WRITE": "100000",
        "MCP_PORT": "0",
        "SPT_NOENV": "1",  # where setproctitle is installed, it would write over the environment that `processes` reads
    }
    if DATABASE:
        postgres(f'CREATE DATABASE "{name}" TEMPLATE "{migrated.database(os.environ["DATABASE_URL"])}"')
        base = os.environ["DATABASE_URL"].rsplit("/", 1)[0]
        own |= {"DATABASE_URL": f"{base}/{name}", "DATABASE_POOL": "8", "WEB_PROCESSES": "1"}
    elif "DATABASE_URL" not in env:
        shutil.copy(migrated.file(), folder / "capsules.sqlite3")
    running = Service({**os.environ, **own, **env}, port, program=program)
    try:
        if stories is not None:
            # A copy's tokens are signed anew, for which a drill has no Django.
            is_own = DATABASE or not apps.ready or SEEDED_BY & env.keys()
            running.seeded = (
                seed(stories, running.env) if is_own else copied_seed(stories, folder, running.url)
            )
        if start:
            running.start()
        yield running
    finally:
        running.stop()
        if DATABASE:
            postgres(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        forget_redis(f"{name}:")


def postgres(statement: str, name: str = "postgres") -> list[tuple[Any, ...]]:
    import psycopg

    assert DATABASE
    address = {"host": DATABASE["HOST"], "port": DATABASE["PORT"] or 5432, "user": DATABASE["USER"]}
    with psycopg.connect(
        **address, password=DATABASE["PASSWORD"], dbname=name, autocommit=True
    ) as connection:
        answer = connection.execute(statement)  # type: ignore[arg-type]
        return answer.fetchall() if answer.description else []


def forget_redis(prefix: str) -> None:
    """Deletes what somebody kept in Redis under this prefix."""
    if url := os.environ.get("REDIS_URL"):
        with redis.Redis.from_url(url) as client:
            for key in client.scan_iter(f"{prefix}*", count=1000):
                client.delete(key)
