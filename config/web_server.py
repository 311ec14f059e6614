"""The web server: granian, where one thread at a time answers from memory, and others wait for what takes longer.

    python -m config.web_server [--host 127.0.0.1]

Granian hands requests to a pool of threads. When all of them compete for the interpreter, finished pages go out at
half the rate of a single thread (ADR 3). So only one thread stands at granian's queue (leader and followers):
it answers what the application's `hit` knows. Anything else it takes to the application, after it woke another thread
to stand in its place. The last thread that is free reads no body, so that slow senders never keep all of them.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from django.conf import settings
from granian import wsgi
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server import mp

#: Seconds after which a thread that is busy with Django lets the one that answers from memory on; Python's own are five
#: times as many.
SWITCH_INTERVAL = 0.001
#: What a request with a body gets while all threads but one have one to read.
BUSY = (
    503,
    [("content-type", "application/json"), ("retry-after", "5"), ("connection", "close")],
    b'{"error":"The service is busy. Please try again in a moment."}',
)


class Turns:
    """Sees to it that one of `threads` stands at granian's queue, and that the others do no more than wait."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.lock = threading.Lock()
        self.reading = 0  # threads with a request that has a body
        #: Threads at the queue, or answering from memory; one that never answered is not counted.
        self.standing = 0
        self.waiting: list[threading.Lock] = []
        self.this_thread = threading.local()

    def arrive(self) -> None:
        """A thread that granian has just started stands at the queue as well."""
        if not hasattr(self.this_thread, "place"):
            self.this_thread.place = Place(self)

    def begin(self, *, reads_body: bool) -> bool:
        """The calling thread has something longer to do, so another takes its place; False where it must not."""
        with self.lock:
            if reads_body and 1 <= self.threads - 1 <= self.reading:
                return False
            self.reading += reads_body
            self.hand_on()
            return True

    def end(self, *, reads_body: bool) -> None:
        """It comes back from that."""
        with self.lock:
            self.reading -= reads_body
            self.standing += 1

    def hand_on(self) -> None:
        """One thread fewer stands at the queue; where it was the only one, one that waits is woken."""
        self.standing -= 1
        if not self.standing and self.waiting:
            self.waiting.pop().release()
            self.standing += 1

    def wait_if_crowded(self) -> None:
        """Keeps the calling thread away from the queue as long as another stands there."""
        if self.standing == 1:
            return
        with self.lock:
            if self.standing == 1:
                return
            self.standing -= 1
            self.waiting.append(self.this_thread.place.gate)
        self.this_thread.place.gate.acquire()


class Place:
    """A thread's place at the queue, for as long as the thread lives: granian ends those that stand idle."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.gate = threading.Lock()
        self.gate.acquire()
        with turns.lock:
            turns.standing += 1

    def __del__(self) -> None:
        with self.turns.lock:
            self.turns.hand_on()


def in_turn(
    callback: Any, scope_opts: dict[str, Any], access_log_fmt: Any = None
) -> Callable[[Any, dict[str, Any]], None]:
    """What granian calls for each request, in place of its own wrapper, which asks the application.

    Of granian it takes that a thread keeps its Python state for life, and that an answer is streamed inside the call.
    """
    ask_application = wsgi._callback_wrapper(callback, scope_opts, access_log_fmt)
    turns = Turns(settings.WEB_THREADS)

    def answer(protocol: Any, scope: dict[str, Any]) -> None:
        turns.arrive()
        hit, reads_body = callback.hit(scope), has_body(scope)
        if hit is not None:
            protocol.response_bytes(*hit)
        elif turns.begin(reads_body=reads_body):
            try:
                ask_application(protocol, scope)
            finally:
                turns.end(reads_body=reads_body)
        else:
            protocol.response_bytes(*BUSY)
        if not reads_body:  # granian lets go of a body only when this returns
            turns.wait_if_crowded()

    return answer


def has_body(scope: dict[str, Any]) -> bool:
    return scope.get("CONTENT_LENGTH", "0") != "0" or "HTTP_TRANSFER_ENCODING" in scope


def run_worker(*options: Any) -> None:
    """Runs in the process of a worker."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    mp._wsgi_call_wrap = in_turn
    mp.MPServer._spawn_wsgi_worker(*options)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    options = parser.parse_args()
    server = mp.MPServer(
        "config.wsgi:application",
        address=options.host,
        port=settings.PORT,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,  # whose headers tell whether there is a body
        workers=settings.WEB_PROCESSES,
        blocking_threads=settings.WEB_THREADS,
        backlog=1024,
        respawn_failed_workers=True,
        workers_kill_timeout=5,
        websockets=False,
        log_level=LogLevels.error,
    )
    server.serve(spawn_target=run_worker)


if __name__ == "__main__":
    main()
