"""How many requests for one route a web process carries out at once, so that no route keeps the others waiting.

A request that finds its lane full waits for a moment, without a database connection, and then gets a 503.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.database import release_connection
from config.errors import Unavailable
from config.views import unavailable

BUSY = "This is very busy right now. Please try again in a moment."
WRITES = ("POST", "PUT", "PATCH", "DELETE")

_this_thread = threading.local()


def leave() -> None:
    """Gives the place of this thread's request back early, if it has one: what follows has bounds of its own.

    A publish that waits has a slot, and whoever sends a file has a seat, once it is known that he may send.
    """
    lane = _this_thread.__dict__.pop("lane", None)
    if lane is not None:
        lane.release()


class Lanes:
    """Has every request take a place in the lane of its route before its view is called. Its body is there by then, but
    for an upload's.

    A route has one lane for reads and one for each method that writes: a flood of sign-ins keeps the form from nobody.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.lanes: dict[tuple[str, str], threading.Semaphore] = {}
        self.lock = threading.Lock()
        #: In all lanes together; each holds a thread that others may need.
        self.waiting = threading.Semaphore(settings.WEB_THREADS)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            return self.get_response(request)
        finally:
            leave()

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        lane = self.lane_of(request)
        if not (lane.acquire(blocking=False) or self.wait_for(lane)):
            return unavailable(request, Unavailable(BUSY, retry_after=2))
        _this_thread.lane = lane
        return None

    def lane_of(self, request: HttpRequest) -> threading.Semaphore:
        """The lane of a request, made by the first."""
        assert request.resolver_match is not None and request.method  # noqa: S101 - Django has found the view
        key = request.resolver_match.route, request.method if request.method in WRITES else "GET"
        with self.lock:
            return self.lanes.setdefault(key, threading.Semaphore(settings.ROUTE_REQUESTS))

    def wait_for(self, lane: threading.Semaphore) -> bool:
        """Whether a place came free in ROUTE_PATIENCE; False at once where too many wait already."""
        if not self.waiting.acquire(blocking=False):
            return False
        try:
            release_connection()
            return lane.acquire(timeout=settings.ROUTE_PATIENCE)
        finally:
            self.waiting.release()
