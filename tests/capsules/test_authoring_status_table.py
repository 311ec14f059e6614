"""Who may do what: every operation of the OpenAPI document by role, by credential and by scope."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction

from accounts.actors import (
    APP_SCOPES,
    CONNECTIONS_READ,
    CONNECTIONS_WRITE,
    KEY_SCOPES,
    PUBLICATIONS_READ,
    PUBLICATIONS_WRITE,
    STORIES_READ,
    STORIES_WRITE,
)
from accounts.models import ApiKey, Connection
from capsules.models import Asset
from tests.support import factories, openapi
from tests.support.oauth import App

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Operation:
    """One operation on a ready story; `{names}` in the path are filled by `Cast`.

    `roles` says who may: "write" an editor and above, "read" everybody in the workspace, "own" whose it is, "all"
    whoever has a credential, "public" whoever has none.
    """

    method: str
    path: str
    scope: str
    status: int
    body: Any = None
    roles: str = "write"
    keys: bool = True  # whether a workspace's key opens it
    headers: tuple[tuple[str, str], ...] = ()
    is_json: bool = True

    @property
    def is_closed(self) -> bool:
        """Whether its body is JSON, with no other fields than its own."""
        return self.method != "GET" and self.is_json

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


DOCUMENT = openapi.document()
OUR_HEADERS = {*DOCUMENT["components"]["headers"], "Upload-Offset"}
S, UPLOAD = "/stories/{story}", "/uploads/{upload}/content"
OPERATIONS = [
    Operation("GET", "/workspaces", STORIES_READ, 200, roles="read"),
    Operation("GET", "/stories", STORIES_READ, 200, roles="read"),
    Operation("POST", "/stories", STORIES_WRITE, 201, {"title": "New", "workspaceId": "{workspace}"}),
    Operation("GET", S, STORIES_READ, 200, roles="read"),
    Operation("GET", S + "/draft", STORIES_READ, 200, roles="read"),
    Operation("PATCH", S, STORIES_WRITE, 200, {"title": "Changed"}),
    Operation("DELETE", S, STORIES_WRITE, 200),
    Operation("POST", "/stories/{trashed}/restore", STORIES_WRITE, 200),
    Operation("POST", S + "/duplicate", STORIES_WRITE, 201, {}),
    Operation("GET", S + "/scenes", STORIES_READ, 200, roles="read"),
    Operation("POST", S + "/scenes", STORIES_WRITE, 201, {"after": None}),
    Operation("GET", S + "/scenes/{scene}", STORIES_READ, 200, roles="read"),
    Operation("PATCH", S + "/scenes/{scene}", STORIES_WRITE, 200, {"text": "x"}),
    Operation("DELETE", S + "/scenes/{scene}", STORIES_WRITE, 200),
    Operation("POST", S + "/scenes/{scene}/move", STORIES_WRITE, 200, {"after": None}),
    Operation("POST", S + "/scenes/{scene}/duplicate", STORIES_WRITE, 201),
    Operation("POST", S + "/scenes/{scene}/restore", STORIES_WRITE, 200),
    Operation("PUT", S + "/scene-order", STORIES_WRITE, 200, {"scenes": "{order}"}),
    Operation("GET", S + "/previews", STORIES_READ, 200, roles="read"),
    Operation("POST", S + "/previews", STORIES_WRITE, 200),
    Operation("GET", S + "/previews/latest", STORIES_READ, 200, roles="read"),
    Operation("POST", S + "/previews/1/retry", STORIES_WRITE, 409),
    Operation("GET", S + "/readiness", STORIES_READ, 200, roles="read"),
    Operation("GET", S + "/revisions", STORIES_READ, 200, roles="read"),
    Operation("POST", S + "/revisions", STORIES_WRITE, 201, {"label": "Mine"}),
    Operation("GET", S + "/revisions/{revision}", STORIES_READ, 200, roles="read"),
    Operation("POST", S + "/revisions/{revision}/restore", STORIES_WRITE, 200),
    Operation("GET", S + "/editions", STORIES_READ, 200, roles="read"),
    Operation("POST", S + "/editions", STORIES_WRITE, 201, {"name": "short"}),
    Operation("PUT", S + "/visibility", PUBLICATIONS_WRITE, 200, {"visibility": "unlisted"}),
    Operation("GET", S + "/publication/options", PUBLICATIONS_READ, 200, roles="read"),
    Operation("GET", S + "/publication/history", PUBLICATIONS_READ, 200, roles="read"),
    Operation("GET", S + "/publication/versions", PUBLICATIONS_READ, 200, roles="read"),
    Operation("POST", S + "/publication/versions/1/restore", PUBLICATIONS_WRITE, 409),
    Operation("GET", S + "/premiere", PUBLICATIONS_READ, 200, roles="read"),
    Operation("DELETE", S + "/premiere", PUBLICATIONS_WRITE, 409),
    Operation("GET", S + "/premiere/letter", PUBLICATIONS_READ, 200, roles="read"),
    Operation("GET", "/workspaces/{workspace}/audience", PUBLICATIONS_READ, 200, roles="read"),
    Operation("GET", "/workspaces/{workspace}/statistics", STORIES_READ, 200, roles="read"),
    Operation("GET", S + "/statistics", STORIES_READ, 200, roles="read"),
    Operation("GET", "/media", STORIES_READ, 200, roles="read"),
    Operation("GET", "/media/{media}", STORIES_READ, 200, roles="read"),
    Operation("DELETE", "/media/{media}", STORIES_WRITE, 200),
    Operation("POST", "/media/{media}/still", STORIES_WRITE, 409, {"at": 0}),
    Operation("POST", "/uploads", STORIES_WRITE, 201, {"kind": "picture", "filename": "a.png", "size": 3}),
    Operation("POST", "/uploads/links", STORIES_WRITE, 201, {}),
    Operation("GET", "/uploads/{upload}", STORIES_WRITE, 200, roles="read"),
    Operation("HEAD", UPLOAD, STORIES_WRITE, 200, is_json=False),
    Operation("PATCH", UPLOAD, STORIES_WRITE, 204, headers=(("Upload-Offset", "0"),), is_json=False),
    Operation("DELETE", UPLOAD, STORIES_WRITE, 204, is_json=False),
    Operation("GET", S + "/publication", PUBLICATIONS_READ, 200, roles="read"),
    Operation("PUT", S + "/publication", PUBLICATIONS_WRITE, 200, {"premiereEmailMode": "OFF"}),
    Operation("DELETE", S + "/publication", PUBLICATIONS_WRITE, 200),
    Operation("GET", "/health", "", 200, roles="public"),
    Operation("GET", "/feed", "", 200, roles="public"),
    Operation("GET", "/me", "", 200, roles="all", keys=False),
    Operation("GET", "/connected-apps", CONNECTIONS_READ, 200, roles="all", keys=False),
    Operation("DELETE", "/connected-apps/{connection}", CONNECTIONS_WRITE, 200, roles="own", keys=False),
]
NAMED = [operation for operation in OPERATIONS if "{" in operation.path]


class Cast:
    """A ready story, one in the trash, and the identifiers that paths and bodies name."""

    def __init__(self, api: factories.Api, names: dict[str, Any]) -> None:
        self.api = api
        upload = api.call("POST", "/uploads", {"kind": "film", "filename": "a.mp4", "size": 3}).json()
        self.names = names | {"upload": upload["id"], "connection": ""}

    def filled(self, body: Any) -> Any:
        if isinstance(body, dict):
            return {key: self.filled(value) for key, value in body.items()}
        if isinstance(body, str) and body.startswith("{"):
            return self.names[body.strip("{}")]
        return body

    def call(self, operation: Operation, caller: factories.Api, **kwargs: Any) -> Any:
        if "{connection}" in operation.path and not self.names["connection"]:
            App(self.api.user).connect()
            self.names["connection"] = str(Connection.objects.live().get().pk)
        path = operation.path.format(**self.names)
        if operation.is_json:
            answer = caller.call(operation.method, path, self.filled(operation.body), **kwargs)
            assert_documented(operation, answer)
            return answer
        kind = "application/offset+octet-stream"
        headers = {**caller.headers(), **dict(operation.headers)}
        address, data = f"/api/v2{path}", b"abc" if operation.method == "PATCH" else b""
        answer = caller.client.generic(operation.method, address, data, content_type=kind, headers=headers)
        assert_documented(operation, answer)
        return answer


def names_of(api: factories.Api, story: Any, rendered: Any) -> dict[str, Any]:
    trashed = factories.make_story(story.workspace, rendered, title="In the trash", preview=False)
    assert api.call("DELETE", f"/stories/{trashed.pk}").status_code == 200
    named = api.call("POST", f"/stories/{story.pk}/revisions", {"label": "Start"}).json()
    scenes = list(story.scenes.all())
    return {
        "story": str(story.pk),
        "workspace": str(story.workspace_id),
        "trashed": str(trashed.pk),
        "scene": str(scenes[0].key),
        "revision": str(named["number"]),
        "order": [str(scene.key) for scene in scenes],
        "media": str(unused_picture(story.workspace).pk),
    }


def assert_documented(operation: Operation, answer: Any) -> None:
    """The document has this status, and every header of ours that the answer has."""
    documented = DOCUMENT["paths"][documented_path(operation)][operation.method.lower()]["responses"]
    described = documented[str(answer.status_code)].get("headers", {})
    assert {name for name in OUR_HEADERS if name in answer} <= set(described), answer.status_code


def unused_picture(workspace: Any) -> Asset:
    facts = {"filename": "unused.png", "media_type": "image/png", "width": 1, "height": 1}
    return Asset.objects.create(workspace=workspace, kind="picture", name="unused.png", **facts)


@dataclass
class AppsApi(factories.Api):
    """The API as a connected app calls it."""

    token: str = ""

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@pytest.fixture
def cast(api, ready_story, rendered, once) -> Cast:
    return Cast(api, once("names", lambda: names_of(api, ready_story, rendered)))


def test_the_table_has_every_operation_of_the_document():
    documented = {
        (method.upper(), plain(path.removeprefix("/api/v2")))
        for path, operations in DOCUMENT["paths"].items()
        for method, told in operations.items()
        if "Events" not in told["tags"]  # for owners and admins: tests/events has their table
    }
    assert {(operation.method, plain(operation.path)) for operation in OPERATIONS} == documented
    assert len(OPERATIONS) == len(documented), "each once"


def plain(path: str) -> str:
    return re.sub(r"\{\w+\}|\b1\b|\blatest\b", "{}", path)


OF_THE_CONTRACT = ("/feed", "/connected-apps")  # their clients may send whatever they like


def lists_of_ours() -> list[Operation]:
    schemas = DOCUMENT["components"]["schemas"]

    def is_list(operation: Operation) -> bool:
        told = DOCUMENT["paths"][documented_path(operation)]["get"]["responses"]["200"]
        schema = schemas[told["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]]
        return "nextCursor" in schema["properties"]

    reads = [each for each in OPERATIONS if each.method == "GET" and each.path not in OF_THE_CONTRACT]
    return [each for each in reads if is_list(each)]


def documented_path(operation: Operation) -> str:
    return next(path for path in DOCUMENT["paths"] if plain(path) == plain(f"/api/v2{operation.path}"))


def test_every_list_of_ours_names_a_parameter_that_it_does_not_know(cast):
    told = {
        "error": "The request is not valid.",
        "details": [{"path": "colour", "message": "There is no field of this name."}],
    }
    for operation in lists_of_ours():
        refused = cast.api.call("GET", f"{operation.path.format(**cast.names)}?colour=blue")
        assert (refused.status_code, refused.json()) == (400, told), operation


def test_lists_of_the_contract_ignore_what_they_do_not_know(cast):
    for path in OF_THE_CONTRACT:
        assert cast.api.call("GET", f"{path}?q=lantern").status_code == 200, path


@contextmanager
def undone() -> Iterator[None]:
    """Whatever one caller does is not there for the next."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def rows(cast) -> Callable[..., Iterator[Operation]]:
    """A function that gives the operations of a rule one by one, each upon the story as it was."""

    def each(is_meant: Callable[[Operation], bool]) -> Iterator[Operation]:
        for operation in filter(is_meant, OPERATIONS):
            cast.names["connection"] = ""
            with undone():
                yield operation

    return each


