"""What callers are told while the database, Redis or room on the disk is away; real faults are in tests/faults."""

from __future__ import annotations

import errno
import logging
import time
import uuid

import psycopg
import pytest
import redis
from django.db import OperationalError, connection
from psycopg_pool import PoolTimeout

from accounts.actions import keys
from accounts.people.sessions import IdleEnd
from config import outage
from publishing.pages import reading

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def answers_are_seen(client):
    """Rather than the exceptions behind them."""
    client.raise_request_exception = False


@pytest.fixture
def read_only(live_story):
    """A database that refuses every write, as one does that is full, read-only or a standby."""
    on, off = (
        ("PRAGMA query_only = 1", "PRAGMA query_only = 0")
        if connection.vendor == "sqlite"
        else ("SET default_transaction_read_only = on", "SET default_transaction_read_only = off")
    )
    with connection.cursor() as cursor:
        cursor.execute(on)
    yield live_story
    with connection.cursor() as cursor:
        cursor.execute(off)


@pytest.fixture
def kept_connection():
    """The test client would close it after every request, and a new one may write."""
    closing = connection.close
    connection.close = lambda: None
    yield
    connection.close = closing


def test_what_only_reads_goes_on_where_nothing_can_be_written(kept_connection, read_only, api, client):
    for path in ("/api/v2/feed", "/", "/sitemap.xml", "/north-shore", "/north-shore/small-voyages"):
        assert client.get(path).status_code == 200, path
    assert api.state(read_only).status_code == 200


@pytest.fixture
def used_long_ago(live_story, north_shore, owner, client) -> str:
    """A key, and a web session, whose next use is to be noted; returns the key."""
    _, secret = keys.create_api_key(north_shore, by=owner, scopes=["publications:read"])
    client.force_login(owner)
    session = client.session
    session[IdleEnd.KEY] = int(time.time()) - IdleEnd.NOTED_EVERY
    session.save()
    return secret


def test_a_use_that_cannot_be_noted_makes_no_read_fail(
    kept_connection, used_long_ago, read_only, api, client
):
    assert api.with_key(used_long_ago).state(read_only).status_code == 200
    assert client.get("/account/").status_code == 200


def test_a_write_that_finds_no_room_says_so_in_words(kept_connection, read_only, api, client):
    refused = api.publish(read_only)
    assert refused.status_code == 503
    assert "cannot save" in refused.json()["error"]
    assert int(refused["Retry-After"]) > 0
    form = client.post("/subscribe/north-shore", {"email": "reader@readers.example"})
    assert form.status_code == 503
    assert "cannot save" in form.content.decode()


def full(*args, **kwargs):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_a_507(live_story, api, monkeypatch):
    monkeypatch.setattr("publishing.actions.publish", full)
    refused = api.publish(live_story)
    assert (refused.status_code, refused.json()) == (507, {"error": outage.FULL})


def test_a_folder_of_ours_that_cannot_be_written_is_an_outage(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    kept, elsewhere = (PermissionError(13, "", f"{place}/a.jpg") for place in (tmp_path / "media", "/etc"))
    assert str(outage.error_for(kept)) == outage.READ_ONLY
    assert outage.error_for(elsewhere) is None


# --- A database that cannot be asked ---------------------------------------------------------------------------


class Away(psycopg.OperationalError):
    pass


def away(*args, **kwargs):
    raise OperationalError("the database server is away") from Away("away")


@pytest.mark.both_databases
def test_a_write_that_meets_an_outage_is_tried_once_and_answered_503(live_story, api, monkeypatch):
    from publishing import actions

    calls = []
    monkeypatch.setattr(actions, "publish", lambda *args, **kwargs: calls.append(args) or away())
    refused = api.publish(live_story)
    assert (refused.status_code, len(calls)) == (503, 1)
    assert refused.json() == {"error": outage.AWAY}
    assert refused["Retry-After"] == str(outage.RETRY_AFTER)


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "cause",
    [
        PoolTimeout("all connections are in use"),
        psycopg.errors.LockNotAvailable("lock_timeout"),
        psycopg.errors.QueryCanceled("statement_timeout"),
        psycopg.errors.DeadlockDetected("deadlock"),
    ],
    ids=lambda cause: type(cause).__name__,
)
def test_waiting_too_long_for_others_is_told_apart_from_a_database_that_is_away(cause):
    error = OperationalError(str(cause))
    error.__cause__ = cause
    told = outage.error_for(error)
    assert isinstance(told, outage.Busy) and told.retry_after == outage.RETRY_AFTER


