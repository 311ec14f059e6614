"""How many requests for one route a web process carries out at once, so that no route keeps the others waiting.

A request that finds its lane full waits for a moment, without a database connection, and then gets a 503.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.database import release_connection
from config.errors import Unavailable
from config.views import unavailable

BUSY = "Very many people ask for this at the moment. Please try again shortly."
READS = ("GET", "HEAD", "OPTIONS")

View = TypeVar("View", bound=Callable[..., Any])


def places(**by_method: int | None) -> Callable[[View], View]:
    """Says how many requests of a method a view takes at once, in place of ROUTE_REQUESTS.

    For what mostly waits: None where it has bounds of its own, as a file on its way in has.
    """

    def mark(view: View) -> View:
        view.places = by_method  # type: ignore[attr-defined]
        return view

    return mark


class Lanes:
    """Has every request take a place in the lane of its route, once its body is there and before its view is called.

    A route has one lane for reads and one for writes: a flood of sign-ins does not keep the form from others.
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
            if hasattr(request, "lane"):
                request.lane.release()

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        lane = self.lane_of(request, view)
        if lane is None:
            return None
        if not (lane.acquire(blocking=False) or self.wait_for(lane)):
            return unavailable(request, Unavailable(BUSY, retry_after=2))
        request.lane = lane  # type: ignore[attr-defined]
        return None

    def lane_of(self, request: HttpRequest, view: Any) -> threading.Semaphore | None:
        """The lane of a request, made by the first; None where the view has bounds of its own."""
        assert request.resolver_match is not None and request.method  # noqa: S101 - Django has found the view
        own = getattr(getattr(view, "cls", view), "places", {})
        number = own.get(request.method, settings.ROUTE_REQUESTS)
        kind = request.method if request.method in own else "read" if request.method in READS else "write"
        with self.lock:
            if number is not None:
                self.lanes.setdefault((request.resolver_match.route, kind), threading.Semaphore(number))
            return self.lanes.get((request.resolver_match.route, kind))

    def wait_for(self, lane: threading.Semaphore) -> bool:
        """Whether a place came free in ROUTE_PATIENCE; False at once where too many wait already."""
        if not self.waiting.acquire(blocking=False):
            return False
        try:
            release_connection()
            return lane.acquire(timeout=settings.ROUTE_PATIENCE)
        finally:
            self.waiting.release()