@pytest.fixture
def connected(cast, owner, once) -> Callable[..., AppsApi]:
    """A function that gives an app with these permissions, whose connection is what paths name."""

    def make(scopes: tuple[str, ...]) -> tuple[str, str]:
        app = App(owner).connect(" ".join(scopes))
        return app.tokens["access_token"], str(Connection.objects.live().latest("created_at").pk)

    def connect(*scopes: str) -> AppsApi:
        token, cast.names["connection"] = once(scopes, lambda: make(scopes))
        return AppsApi(cast.api.client, owner, token=token)

    return connect


def test_who_may_not_is_refused(rows, cast, person, workspace_key, connected):
    for operation in rows(lambda each: each.roles != "public"):
        assert cast.call(operation, cast.api.as_(None)).status_code == 401, f"{operation}: nobody"
        check_roles(operation, cast, person)
        ApiKey.objects.update(scopes=sorted({*KEY_SCOPES} - {operation.scope}))
        answer = cast.call(operation, cast.api.with_key(workspace_key))
        assert answer.status_code == (403 if operation.keys else 401), f"{operation}: a key with all else"
        if operation.keys and operation.method != "HEAD":
            assert operation.scope in answer.json()["error"], operation
        if operation.scope and not operation.keys:
            app = connected(*(scope for scope in APP_SCOPES if scope != operation.scope))
            answer = cast.call(operation, app)
            assert answer.status_code == 403, f"{operation}: an app with all else"
            assert operation.scope in answer["WWW-Authenticate"], operation


