"""What an operator sees: readiness, metrics, and log lines that can be put together."""

from __future__ import annotations

import io
import json
import logging
import re
import tempfile
import time
from datetime import timedelta
from logging.config import DictConfigurator

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection
from django.db.backends.postgresql.base import DatabaseWrapper as PostgreSQL
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from capsules import alive
from capsules import tasks as capsule_tasks
from capsules.models import Encode, Process, Upload
from config import logs, metrics, readiness, stopping
from publishing import tasks
from publishing.mail import pauses
from publishing.models import Delivery, Premiere

pytestmark = pytest.mark.django_db
TOKEN = "a-token-for-prometheus"


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch):
    monkeypatch.setattr(readiness, "kept", readiness.Kept())
    metrics.database.asked_at = -metrics.MEASURED_EVERY
    yield
    cache.delete(readiness.SWEEP)


def test_the_service_is_ready_once_a_worker_has_swept(client):
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert list(answer.json()["reasons"]) == ["sweep"]
    tasks.sweep.apply()
    readiness.kept = readiness.Kept()
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()) == (200, {"status": "ready"})
    assert ready["Cache-Control"] == "no-store"


@pytest.fixture
def swept():
    readiness.note_sweep()


def reasons(client) -> dict[str, str]:
    answer = client.get("/readyz")
    assert answer.status_code == 503
    return answer.json()["reasons"]


@pytest.mark.both_databases
def test_it_is_not_ready_while_the_last_sweep_is_long_ago(client):
    cache.set(readiness.SWEEP, time.time() - 3600, timeout=None)
    (seconds,) = re.findall(r"([0-9]+) s ago", reasons(client)["sweep"])
    assert 3600 <= int(seconds) < 3700


@pytest.mark.both_databases
def test_the_age_of_a_sweep_goes_by_the_clock_of_the_database(monkeypatch):
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has no clock of its own.")
    now = time.time()
    with monkeypatch.context() as ahead:
        ahead.setattr(time, "time", lambda: now + 3600)
        readiness.note_sweep()
    assert abs(cache.get(readiness.SWEEP) - now) < 600
    monkeypatch.setattr(time, "time", lambda: now - 3600)
    assert readiness.sweep_age() < 600


@pytest.mark.both_databases
def test_it_is_not_ready_with_a_migration_missing(client, swept, pytestconfig):
    if pytestconfig.getoption("nomigrations"):
        pytest.skip("--nomigrations: Django then knows of no migrations.")
    MigrationRecorder.Migration.objects.filter(app="feed").delete()
    assert "not applied" in reasons(client)["migrations"]


@pytest.mark.both_databases
def test_it_is_not_ready_without_its_database_and_says_no_more_than_that(client, swept, monkeypatch):
    def away():
        raise OperationalError("connection to postgres://user:secret@db failed")

    monkeypatch.setitem(readiness.CHECKS, "database", away)
    assert reasons(client) == {"database": "does not answer (OperationalError)"}


@pytest.mark.both_databases
def test_it_is_not_ready_where_redis_does_not_answer(client, swept, settings):
    settings.REDIS_URL = "redis://user:secret@127.0.0.1:1/0"
    assert reasons(client) == {"broker": "does not answer (ConnectionError)"}


