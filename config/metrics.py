"""GET /metrics, for Prometheus, behind METRICS_TOKEN: what the processes of this web server counted, and the database.

Each web process counts in memory, and whichever is asked adds them all up (`config.shared_counts`). What has to be true
of the whole service whoever is asked (queues, premieres, sweeps) is read from the database by `measures` of each app.
No label takes a value that a client can make up: each value costs memory for as long as the process lives.
"""

from __future__ import annotations

import hmac
import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse
from django.views import View
from django.views.decorators.http import require_safe
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from config import readiness
from config.shared_counts import SharedCounts

logger = logging.getLogger(__name__)

MEASURED_EVERY = 5.0  # seconds between two looks at the database, however often somebody asks
POOL_EVERY = 1.0  # seconds

METHODS = frozenset(name.upper() for name in View.http_method_names)  # any other is counted as "other"

disable_created_metrics()  # which would be one more line for each
counted = CollectorRegistry()
shared = SharedCounts(counted)
requests = Histogram(
    "capsules_request_seconds",
    "Time of a request that Django answered. Pages from files are counted by capsules_page_copies_total.",
    ["method", "route", "status"],
    registry=counted,
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
)
publishes = Histogram(
    "capsules_publish_step_seconds",
    "Time of a step of a publish: waiting for encodes, baking, going live.",
    ["step"],
    registry=counted,
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300),
)
copies = Counter(
    "capsules_page_copies_total",
    "Public pages by where they came from: hit, stale, miss.",
    ["from"],
    registry=counted,
)
pool = Gauge(
    "capsules_database_connections",
    "Connections of the web processes to PostgreSQL: in use, idle, and requests that wait for one.",
    ["state"],
    registry=counted,
)


def publish_step(step: str) -> AbstractContextManager[object]:
    """Times a `with` block as a step of a publish, also where it fails."""
    return publishes.labels(step).time()


class RequestTimes:
    """A middleware: times each request by its route, of which there are few, not by its path."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.pool_seen_at = 0.0

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.monotonic()
        response = self.get_response(request)
        match = request.resolver_match
        route = f"/{match.route}" if match is not None else "none"
        method = request.method if request.method in METHODS else "other"
        now = time.monotonic()
        requests.labels(method, route, response.status_code).observe(now - began)
        if now - self.pool_seen_at > POOL_EVERY:
            self.pool_seen_at = now
            see_pool()
        if settings.METRICS_TOKEN:  # else nobody can ask
            shared.leave_now_and_then()
        return response


def see_pool() -> None:
    if connection.connection is None:
        return  # to look at the pool would make one
    used = getattr(connection, "pool", None)
    if used is None:
        return
    stats = used.get_stats()
    idle = stats.get("pool_available", 0)
    pool.labels("idle").set(idle)
    pool.labels("in use").set(stats.get("pool_size", 0) - idle)
    pool.labels("waiting").set(stats.get("requests_waiting", 0))


# --- What the database knows -----------------------------------------------------------------------------------

Measure = Callable[[], dict[str, float]]
measures: dict[str, tuple[str, str, Measure]] = {}


def measured(name: str, help: str, label: str = "") -> Callable[[Measure], Measure]:
    """Registers a function that returns {label's value: number}; "" where there is one number alone."""

    def register(function: Measure) -> Measure:
        measures[name] = (help, label, function)
        return function

    return register


@measured("capsules_sweep_age_seconds", "Time since the worker's last sweep; absent before the first.")
def age_of_sweep() -> dict[str, float]:
    age = readiness.sweep_age()
    return {} if age is None else {"": age}


@measured("capsules_ready", "What /readyz says of each check: 1, or 0 with the reason there.", "check")
def ready() -> dict[str, float]:
    return {name: float(works) for name, works in readiness.kept.told().items()}


@measured("capsules_disk_free_bytes", "Room where DATA_DIR is.")
def room() -> dict[str, float]:
    return {"": shutil.disk_usage(settings.DATA_DIR).free}


class DatabaseCollector(Collector):
    """Asks all measures, at most every MEASURED_EVERY; says `capsules_database_up 0` where the database is away."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.asked_at = -MEASURED_EVERY
        self.found: list[GaugeMetricFamily] = []

    def collect(self) -> Iterable[GaugeMetricFamily]:
        with self.lock:
            if time.monotonic() - self.asked_at >= MEASURED_EVERY:
                self.found = list(self.ask())
                self.asked_at = time.monotonic()
            return self.found

    def ask(self) -> Iterator[GaugeMetricFamily]:
        is_up = True
        for name, (help, label, function) in measures.items():
            try:
                values = function()
            except DatabaseError as error:
                logger.warning("%s cannot be measured", name, exc_info=error)
                is_up = False
                continue
            family = GaugeMetricFamily(name, help, labels=[label] if label else [])
            for value, number in values.items():
                family.add_metric([value] if label else [], number)
            yield family
        yield GaugeMetricFamily("capsules_database_up", "Whether the database answers.", value=float(is_up))


database = DatabaseCollector()


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """404 without METRICS_TOKEN or with another one: so that nobody learns that a token exists."""
    told = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not settings.METRICS_TOKEN or not hmac.compare_digest(told.encode(), settings.METRICS_TOKEN.encode()):
        raise Http404
    registry = CollectorRegistry()
    registry.register(database)
    registry.register(shared)
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