def check_roles(operation: Operation, cast: Cast, person: Any) -> None:
    if operation.roles in ("write", "own"):
        answer = cast.call(operation, cast.api.as_(person("viewer")))
        assert answer.status_code == (403 if operation.roles == "write" else 404), f"{operation}: a viewer"
    if operation.roles == "own":
        answer = cast.call(operation, cast.api.as_(person("editor")))
        assert answer.status_code == 404, f"{operation}: another than whose it is"
    if operation in NAMED:
        answer = cast.call(operation, cast.api.as_(person("stranger")))
        assert answer.status_code == 404, f"{operation}: a stranger cannot tell that it is there"
        named = ("story", "workspace", "media", "upload", "connection")
        words = [f"There is no such {name}." for name in named]
        assert operation.method == "HEAD" or answer.json()["error"] in words, operation


def test_who_may_does_it(rows, cast, person, workspace_key, connected):
    """What an editor may, an admin and an owner may; and what a viewer may, an editor: it is one set of roles. What is
    open to a key is open to an app: it is one question for its scope.
    """
    for operation in rows(lambda each: True):
        callers = {}
        if operation.roles == "public":
            callers["nobody"] = cast.api.as_(None)
        if operation.roles in ("read", "all"):
            callers["a viewer"] = cast.api.as_(person("viewer"))
        if operation.roles == "write":
            callers["an editor"] = cast.api.as_(person("editor"))
        if operation.keys and operation.scope:
            ApiKey.objects.update(scopes=[operation.scope])
            callers["a key"] = cast.api.with_key(workspace_key)
        elif operation.scope:
            callers["an app"] = connected(operation.scope)
        for who, caller in callers.items():
            with undone():
                answer = cast.call(operation, caller)
                assert answer.status_code == operation.status, (operation, who, answer.content)


