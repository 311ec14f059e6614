"""The web server: granian, where one thread answers from memory, and others do what takes longer.

    python -m config.web_server [--host 127.0.0.1]

`config.listening` says which thread does what, `config.slow_clients` keeps clients that take their time from holding
the threads that others need. Both hook into names of granian that are not public (ADR 3). Where a release of granian
has them no more, the server says so and runs plain granian, which is slower and open to slow clients.
"""

from __future__ import annotations

import argparse
import importlib
import ipaddress
import logging
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from django.conf import settings
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server.mp import MPServer

from config import stopping
from config.listening import Listening
from config.slow_clients import Body, SlowClients, Streamed, close

logger = logging.getLogger(__name__)

#: What this module replaces or calls in granian, by module.
PRIVATE_NAMES = {
    "granian.wsgi": ["_callback_wrapper"],
    "granian.server.mp": ["_wsgi_call_wrap", "MPServer._spawn_wsgi_worker"],
    "granian._signals": ["set_sync_signals"],
}
#: Seconds after which a thread that is busy with Django lets the one that answers from memory on; Python's own are five
#: times as many.
SWITCH_INTERVAL = 0.001
FOR_THIS_MACHINE = (
    "Without DEBUG=false the service signs with a key that everybody knows, so it listens on this machine only "
    "(--host 127.0.0.1). Set DEBUG=false, and what it then asks for, to serve others."
)
IN_ONE_PIECE = (
    256 * 1024
)  # bytes; an answer of this size is handed over whole, and holds no thread while it is sent
HEALTH = "/api/v2/health"

Answer = tuple[int, list[tuple[str, str]], bytes]
Environ = dict[str, Any]
LAST = ("connection", "close")  # says that no other request can follow on this connection


def refusal(status: int, message: str) -> Answer:
    headers = [("content-type", "application/json"), ("retry-after", "2"), LAST]
    return status, headers, f'{{"error":"{message}"}}'.encode()


BUSY = refusal(503, "The service is busy. Please try again in a moment.")
TOO_MANY = refusal(429, "Too many requests at once from your address. Please try again in a moment.")


class AnswersFromMemory(Protocol):
    """A WSGI application that has some answers ready."""

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]: ...

    def hit(self, environ: Environ) -> Answer | None:
        """The answer from memory, without waiting for anything; None where there is none."""


def in_turn(
    application: AnswersFromMemory, scope_opts: dict[str, Any], access_log_fmt: Any = None
) -> Callable[[Any, Environ], None]:
    """What granian calls for each request, in place of its own wrapper, which asks the application.

    Of granian it takes that a thread keeps its Python state for life, that an answer is streamed inside the call, and
    that only the first answer to a request counts.
    """
    from granian.wsgi import _callback_wrapper

    slow = SlowClients(seats=settings.WEB_THREADS)
    slow.start()
    listening = Listening(all_threads(), settings.ADDRESS_REQUESTS)
    asked = with_farewell(with_seats(application, slow))
    ask = _callback_wrapper(asked, scope_opts, access_log_fmt)

    def answer(protocol: Any, scope: Environ) -> None:
        listening.join()
        hit, reads_body = application.hit(scope), has_body(scope)
        address = "" if scope["PATH_INFO"] == HEALTH else address_of(scope)
        if hit is not None:
            protocol.response_bytes(*(as_the_last(hit) if stopping.has_begun() else hit))
        elif listening.begin_work(address):
            try:
                scope["capsules.protocol"] = protocol
                ask(protocol, scope)
            finally:
                listening.end_work(address)
        else:
            is_full = listening.working >= listening.threads - 1
            protocol.response_bytes(*(BUSY if is_full else TOO_MANY))
        # Granian drops the body of a request when this returns. Before that, the connection cannot be closed.
        if not reads_body:
            listening.rest_if_another_listens()

    return answer


def as_the_last(answer: Answer) -> Answer:
    status, headers, content = answer
    return status, [*headers, LAST], content


