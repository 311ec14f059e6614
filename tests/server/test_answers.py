"""What every answer says to caches, and what bad requests cost."""

from __future__ import annotations

import importlib
import json
import logging

import pytest
from django.conf import settings
from django.db import connection
from django.http import HttpResponse
from django.test import Client, RequestFactory
from waitress.buffers import ReadOnlyFileBasedBuffer

from publishing.models import Publication

pytestmark = pytest.mark.django_db


PRIVATE_PAGES = [
    "/account/", "/account/email/", "/account/2fa/", "/account/sessions/", "/account/password/change/",
    "/account/password/reset/", "/account/reauthenticate/", "/account/connected-apps", "/admin/", "/api/v2/health",
]  # fmt: skip


@pytest.mark.parametrize("path", PRIVATE_PAGES)
def test_no_cache_keeps_what_is_somebodys(path, client, owner):
    client.force_login(owner)
    answer = client.get(path)
    assert "no-store" in answer["Cache-Control"], answer.status_code


def test_no_cache_keeps_the_answers_of_the_api(api, workspace_key, ready_story):
    for answer in (
        api.get("/me"),
        api.get("/connected-apps"),
        api.with_key(workspace_key).state(ready_story),
    ):
        assert answer.status_code == 200 and answer["Cache-Control"] == "no-store"
    assert Client().get("/api/v2/me")["Cache-Control"] == "no-store"


def test_the_feed_may_be_kept(client):
    assert client.get("/api/v2/feed")["Cache-Control"].startswith("public")


@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000,
        '{"a":' * 500 + "1" + "}" * 500,
        '{"email": "a", "email": "b"}',
        "{",
        "nonsense",
        '{"a": NaN}',
    ],
)
def test_signing_in_without_a_browser_takes_strict_json_only(body, caplog):
    answer = Client().post("/account/api/app/v1/auth/login", body, content_type="application/json")
    assert answer.status_code == 400 and "error" in answer.json()
    assert "Traceback" not in caplog.text


def test_signing_in_without_a_browser_is_answered_in_english(db, spoken, client):
    answer = client.post("/account/api/app/v1/auth/login", "{}", content_type="application/json")
    assert [error["message"] for error in answer.json()["errors"]] == ["This field is required."] * 2


def test_what_the_gate_refuses_reads_and_is_protected_as_any_answer_of_the_api(client, api, ready_story):
    refused = client.put(
        f"/api/v2/stories/{ready_story.pk}/publication", "{", content_type="application/json"
    )
    other = api.call("PUT", f"/stories/{ready_story.pk}/publication", {"slug": 7})
    assert (refused.status_code, other.status_code) == (400, 400)
    for name in ("X-Content-Type-Options", "Content-Security-Policy", "Permissions-Policy", "Cache-Control"):
        assert refused[name] == other[name], name
    assert refused.content.startswith(b'{"error":"') and other.content.startswith(b'{"error":"')


@pytest.mark.parametrize("path", ["/oembed?url=x", "/account/api/app/v1/config", "/api/v2/feed"])
def test_a_fault_of_ours_is_told_to_programs_in_json(path, client, monkeypatch):
    def breaks(*args: object, **kwargs: object) -> None:
        raise RuntimeError

    client.raise_request_exception = False
    monkeypatch.setattr("django.contrib.sessions.middleware.SessionMiddleware.process_request", breaks)
    answer = client.get(path)
    assert (answer.status_code, answer["content-type"]) == (500, "application/json")
    assert "quote reference" in answer.json()["error"]


@pytest.mark.parametrize("path", ["/", "/oembed?url=x", "/api/v2/feed"])
def test_a_fault_of_ours_is_one_line_with_its_trace(path, client, caplog, monkeypatch):
    def breaks(*args: object, **kwargs: object) -> None:
        raise RuntimeError

    client.raise_request_exception = False
    monkeypatch.setattr("django.contrib.sessions.middleware.SessionMiddleware.process_request", breaks)
    monkeypatch.setattr("feed.views.FeedViewSet.retrieve", breaks)
    assert client.get(path).status_code == 500
    assert [(line.levelname, bool(line.exc_info)) for line in caplog.records] == [("ERROR", True)]


def bad_host(browser: Client) -> HttpResponse:
    return browser.get("/account/login/", headers={"Host": "evil.example"})


def too_many_fields(browser: Client) -> HttpResponse:
    return browser.post("/account/login/", {f"field-{number}": "" for number in range(1001)})


@pytest.mark.django_db
@pytest.mark.parametrize("send", [bad_host, too_many_fields])
def test_what_strangers_do_wrong_costs_one_line_of_a_warning(send, caplog, settings):
    settings.ALLOWED_HOSTS = ["testserver"]
    assert send(Client()).status_code == 400
    assert [line.levelname for line in caplog.records] == ["WARNING"]
    assert "\n" not in logging.Formatter("%(message)s").format(caplog.records[0])


def test_an_unknown_format_of_oembed_is_nothing_to_log(client, caplog):
    assert client.get("/oembed?url=x&format=yaml").status_code == 501
    assert caplog.records == []


@pytest.mark.parametrize("query, body", [("?x=1", None), ("", {"a": 1}), ("?x=1", {"a": 1})])
def test_disconnecting_refuses_parameters_that_it_does_not_know(query, body, owner, api):
    from accounts.models import Connection
    from tests.support.oauth import App

    app = App(owner).connect()
    path = f"/connected-apps/{Connection.objects.get().pk}"
    refused = app.call("DELETE", f"{path}{query}", body)
    assert refused.status_code == 400 and refused.json()["details"]
    assert app.me() == 200
    missing = app.call("DELETE", f"/connected-apps/6b1a0f0e-0000-4000-8000-000000000000{query}", body)
    assert missing.status_code == 404
    assert json.loads(app.call("DELETE", path, {}).content) == {"revoked": True}


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_file_keeps_no_connection_of_the_database(client, owner, live_story, monkeypatch):
    """Waitress sends it by another thread, and the one that looked for it may have nothing to do for long."""
    monkeypatch.setattr("publishing.pages.changes.watch", lambda: None)
    monkeypatch.setattr("config.database.limit_statements", lambda: None)
    wsgi = importlib.import_module("config.wsgi")
    client.force_login(owner)
    name = min(Publication.objects.get(story=live_story).live_bake.blobs())
    session = f"{settings.SESSION_COOKIE_NAME}={client.session.session_key}"
    environ = RequestFactory().get(f"/media/{name}", headers={"Cookie": session}).environ
    environ["wsgi.file_wrapper"] = ReadOnlyFileBasedBuffer
    told: list[str] = []
    body = wsgi.answer(environ, lambda status, headers: told.append(status))
    assert told == ["200 OK"] and isinstance(body, ReadOnlyFileBasedBuffer)
    assert connection.connection is None or connection.vendor == "sqlite"  # which has as many as it likes
    body.close()