def takes_a_key(operation: Operation) -> bool:
    told = DOCUMENT["paths"][documented_path(operation)][operation.method.lower()]
    return any(each.get("name") == "Idempotency-Key" for each in told.get("parameters", []))


def test_a_call_repeated_under_one_key_is_answered_as_the_first_time(rows, cast):
    key = {"Idempotency-Key": "k-1"}
    for operation in rows(lambda each: takes_a_key(each) and each.status != 409):
        first, again = (cast.call(operation, cast.api, headers=key) for _ in range(2))
        assert (again.status_code, again.json()) == (first.status_code, first.json()), operation
        told = ("Idempotency-Replayed" in first, again["Idempotency-Replayed"])
        assert told == (False, "true"), operation


def test_what_was_made_is_read_where_its_location_says(rows, cast):
    for operation in rows(lambda each: each.status == 201):
        answer = cast.call(operation, cast.api)
        if operation.path == "/uploads/links":
            assert "Location" not in answer, "it is told this once"
            continue
        read = cast.api.get(answer["Location"].removeprefix("/api/v2"))
        assert (read.status_code, read.get("ETag")) == (200, answer.get("ETag")), operation
        assert read.json() | answer.json() == read.json(), operation


def test_no_operation_on_drafts_and_media_is_called_more_often_than_its_rate_allows(cast, settings):
    settings.RATES = {**settings.RATES, "read": 0, "author": 0}
    for operation in OPERATIONS:
        if operation.scope in (STORIES_READ, STORIES_WRITE):
            answer = cast.call(operation, cast.api)
            assert (answer.status_code, answer.has_header("Retry-After")) == (429, True), operation


#: What whoever is suspended may do all the same, because it only takes down.
TAKES_DOWN = (f"DELETE {S}", f"DELETE {S}/premiere", f"DELETE {S}/publication")


def test_a_suspended_workspace_may_take_down_and_nothing_else(rows, cast, north_shore, person):
    north_shore.suspended_at = north_shore.created_at
    north_shore.save()
    for operation in rows(lambda each: each.method != "GET" and each.roles == "write"):
        answer = cast.call(operation, cast.api.as_(person("viewer")))
        assert answer.status_code == 403, f"{operation}: the role comes first"
        expected = operation.status if str(operation) in TAKES_DOWN else 423
        assert cast.call(operation, cast.api).status_code == expected, operation


def test_an_unknown_field_is_refused_and_named(rows, cast):
    unknown = {"path": "colour", "message": "There is no field of this name."}
    for operation in rows(lambda each: each.is_closed and each.roles == "write"):
        path = operation.path.format(**cast.names)
        body = {**(cast.filled(operation.body) or {}), "colour": 1}
        answer = cast.api.call(operation.method, path, body)
        assert answer.status_code == 400, operation
        assert unknown in answer.json()["details"], operation
