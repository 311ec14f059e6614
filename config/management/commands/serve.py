"""`manage.py serve`: the whole embedded service under one supervisor: web server, MCP server, worker and timer."""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config import mcp_server, static, web_server
from config.database import close_connection
from config.processes import TOLD_BY, Fork, call_process, load
from config.web_server import FOR_THIS_MACHINE, is_loopback, listen

WEB = "web"
MCP = "MCP"
WORKER = "worker"
RESTART_PAUSE = 1.0  # seconds
PORT_PATIENCE = 2.0  # seconds for a service that is stopping to let go of its port
KILL_AFTER = 8.0  # seconds that a child gets to end itself once STOP_PATIENCE is over


def run_worker() -> None:
    from celery.exceptions import SecurityWarning

    from config.celery import app

    if settings.DEVELOPMENT:  # who tries it out as root, as in a container, has nothing to do about it
        warnings.simplefilter("ignore", SecurityWarning)
    # What is in a worker asks the command line for -B.
    sys.argv = ["celery", "-q", "worker", "-B", "-P", "threads"]
    sys.argv += ["--loglevel", "WARNING", "--without-gossip", "--without-mingle"]
    call_process("celery")
    app.worker_main(sys.argv[1:])


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

    def handle(self, *args: object, **options: Any) -> None:
        if settings.DEVELOPMENT and not is_loopback(options["host"]):
            raise CommandError(FOR_THIS_MACHINE)
        check_port("PORT", settings.PORT, options["host"])
        if settings.MCP_PORT:
            check_port("MCP_PORT", settings.MCP_PORT, options["host"])
        self.children: dict[str, Fork] = {}
        signal.signal(signal.SIGTERM, self.stop)
        signal.signal(signal.SIGINT, self.stop)
        self.stdout.write(
            "Preparing the database and the static files: a minute at first, then a few seconds."
        )
        sys.stdout.flush()
        call_command("migrate", verbosity=0)
        static.collect_static()
        load()
        close_connection()
        host = options["host"]
        roles: dict[str, Callable[[], object]] = {WEB: partial(web_server.run, host), WORKER: run_worker}
        if settings.MCP_PORT:
            roles[MCP] = partial(mcp_server.run, host)
        try:
            for name, role in roles.items():
                self.start(name, role)
            if options["demo"]:
                self.start("demo", partial(call_command, "demo"))
            self.tell_where()
            self.supervise(roles)
        finally:
            self.stop_all()

    def start(self, name: str, role: Callable[[], object]) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, TOLD_BY)  # so that none comes between the fork and its note
        self.children[name] = Fork(role)
        self.children[name].start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, TOLD_BY)

    def tell_where(self) -> None:
        self.stdout.write(f"Capsules is running at {settings.APP_URL} (Ctrl-C stops it)")
        if settings.MCP_PORT:
            self.stdout.write(f"AI apps connect to {settings.MCP_URL}")
        if not settings.EMAIL_URL:
            self.stdout.write(
                f"No mail is sent: without EMAIL_URL every message is a file in {settings.OUTBOX_DIR}"
            )
        sys.stdout.flush()  # into a log file, too, before it stops

    def supervise(self, roles: dict[str, Callable[[], object]]) -> None:
        """Starts again whatever stops."""
        while True:
            time.sleep(RESTART_PAUSE)
            for name, role in roles.items():
                if (code := self.children[name].exitcode) is not None:
                    self.stderr.write(f"The {name} process stopped ({code}); starting it again.")
                    self.start(name, role)

    def stop(self, signum: int, frame: FrameType | None) -> None:
        if not self.children:  # an exception within the callback of an import would be dropped
            os._exit(0)
        raise SystemExit(0)

    def stop_all(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for child in self.children.values():
            child.tell(signal.SIGTERM)
        deadline = time.monotonic() + settings.STOP_PATIENCE + KILL_AFTER
        for child in self.children.values():
            child.join(max(0.1, deadline - time.monotonic()))
            child.tell(signal.SIGKILL)
            child.join()