def with_farewell(application: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """The application, whose answers end their connections once the process was told to stop."""

    def asked(environ: Environ, start_response: Any) -> Iterable[bytes]:
        answer = application(environ, start_response)
        if stopping.has_begun():  # granian sends the headers after this
            start_response.headers = [*start_response.headers, LAST]
        return answer

    return asked


def with_seats(application: AnswersFromMemory, slow: SlowClients) -> Callable[..., Iterable[bytes]]:
    """The application, where bodies and streams need a seat among the slow clients."""

    def asked(environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        if not has_body(environ):
            return in_pieces(application(environ, start_response), start_response, slow)
        length = environ.get("CONTENT_LENGTH")
        body = Body(
            environ["wsgi.input"],
            int(length) if length else None,
            environ["capsules.protocol"],
            when_read=lambda: slow.leave(body),
        )
        if not slow.admit(body):
            return refused(BUSY, start_response)
        environ["wsgi.input"] = body
        try:
            return in_pieces(application(environ, start_response), start_response, slow)
        finally:
            slow.leave(body)

    return asked


def in_pieces(answer: Iterable[bytes], start_response: Any, slow: SlowClients) -> Iterable[bytes]:
    """The answer as granian should send it: in one piece where it is small, else piece by piece from a seat.

    A piece at a time holds a thread until the client has taken it all.
    """
    if isinstance(answer, list):
        return answer
    if not getattr(answer, "streaming", False) or length_of(start_response.headers) <= IN_ONE_PIECE:
        try:
            return [b"".join(answer)]
        finally:
            close(answer)
    if not slow.begin_stream():
        close(answer)
        return refused(BUSY, start_response)
    return Streamed(answer, when_sent=slow.end_stream)


def length_of(headers: list[tuple[str, str]]) -> float:
    """What an answer says of its length, in bytes; infinite where it does not say."""
    return next((float(value) for name, value in headers if name.lower() == "content-length"), float("inf"))


def refused(answer: Answer, start_response: Any) -> list[bytes]:
    status, headers, content = answer
    start_response(f"{status} Refused", headers)
    return [content]


def has_body(scope: Environ) -> bool:
    return scope.get("CONTENT_LENGTH", "0") != "0" or "HTTP_TRANSFER_ENCODING" in scope


def address_of(scope: Environ) -> str:
    """The client's address: behind our proxy the one that the proxy saw, which it wrote last."""
    if settings.BEHIND_PROXY:
        return str(scope.get("HTTP_X_FORWARDED_FOR", "")).rsplit(",", 1)[-1].strip()
    return str(scope["REMOTE_ADDR"])


def all_threads() -> int:
    """Those that work, and one for each seat of a slow sender or a slow reader. Granian starts them when needed."""
    return 3 * settings.WEB_THREADS


# --- Processes -------------------------------------------------------------------------------------------------


def run_worker(*options: Any) -> None:
    """Runs in the process of a worker."""
    from granian.server import mp

    sys.setswitchinterval(SWITCH_INTERVAL)
    raise_file_limit()
    mp._wsgi_call_wrap = in_turn  # type: ignore[assignment]
    tell_when_stopped()
    mp.MPServer._spawn_wsgi_worker(*options)


def tell_when_stopped() -> None:
    """Has `config.stopping` learn of a SIGTERM, in addition to granian, which sets its own handler late."""
    from granian import _signals

    set_signals = _signals.set_sync_signals

    def set_and_tell() -> Any:
        event = set_signals()
        stop = signal.getsignal(signal.SIGTERM)

        def handle(signum: int, frame: Any) -> None:
            stopping.begin()
            time.sleep(settings.STOP_FAREWELL)  # of the main thread, which only waits; the others go on
            stop(signum, frame)  # type: ignore[misc, operator]

        signal.signal(signal.SIGTERM, handle)
        return event

    _signals.set_sync_signals = set_and_tell


def raise_file_limit() -> None:
    """Lets the process have as many connections as WEB_CONNECTIONS says, where the system allows that."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = settings.WEB_CONNECTIONS + 512
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard) if hard >= 0 else wanted, hard))


def missing_names() -> list[str]:
    """The names of PRIVATE_NAMES that this release of granian does not have."""
    missing = []
    for module, names in PRIVATE_NAMES.items():
        for name in names:
            try:
                found: Any = importlib.import_module(module)
                for part in name.split("."):
                    found = getattr(found, part)
            except (ImportError, AttributeError):
                missing.append(f"{module}.{name}")
    return missing


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    options = parser.parse_args()
    if settings.DEVELOPMENT and not is_loopback(options.host):
        parser.error(FOR_THIS_MACHINE)
    missing = missing_names()
    server = MPServer(
        "config.wsgi:application",
        address=options.host,
        port=settings.PORT,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,  # whose headers tell whether there is a body
        workers=settings.WEB_PROCESSES,
        blocking_threads=settings.WEB_THREADS if missing else all_threads(),
        backlog=1024,
        backpressure=settings.WEB_CONNECTIONS,
        respawn_failed_workers=True,
        workers_kill_timeout=settings.STOP_PATIENCE,
        websockets=False,
        log_level=LogLevels.error,
    )
    if missing:
        logger.error(
            "This release of granian has no %s. The web server runs without its own thread for pages and without "
            "its limits for slow clients: put a buffering proxy in front, or install the release in requirements.txt.",
            ", ".join(missing),
        )
        server.serve()
    else:
        server.serve(spawn_target=run_worker)


if __name__ == "__main__":
    main()
