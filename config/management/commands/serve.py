"""`manage.py serve`: the whole embedded service under one supervisor: web server, MCP server, worker and timer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config import static
from config.processes import die_with_parent
from config.web_server import FOR_THIS_MACHINE, is_loopback, listen

WEB = "web"
MCP = "MCP"
WORKER = "worker"
RESTART_PAUSE = 1.0  # seconds
PORT_PATIENCE = 2.0  # seconds for a service that is stopping to let go of its port
KILL_AFTER = 5.0  # seconds that a child gets to end itself once STOP_PATIENCE is over


def web_command(host: str) -> list[str]:
    return [sys.executable, "-m", "config.web_server", "--host", host]


def mcp_command(host: str) -> list[str]:
    return [sys.executable, "-m", "config.mcp_server", "--host", host]


def worker_command() -> list[str]:
    return [
        sys.executable,
        *["-m", "celery", "-q", "-A", "config", "worker", "-B", "-P", "threads"],
        *["--loglevel", "WARNING", "--without-gossip", "--without-mingle"],
    ]


def check_port(name: str, port: int, host: str) -> None:
    """Raises CommandError where another program holds this port."""
    deadline = time.monotonic() + PORT_PATIENCE
    while True:
        try:
            listen(host, port).close()
            return
        except OSError as error:
            if time.monotonic() > deadline:
                why = os.strerror(error.errno or 0)
                raise CommandError(
                    f"Cannot listen at {host}, port {port}: {why}. Another program may use it: end that, or write "
                    f"another port to the file .env: {name}={port + 455}"
                ) from error
            time.sleep(0.2)


class Command(BaseCommand):
    help = (
        "Runs web server, MCP server, worker and timer until Ctrl-C. With --demo it brings the demo content."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--demo", action="store_true", help="bring the demo content and print its links")

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.DEVELOPMENT and not is_loopback(options["host"]):
            raise CommandError(FOR_THIS_MACHINE)
        check_port("PORT", settings.PORT, options["host"])
        if settings.MCP_PORT:
            check_port("MCP_PORT", settings.MCP_PORT, options["host"])
        signal.signal(signal.SIGTERM, self.stop)
        signal.signal(signal.SIGINT, self.stop)
        self.stdout.write(
            "Preparing the database and the static files: a minute at first, then a few seconds."
        )
        sys.stdout.flush()
        call_command("migrate", verbosity=0)
        static.collect()
        commands = {WEB: web_command(options["host"]), WORKER: worker_command()}
        if settings.MCP_PORT:
            commands[MCP] = mcp_command(options["host"])
        self.children = {name: self.start(command) for name, command in commands.items()}
        demo = self.start([sys.executable, "manage.py", "demo"]) if options["demo"] else None
        self.stdout.write(f"Capsules is running at {settings.APP_URL} (Ctrl-C stops it)")
        if settings.MCP_PORT:
            self.stdout.write(f"AI apps connect to {settings.MCP_URL}")
        if not settings.EMAIL_URL:
            self.stdout.write(
                f"No mail is sent: without EMAIL_URL every message is a file in {settings.OUTBOX_DIR}"
            )
        sys.stdout.flush()  # into a log file, too, before it stops
        try:
            self.supervise(commands)
        finally:
            self.stop_all([*self.children.values(), *([demo] if demo else [])])

    def start(self, command: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603
            command,
            cwd=settings.BASE_DIR,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": settings.SETTINGS_MODULE},
            preexec_fn=die_with_parent,
            start_new_session=True,  # Ctrl-C reaches the supervisor alone, which stops the others in order
        )

    def supervise(self, commands: dict[str, list[str]]) -> None:
        """Starts again whatever stops."""
        while True:
            time.sleep(RESTART_PAUSE)
            for name, child in self.children.items():
                if child.poll() is not None:
                    self.stderr.write(f"The {name} process stopped ({child.returncode}); starting it again.")
                    self.children[name] = self.start(commands[name])

    def stop(self, signum: int, frame: FrameType | None) -> None:
        raise SystemExit(0)

    def stop_all(self, children: list[subprocess.Popen[bytes]]) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for child in children:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGTERM)
        deadline = time.monotonic() + settings.STOP_PATIENCE + KILL_AFTER
        for child in children:
            try:
                child.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
