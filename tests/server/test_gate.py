"""What every API request passes before routing: how large its body may be, who reads it, and what it costs."""

from __future__ import annotations

import gzip
import time
from contextlib import suppress

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from config.errors import Invalid
from config.middleware import ApiGate, parse_json

STORY = "/api/v2/stories/4f1c"


class Unreadable:
    """A body that nobody may read."""

    def read(self, size: int = -1) -> bytes:
        raise AssertionError("The gate read the body.")

    readline = read


def passed(request: HttpRequest) -> HttpResponse:
    return ApiGate(lambda request: HttpResponse("passed"))(request)


def sent(method: str, path: str, size: int, **headers: str) -> HttpResponse:
    """The gate's answer to a JSON string of this many bytes."""
    body = b'"' + b"a" * (size - 2) + b'"'
    return passed(
        RequestFactory().generic(method, path, body, content_type="application/json", headers=headers)
    )


def cpu_seconds(body: bytes) -> float:
    """What it takes to parse a body, in the best of three tries."""
    tries = []
    for _ in range(3):
        before = time.thread_time()
        with suppress(Invalid):
            parse_json(body)
        tries.append(time.thread_time() - before)
    return min(tries)


def test_a_key_that_stands_twice_among_many_is_found_without_counting_each_among_all():
    keys = ",".join(f'"k{number}":1' for number in range(8_000))
    with pytest.raises(Invalid) as refused:
        parse_json(f'{{{keys},"k7":1}}'.encode())
    assert [fault.path for fault in refused.value.faults] == ["k7"]
    good, bad = cpu_seconds(f"{{{keys}}}".encode()), cpu_seconds(f'{{{keys},"k7":1}}'.encode())
    assert bad < 20 * good  # counted key by key it is a hundred times as much


def test_of_thousands_of_keys_that_are_there_twice_the_first_are_named():
    twice = ",".join(f'"k{number}":1,"k{number}":1' for number in range(8_000))
    with pytest.raises(Invalid) as refused:
        parse_json(f"{{{twice}}}".encode())
    assert len(refused.value.faults) == 21
    assert refused.value.faults[-1].message == "… and 7980 more."


@pytest.mark.parametrize(
    "body, told",
    [
        (b"\xef\xbb\xbf{}", "The body begins with a byte order mark. Send it without."),
        (gzip.compress(b"{}", mtime=0), "The body is compressed with gzip. Send it as it is."),
        ("{}".encode("utf-16"), "The body is not UTF-8."),
    ],
)
def test_a_body_that_is_json_but_for_its_wrapping_is_refused_with_what_is_wrong(body, told):
    with pytest.raises(Invalid) as refused:
        parse_json(body)
    assert [fault.message for fault in refused.value.faults] == [told]


def test_a_large_story_without_a_credential_is_refused_before_it_is_parsed():
    limit = 64 * 1024
    assert sent("POST", "/api/v2/stories", limit).status_code == 200
    refused = sent("POST", "/api/v2/stories", limit + 1)
    assert (refused.status_code, "larger than 64 KiB" in refused.content.decode()) == (413, True)
    bearer = {"Authorization": "Bearer x"}
    assert sent("POST", "/api/v2/stories", limit + 1, **bearer).status_code == 200


@pytest.mark.parametrize(
    "path, limit",
    [
        ("/api/v2/stories", 512),
        (STORY, 512),
        (f"{STORY}/scenes/2", 512),
        (f"{STORY}/publication", 64),
        ("/api/v2/feed", 64),
        ("/api/v2/uploads", 64),
        ("/api/v2/storiesX", 64),
    ],
)
def test_a_story_may_be_larger_than_what_else_the_api_takes(path, limit):
    credential = {"x-api-key": "cap_key"}
    assert sent("PUT", path, limit * 1024, **credential).status_code == 200
    refused = sent("PUT", path, limit * 1024 + 1, **credential)
    status = 413 if limit == 512 else 400  # what the contract has keeps its 400
    assert (refused.status_code, f"larger than {limit} KiB" in refused.content.decode()) == (status, True)


def upload(method: str, path: str = "/api/v2/uploads/7d1e/content") -> HttpRequest:
    factory = RequestFactory()
    return factory.generic(
        method, path, content_type="application/offset+octet-stream", CONTENT_LENGTH=str(8 << 20)
    )


def test_a_slice_of_an_upload_is_left_for_its_view_to_read():
    request = upload("PATCH")
    request.META["wsgi.input"] = request._stream = Unreadable()  # type: ignore[attr-defined]
    assert passed(request).content == b"passed"


@pytest.mark.parametrize(
    "method, path",
    [("PUT", "/api/v2/uploads/7d1e/content"), ("PATCH", "/api/v2/uploads/7d1e"), ("PATCH", STORY)],
)
def test_no_other_request_may_bring_as_much(method, path):
    assert passed(upload(method, path)).status_code in (400, 413)


def test_a_slice_of_an_upload_to_a_foreign_host_is_refused():
    request = upload("PATCH")
    request.META["HTTP_HOST"] = "foreign.example"
    assert passed(request).status_code == 400


def sent_as_a_form(client: Client, size: int, path: str = "/account/login/") -> HttpResponse:
    """A form that says how large it is, and that nobody may read."""
    return client.post(
        path, content_type="multipart/form-data; boundary=x", CONTENT_LENGTH=str(size), data=b""
    )


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/account/login/", "/studio/token", "/admin/login/", "/nowhere"])
def test_a_large_form_of_nobody_is_refused_before_it_is_read(path, client, settings):
    assert sent_as_a_form(client, settings.FORM_LIMIT + 1, path).status_code == 413
    assert sent_as_a_form(client, settings.FORM_LIMIT, path).status_code != 413


def test_somebody_who_is_signed_in_sends_files_up_to_a_limit(client, person, settings):
    client.force_login(person("owner"))
    page = f"/studio/{person('owner').memberships.get().workspace_id}/from-folder"
    assert sent_as_a_form(client, settings.FILE_FORM_LIMIT, page).status_code == 302
    assert sent_as_a_form(client, settings.FILE_FORM_LIMIT + 1, page).status_code == 413


@pytest.mark.parametrize(
    "body", ['{"\\ud800": 1}', '{"\\ud800": 1, "\\ud800": 2}', '[{"a": {"\\u0000": 1}}]']
)
def test_no_key_has_what_cannot_be_stored(body):
    with pytest.raises(Invalid):
        parse_json(body.encode())


@pytest.mark.parametrize("path", ["auth/signup", "auth/login", "tokens/refresh"])
def test_signing_in_without_a_browser_takes_no_half_of_a_pair(path, db):
    half = dict.fromkeys(["email", "password", "refresh_token"], "\ud800aaaaaaaaaa")
    answer = Client().post(f"/account/api/app/v1/{path}", half, content_type="application/json")
    assert answer.status_code == 400 and "surrogate" in answer.content.decode()
