"""Every refusal has a body: the contract's under /api, words for a person elsewhere."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from tests.support.agents import BROWSER
from tests.support.factories import Api

pytestmark = pytest.mark.django_db

SLICE = "application/offset+octet-stream"
WHOLE = {"Content-Type": SLICE, "Upload-Offset": "0"}
NOBODY = "7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11"


def assert_error_body(answer: Any, status: int) -> None:
    """Exactly `{error}` or `{error, details: [{path, message}]}`, as JSON."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/json"
    body = answer.json()
    assert set(body) <= {"error", "details"} and isinstance(body["error"], str) and body["error"]
    assert all(set(fault) == {"path", "message"} for fault in body.get("details", []))


ROUTES = [
    *[(method, path, 404) for method in ("GET", "POST", "BREW") for path in ("/api/", "/api/v1/feed", "/api/v2")],
    *[("GET", f"/api/v2/{path}", 404) for path in ("", "nope", "feed/", "%ff", "%00", "nope/a%2Fb")],
    *[("DELETE", f"/api/v2/{path}", 405) for path in ("feed", "health", "schema", "docs", "stories")],
    *[(method, "/api/v2/feed", 405) for method in ("OPTIONS", "TRACE", "POST", "BREW")],
    *[("GET", f"/api/v2/{path}", 401) for path in ("me", "stories", f"stories/{NOBODY}/publication")],
    ("GET", "/api/v2/feed?limit=x", 400),
    ("GET", "/api/v2/feed?cursor=%00", 400),
]  # fmt: skip


@pytest.mark.parametrize("method, path, status", ROUTES, ids=[f"{m} {p}" for m, p, _ in ROUTES])
def test_an_address_that_cannot_be_called_so_says_why_in_the_errors_shape(method, path, status, client):
    assert_error_body(client.generic(method, path), status)


#: What is sent, by the headers and the body, to the routes of `sent`.
SENT: list[tuple[str, str, dict[str, str], bytes, int]] = [
    ("POST", "/stories", {}, b"{", 400),
    ("POST", "/stories", {}, b"\xff", 400),
    ("POST", "/stories", {}, b"[" * 5000, 400),
    ("POST", "/stories", {"Content-Type": "multipart/form-data; boundary=x"}, b"--x", 400),
    ("POST", "/stories", {"Content-Length": "x"}, b"{}", 400),
    ("PUT", "/stories/{story}/publication", {}, b" " * 70_000, 400),
    ("POST", "/stories", {}, b" " * 600_000, 413),
    ("PATCH", "/stories/{story}", {"If-Match": "?"}, b"{}", 400),
    ("PATCH", "/stories/{story}", {"If-Match": '"99"'}, b'{"title": "x"}', 412),
    ("GET", "/stories/{other}", {}, b"", 404),
    ("POST", "/stories/{story}/publication/versions/9/restore", {}, b"", 409),
    ("PATCH", "/uploads/{upload}/content", {**WHOLE, "Content-Length": ""}, b"abc", 411),
    ("PATCH", "/uploads/{upload}/content", {"Content-Type": "text/plain", "Upload-Offset": "0"}, b"abc", 415),
    ("PATCH", "/uploads/{upload}/content", {"Content-Type": SLICE, "Upload-Offset": "9"}, b"abc", 409),
    ("PATCH", "/uploads/{upload}/content", WHOLE, b"a" * 99, 413),
    ("PATCH", "/uploads/{upload}/content", {"Content-Type": SLICE, "Tus-Resumable": "0.9"}, b"", 412),
]  # fmt: skip


@pytest.mark.parametrize("method, path, headers, body, status", SENT)
def test_what_cannot_be_taken_is_refused_in_the_errors_shape(
    method, path, headers, body, status, api: Api, ready_story
):
    announced = {"kind": "film", "filename": "a.mp4", "size": 3}
    upload = api.call("POST", "/uploads", announced).json()["id"] if "{upload}" in path else ""
    address = path.format(story=ready_story.pk, other=NOBODY, upload=upload)
    given = dict(headers)
    environ = {"CONTENT_LENGTH": given.pop("Content-Length")} if "Content-Length" in given else {}
    kind = given.pop("Content-Type", "application/json")
    answer = api.client.generic(
        method, f"/api/v2{address}", body, content_type=kind, headers={**api.headers(), **given}, **environ
    )
    assert_error_body(answer, status)


def raises(error: Exception) -> Callable[..., None]:
    def act(*args: Any, **kwargs: Any) -> None:
        raise error

    return act


@pytest.mark.parametrize(
    "error, status",
    [
        (RuntimeError("a fault of ours"), 500),
        (OSError(errno.ENOSPC, "No space left on device"), 507),
        (OSError(errno.EROFS, "Read-only file system"), 503),
        (OperationalError("the server closed the connection"), 503),
    ],
)
@pytest.mark.parametrize("where", ["publishing.actions.publish", "accounts.throttling.check_rate"])
def test_a_fault_or_an_outage_has_the_errors_shape(where, error, status, api: Api, ready_story, monkeypatch):
    api.client.raise_request_exception = False
    monkeypatch.setattr(where, raises(error))
    assert_error_body(api.publish(ready_story), status)


def test_over_the_rate_and_without_the_right_the_shape_is_the_same(api, person, ready_story, settings):
    assert_error_body(api.as_(person("viewer")).publish(ready_story), 403)
    settings.RATES = {**settings.RATES, "write": 0}
    assert_error_body(api.publish(ready_story), 429)
    settings.ALLOWED_HOSTS = ["elsewhere.example"]
    assert_error_body(api.get("/me"), 400)


# --- Elsewhere -------------------------------------------------------------------------------------------------

PAGES = [
    ("GET", "/nope", 404),
    ("GET", "/north-shore/nope", 404),
    ("GET", "/north-shore/nope/embed", 404),
    ("POST", "/", 405),
    ("GET", "/logout-nope/%ff", 404),
    ("GET", "/media/nope.jpg", 404),
    ("GET", "/static/nope.css", 404),
    ("GET", "/oembed", 400),
    ("GET", "/oembed?url=http://testserver/north-shore/nope", 404),
    ("DELETE", "/oembed", 405),
    ("GET", "/studio/up/nope", 410),
    ("GET", "/unsubscribe/nope", 404),
    ("GET", "/feed.atom/nope", 404),
    ("GET", "/sitemap-nope.xml", 404),
    ("POST", "/sitemap.xml", 405),
    ("POST", "/robots.txt", 405),
    ("POST", "/r/1", 404),
    ("PUT", "/r/1", 405),
    ("GET", "/.well-known/nope", 404),
    ("GET", "/oauth/authorize", 302),
    ("GET", "/oauth/token", 405),
    ("POST", "/oauth/token", 400),
    ]  # fmt: skip


@pytest.mark.parametrize("method, path, status", PAGES, ids=[f"{m} {p}" for m, p, _ in PAGES])
def test_a_page_that_cannot_be_shown_is_never_blank(method, path, status, client: Client):
    answer = client.generic(method, path, headers={"User-Agent": BROWSER})
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    assert answer.status_code == status, body[:200]
    assert status == 302 or re.sub(rb"<[^>]*>|\s", b"", body), "a blank page"
