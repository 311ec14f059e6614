"""The web server: processes of waitress that share one listening socket, under a master that restarts what dies.

    python -m config.web_server [--host 127.0.0.1]

Waitress reads a whole request before a thread sees it, and sends what is left of an answer after its thread is done.
On the open internet a proxy belongs before it (docs/operations.md).
"""

from __future__ import annotations

import argparse
import gc
import ipaddress
import os
import resource
import signal
import socket
import sys
import time
import traceback
from typing import Any, NoReturn

from django.conf import settings
from waitress import create_server, wasyncore

from config import stopping
from config.http_channel import Channel
from config.processes import call_process, die_with_parent, load, load_templates

FOR_THIS_MACHINE = (
    "Without DEBUG=false the service signs with a key that everybody knows, so it listens on this machine only "
    "(--host 127.0.0.1). Set DEBUG=false, and what it then asks for, to serve others."
)
CONNECTIONS = 6000  # open ones in one process
LARGEST_BODY = 1028 * 2**20  # bytes: an archive; deploy/nginx.conf allows the other addresses less
LARGEST_HEADERS = 32 * 2**10  # bytes, as nginx takes: what is in one may be remembered
LOOK_EVERY = 0.2  # seconds between two looks whether the process is to stop
RESTART_PAUSE = 1.0  # seconds
BACKLOG = 1024
SIGNALS = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}


# --- One process -----------------------------------------------------------------------------------------------


def run_worker(listening: socket.socket, master: int) -> NoReturn:
    """Serves until SIGTERM. What connects and what begins threads is begun here: no process has another's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the master, which tells its workers
    signal.signal(signal.SIGTERM, lambda signum, frame: stopping.begin())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    die_with_parent(master)
    raise_file_limit()
    from config.wsgi import application

    serve(application, listening, master)
    stopping.do_last()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # what still runs has had its time


def serve(application: object, listening: socket.socket, master: int) -> None:
    connections: dict[int, object] = {}
    server = create_server(
        application,
        map=connections,
        sockets=[listening],
        threads=settings.WEB_THREADS,
        backlog=BACKLOG,
        connection_limit=CONNECTIONS,
        channel_timeout=settings.CLIENT_PATIENCE,
        cleanup_interval=max(1, settings.CLIENT_PATIENCE // 2),
        max_request_header_size=LARGEST_HEADERS,
        max_request_body_size=LARGEST_BODY,
        asyncore_use_poll=True,
        clear_untrusted_proxy_headers=not settings.BEHIND_PROXY,  # Django reads those of our own proxy itself
        expose_tracebacks=False,
        log_socket_errors=False,
        ident=None,
    )
    server.channel_class = Channel
    while not stopping.has_begun():
        wasyncore.loop(LOOK_EVERY, use_poll=True, map=connections, count=1)
    drain(server, connections, master)


def drain(server: Any, connections: dict[int, object], master: int) -> None:
    """Takes requests for STOP_FAREWELL more, each as the last of its connection, then ends what runs.

    Where the master was killed, its successor needs the port: nothing more is taken.
    """
    told = time.monotonic()
    farewell = settings.STOP_FAREWELL if os.getppid() == master else 0
    while time.monotonic() < told + farewell:
        wasyncore.loop(LOOK_EVERY, use_poll=True, map=connections, count=1)
    taken = -1
    while taken < len(server.active_channels):  # whoever has connected: the closing would reset them
        taken = len(server.active_channels)
        server.handle_accept()
    wasyncore.dispatcher.close(server)  # the listening socket alone: threads still wake the loop
    while server.active_channels and time.monotonic() < told + settings.STOP_PATIENCE:
        for channel in list(server.active_channels.values()):
            channel.close_if_idle()
        wasyncore.loop(LOOK_EVERY, use_poll=True, map=connections, count=1)


def raise_file_limit() -> None:
    """Lets the process have CONNECTIONS, and as many files for their bodies, where the system allows that."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * CONNECTIONS
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard) if hard >= 0 else wanted, hard))


# --- The master ------------------------------------------------------------------------------------------------


class Master:
    """Keeps WEB_PROCESSES workers running until it is told to stop. They share what it has loaded."""

    def __init__(self, listening: socket.socket) -> None:
        self.listening = listening
        self.workers: set[int] = set()

    def run(self) -> None:
        """Signals are waited for, so none comes between a fork and its note."""
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        for _ in range(settings.WEB_PROCESSES):
            self.start()
        while signal.sigwait(SIGNALS) == signal.SIGCHLD:
            for code in self.reap():
                sys.stderr.write(f"A web process ended ({code}); starting another.\n")
                time.sleep(RESTART_PAUSE)
                self.start()
        self.stop()

    def start(self) -> None:
        master = os.getpid()
        if pid := os.fork():
            self.workers.add(pid)
        else:
            try:
                run_worker(self.listening, master)
            except BaseException:  # nothing of the master's may run in a worker
                traceback.print_exc()
                os._exit(1)

    def reap(self) -> list[int]:
        """The exit codes of the workers that ended; negative where a signal did it."""
        codes = []
        while self.workers:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            self.workers.discard(pid)
            codes.append(os.waitstatus_to_exitcode(status))
        return codes

    def stop(self) -> None:
        """Passes SIGTERM on, waits STOP_PATIENCE, LAST_TRIES and a moment, then kills."""
        self.listening.close()
        self.tell(signal.SIGTERM)
        deadline = time.monotonic() + settings.STOP_PATIENCE + stopping.LAST_TRIES + 2
        while self.workers and time.monotonic() < deadline:
            time.sleep(0.05)
            self.reap()
        self.tell(signal.SIGKILL)

    def tell(self, signum: signal.Signals) -> None:
        for pid in self.workers:
            os.kill(pid, signum)


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=BACKLOG)


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def run(host: str) -> None:
    call_process("web_server")
    load()
    load_templates()
    gc.freeze()  # what is loaded stays in memory that all workers share
    Master(listen(host, settings.PORT)).run()


def host_of_command_line() -> str:
    """Where a server listens that is started by its own command. Ends the process where it must not listen there."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    host: str = parser.parse_args().host
    if settings.DEVELOPMENT and not is_loopback(host):
        parser.error(FOR_THIS_MACHINE)
    return host


def main() -> None:
    run(host_of_command_line())


if __name__ == "__main__":
    main()