PAGE = "/north-shore/small-voyages"


@pytest.mark.both_databases
def test_whoever_comes_at_the_moment_of_a_deletion_is_told_to_come_again(
    client, live_story, api, monkeypatch
):
    from publishing import actions
    from publishing.models import Publication

    def refer_to_nothing(*args, **kwargs):
        Publication.objects.create(story_id=uuid.uuid4())

    monkeypatch.setattr(actions, "publish", refer_to_nothing)
    monkeypatch.setattr(actions, "state_of", refer_to_nothing)
    monkeypatch.setattr(reading, "find_reading", refer_to_nothing)
    answers = [api.publish(live_story), api.state(live_story), client.get(PAGE)]
    assert [(answer.status_code, "Retry-After" in answer) for answer in answers] == [
        (423, True), (503, True), (503, True),
    ]  # fmt: skip


def test_outside_the_api_an_outage_is_a_page_and_inside_json(client, live_story, monkeypatch):
    from feed import lists

    monkeypatch.setattr(lists, "ranked", away)
    monkeypatch.setattr(reading, "find_reading", away)
    page, embed, api = (client.get(path) for path in ("/", f"{PAGE}/embed", "/api/v2/feed"))
    assert [answer.status_code for answer in (page, embed, api)] == [503] * 3
    assert b"Back in a moment" in page.content
    assert api.json() == {"error": outage.AWAY}
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors *" in embed["Content-Security-Policy"]
    assert "X-Frame-Options" not in embed


def test_what_an_outage_makes_others_log_is_one_line_a_minute_without_a_traceback():
    only_one, kept = outage.OneLineForAnOutage(), []
    for name in ("celery.app.trace", "celery.app.trace", "publishing.premieres.sweeping"):
        for error in (OperationalError("gone"), OperationalError("gone"), ValueError("a bug")):
            line = logging.LogRecord(name, 40, "", 1, "A task failed", (), (type(error), error, None))
            if only_one.filter(line):
                kept.append((name, line.getMessage(), bool(line.exc_info)))
    for _ in range(3):
        line = logging.LogRecord("psycopg.pool", 30, "", 1, "error connecting: it\n is %s", ("gone",), None)
        if only_one.filter(line):
            kept.append((line.name, line.getMessage(), bool(line.exc_info)))
    assert kept.pop() == ("psycopg.pool", "error connecting: it is gone", False)
    assert kept == [
        ("celery.app.trace", "A task failed [gone]", False),
        ("celery.app.trace", "A task failed", True),
        ("celery.app.trace", "A task failed", True),
        ("publishing.premieres.sweeping", "A task failed [gone]", False),
        ("publishing.premieres.sweeping", "A task failed", True),
    ]


def test_the_timer_of_a_worker_without_its_broker_is_quiet_too():
    """It logs an error of its own, raised while it handled the broker's, with the stack in the words."""
    try:
        try:
            raise redis.TimeoutError("Timeout reading from socket")
        except redis.TimeoutError as error:
            raise ValueError("Couldn't apply scheduled task") from error
    except ValueError as error:
        error.__cause__ = None  # the timer leaves only the context
        line = logging.LogRecord(
            "celery.beat", 40, "", 1, "Message Error: it\nstack", (), (None, error, None)
        )
    only_one = outage.OneLineForAnOutage()
    assert only_one.filter(line)
    assert line.getMessage() == "Message Error: it [Couldn't apply scheduled task]"
    assert not only_one.filter(
        logging.LogRecord("celery.beat", 40, "", 1, "again", (), (None, error_of(), None))
    )


def test_a_worker_logs_as_the_web_server_does():
    from celery.signals import setup_logging

    assert setup_logging.receivers  # or Celery brings its own handlers, whose lines no filter of ours sees


def error_of() -> Exception:
    return redis.ConnectionError("refused")