@pytest.mark.both_databases
def test_it_is_not_ready_where_nothing_can_be_stored(client, swept, settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path / "gone"
    assert "storage" in reasons(client)
    monkeypatch.setattr(readiness, "kept", readiness.Kept())
    settings.DATA_DIR = tmp_path
    settings.MEDIA_ROOT = tmp_path / "gone"
    assert "storage" in reasons(client)
    monkeypatch.setattr(readiness, "kept", readiness.Kept())
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no scratch"))
    assert "storage" in reasons(client)
    monkeypatch.setattr(readiness, "kept", readiness.Kept())
    monkeypatch.setattr(readiness, "ROOM", 10**18)
    assert "MB are free where DATA_DIR" in reasons(client)["storage"]


def test_a_disk_that_is_full_to_the_last_byte_is_called_full(client, swept, monkeypatch):
    def no_room(folder) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(readiness, "try_to_write", no_room)
    monkeypatch.setattr(readiness, "ROOM", 10**18)
    assert reasons(client)["storage"] == "less than 64 MB are free where DATA_DIR is"


def test_asking_often_costs_one_look_in_two_seconds(
    client, swept, django_assert_max_num_queries, monkeypatch
):
    assert readiness.KNOWN_FOR == 2
    monkeypatch.setattr(readiness, "KNOWN_FOR", 600)
    client.get("/readyz")
    with django_assert_max_num_queries(0):
        for _ in range(20):
            client.get("/readyz")


def test_who_asks_while_another_waits_for_what_hangs_gets_the_last_answer(client, swept):
    with readiness.kept.lock:
        readiness.kept.asked_at, readiness.kept.missing = time.monotonic() - 10, {"storage": "hangs"}
        assert reasons(client) == {"storage": "hangs"}


# --- Metrics ---------------------------------------------------------------------------------------------------


@pytest.fixture
def scrape(client, settings):
    """Asks for the metrics now."""
    settings.METRICS_TOKEN = TOKEN

    def ask() -> dict[str, float]:
        metrics.database.asked_at = -metrics.MEASURED_EVERY
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert answer.status_code == 200
        lines = [line for line in answer.content.decode().splitlines() if not line.startswith("#")]
        return {name: float(number) for name, _, number in (line.rpartition(" ") for line in lines)}

    return ask


@pytest.mark.both_databases
def test_metrics_are_for_who_has_the_token(client, settings):
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404
    settings.METRICS_TOKEN = TOKEN
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 404
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert b"capsules_database_up 1.0" in answer.content


def test_the_queue_of_encodes_and_its_oldest_are_told(scrape):
    assert scrape()['capsules_encodes{state="queued"}'] == 0
    old = timezone.now() - timedelta(minutes=10)
    Encode.objects.create(kind="still", recipe="r1", sources=[], created_at=old)
    Encode.objects.create(kind="still", recipe="r2", sources=[], state="running")
    told = scrape()
    assert told['capsules_encodes{state="queued"}'] == told['capsules_encodes{state="running"}'] == 1
    assert 600 <= told["capsules_encode_wait_seconds"] < 700


def test_what_came_of_encodes_and_uploads_within_an_hour_is_told(scrape, north_shore):
    now = timezone.now()
    for number, (state, finished_at) in enumerate(
        [("failed", now), ("failed", now - timedelta(hours=2)), ("done", now), ("done", now)]
    ):
        Encode.objects.create(
            kind="still", recipe=str(number), sources=[], state=state, finished_at=finished_at
        )
    Encode.objects.create(kind="still", recipe="waits", sources=[], put_off="no room")
    about = {"workspace": north_shore, "kind": "film", "expires_at": now}
    Upload.objects.create(**about, state="refused", finished_at=now)
    Upload.objects.create(**about, state="checking", put_off="killed")
    told = scrape()
    for line, number in {
        'encodes_ended{state="failed"}': 1,
        'encodes_ended{state="done"}': 2,
        'uploads_ended{state="refused"}': 1,
        'uploads_ended{state="ready"}': 0,
        'encodes_put_off{reason="no room"}': 1,
        'encodes_put_off{reason="killed"}': 0,
        'uploads_put_off{reason="killed"}': 1,
    }.items():
        assert told[f"capsules_{line}"] == number, line


@pytest.mark.both_databases
def test_a_process_tells_that_it_lives_until_it_stops_and_is_forgotten_an_hour_after_its_death(
    scrape, monkeypatch
):
    alive.write_beat("worker celery@one")
    age, room = 'capsules_process_age_seconds{process="worker celery@one"}', "capsules_scratch_free_bytes"
    told = scrape()
    assert told[age] < 60 and told[f'{room}{{process="worker celery@one"}}'] > 0
    Process.objects.update(seen_at=timezone.now() - timedelta(minutes=50))
    capsule_tasks.sweep.apply()
    assert 3000 <= scrape()[age] < 3100
    Process.objects.update(seen_at=timezone.now() - timedelta(minutes=70))
    capsule_tasks.sweep.apply()
    assert age not in scrape()
    monkeypatch.setattr(stopping, "rest", lambda seconds: stopping.begin())
    monkeypatch.setattr(stopping, "_ends_at", None)
    alive.tell_until_stopped("mcp here")
    assert not Process.objects.exists()
    stopping._told.clear()


def test_what_readyz_says_is_told_by_check(scrape, settings, swept):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    told = scrape()
    assert told['capsules_ready{check="broker"}'] == 0
    assert told['capsules_ready{check="storage"}'] == told['capsules_ready{check="sweep"}'] == 1


def test_late_premieres_and_their_mails_are_told(scrape, live_story):
    assert scrape()["capsules_premiere_lag_seconds"] == 0
    premiere = Premiere.objects.get()
    Premiere.objects.update(due_at=timezone.now() - timedelta(minutes=5), state="sending")
    Delivery.objects.create(premiere=premiere, email="a@readers.example", state="failed")
    told = scrape()
    assert 300 <= told["capsules_premiere_lag_seconds"] < 400
    assert told['capsules_deliveries{state="failed"}'] == 1
    assert told['capsules_deliveries{state="pending"}'] == 0


def test_a_mail_server_that_refuses_everything_is_told(scrape):
    assert scrape()["capsules_mail_pause_seconds"] == 0
    pauses.close("451 4.3.0 Try later")
    assert 50 < scrape()["capsules_mail_pause_seconds"] <= pauses.FIRST_PAUSE


def test_the_age_of_the_last_sweep_is_told(scrape):
    assert "capsules_sweep_age_seconds" not in scrape()
    cache.set(readiness.SWEEP, time.time() - 50, timeout=None)
    assert 50 <= scrape()["capsules_sweep_age_seconds"] < 60


def count_of(histogram, *labels: object) -> float:
    samples = histogram.labels(*labels)._child_samples()
    return next(sample.value for sample in samples if sample.name == "_count")


def test_requests_are_timed_by_route_and_publishes_by_step(client, api, ready_story):
    route = "/api/v2/stories/<str:id>/publication"
    before = count_of(metrics.requests, "PUT", route, 200)
    steps = ("wait for encodes", "bake", "go live")
    published = [count_of(metrics.publishes, step) for step in steps]
    assert api.publish(ready_story).status_code == 200
    assert count_of(metrics.requests, "PUT", route, 200) == before + 1
    assert [count_of(metrics.publishes, step) for step in steps] == [count + 1 for count in published]
    client.get("/no/such/address/at/all")
    assert count_of(metrics.requests, "GET", "none", 404) >= 1


def labels_of(histogram) -> set[tuple[str, ...]]:
    return {
        tuple(value for name, value in sorted(sample.labels.items()) if name != "le")
        for family in histogram.collect()
        for sample in family.samples
    }


def test_hundreds_of_made_up_methods_are_counted_as_one(client):
    routes = ["/api/v2/nope", "/api/v2/health", "/no/such/page", "/feed"]
    for route in routes:
        client.generic("OTHERWISE", route)
    before = labels_of(metrics.requests)
    for number in range(300):
        client.generic(f"M{number:05}", routes[number % len(routes)])
    assert labels_of(metrics.requests) == before
    assert count_of(metrics.requests, "other", "none", 404) >= 75


# --- Logs ------------------------------------------------------------------------------------------------------


def test_a_form_of_a_stranger_that_is_refused_is_no_warning(db, caplog):
    assert Client(enforce_csrf_checks=True).post("/admin/login/").status_code == 403
    assert caplog.records == []


def test_an_error_names_the_id_that_its_log_lines_carry(client, live_story, api, caplog, monkeypatch):
    def broken(*args, **kwargs):
        raise ValueError("a bug")

    monkeypatch.setattr("publishing.actions.state_of", broken)
    caplog.handler.addFilter(logs.WithRequestId())
    answer = api.state(live_story)
    assert answer.status_code == 500
    id = answer["X-Request-ID"]
    assert id in answer.json()["error"]
    line = next(record for record in caplog.records if "Unexpected error" in record.getMessage())
    assert line.request_id == id


def test_the_id_of_a_request_travels_to_the_task_that_it_wakes():
    headers: dict = {}
    token = logs.request_id.set("0123456789abcdef")
    try:
        logs.send_along(headers=headers)
    finally:
        logs.request_id.reset(token)
    seen = []

    class Probe(logging.Handler):
        def emit(self, record):
            seen.append(record.request_id)

    from config.celery import app

    @app.task(name="tests.says_something")
    def says_something():
        logging.getLogger("tests.task").error("hello")

    probe = Probe()
    probe.addFilter(logs.WithRequestId())
    logging.getLogger("tests.task").addHandler(probe)
    says_something.apply(headers=headers)
    assert seen == ["0123456789abcdef"]


def test_json_lines_carry_level_logger_message_and_id():
    record = logging.LogRecord(
        "publishing.mail", logging.WARNING, "", 1, "Premieres pause: %s", ("421",), None
    )
    record.request_id = "0123456789abcdef"
    line = json.loads(logs.JsonLines().format(record))
    assert {name: line[name] for name in ("level", "logger", "message", "request_id")} == {
        "level": "WARNING",
        "logger": "publishing.mail",
        "message": "Premieres pause: 421",
        "request_id": "0123456789abcdef",
    }
    assert "time" in line


@pytest.mark.both_databases
def test_the_access_log_tells_no_secret_of_a_link(client, settings, caplog):
    settings.ACCESS_LOG = True
    with caplog.at_level(logging.INFO, logger="config.access"):
        client.get("/confirm/a-secret-token?x=another")
        client.get("/api/v2/health")
    lines = [record.getMessage() for record in caplog.records if record.name == "config.access"]
    assert lines[0].startswith("GET /confirm/<str:token> ")
    assert lines[1].startswith("GET /api/v2/health 200 ")


SECRET = "aVerySecretPartOfAnAddress"


@pytest.mark.parametrize(
    "path",
    [
        f"/confirm/{SECRET}",
        f"/confirm/{SECRET}/more",
        f"/studio/up/{SECRET}",
        f"/unsubscribes/{SECRET.lower()}",
        f"/account/password/reset/key/{SECRET}",
        f"/api/v2/{SECRET}",
    ],
)
@pytest.mark.parametrize("form", ["json", "text"])
def test_no_line_of_ours_or_of_django_tells_a_secret_of_an_address(client, settings, path, form):
    settings.ACCESS_LOG = True
    lines = io.StringIO()
    written = DictConfigurator({**settings.LOGGING, "incremental": False})
    handler = written.configure_handler(
        {**settings.LOGGING["handlers"]["console"], "formatter": None, "filters": []}
    )
    handler.setStream(lines)
    handler.setFormatter(logs.JsonLines() if form == "json" else logs.PlainFormatter())
    for name in settings.LOGGING["handlers"]["console"]["filters"]:
        handler.addFilter(written.resolve(settings.LOGGING["filters"][name]["()"])())
    loggers = [logging.getLogger(name) for name in ("django", "django.request", "config.access")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.INFO)
    loggers[0].addHandler(handler)
    loggers[2].addHandler(handler)
    try:
        client.get(f"{path}?x={SECRET}")
        client.post(path)
        client.put(path)
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.removeHandler(handler)
            logger.setLevel(level)
    told = lines.getvalue()
    assert len(told.splitlines()) >= 4
    assert SECRET.lower() not in told.lower()
    if form == "json":
        assert all(json.loads(line)["request_id"] for line in told.splitlines())


def test_what_a_crawler_does_not_find_is_no_warning(settings):
    assert settings.LOGGING["loggers"]["django.request"]["level"] == "CRITICAL"


def test_a_look_at_the_pool_makes_none(monkeypatch):
    """One that is made too early keeps the name that the database had then."""
    address = {"NAME": "none", "USER": "", "PASSWORD": "", "HOST": "127.0.0.1", "PORT": "1"}
    own = {
        **connection.settings_dict,
        **address,
        "ENGINE": "django.db.backends.postgresql",
        "OPTIONS": {"pool": {"min_size": 0}},
    }
    looked_at = PostgreSQL(own, "looked-at")
    monkeypatch.setattr(metrics, "connection", looked_at)
    metrics.see_pool()
    assert "looked-at" not in PostgreSQL._connection_pools
