"""Numbers that no row can have, wherever somebody can send one: an answer, never a failure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.utils import get_fields_from_path
from django.db import connection
from django.db.models import ForeignKey, IntegerField
from django.test import Client
from django.urls import reverse

from accounts import tokens
from accounts.actors import Actor
from accounts.models import User
from accounts.webhooks import actions as webhooks
from capsules.models import Story
from tests.support.oauth import App

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

#: Past 63 bits, and longer than Python reads. Past 31 bits, where SQLite's columns do not end.
NUMBERS = [f"{2**63}", "9" * 5000]
SHORTER = ["9999999999"] if connection.vendor == "postgresql" else []
STORY_PAGES = [
    "history/{}/frame",
    "versions/{}/frame",
    "preview/{}",
    "preview/{}/frame",
    "preview/{}/card",
    "preview/{}/letter/FULL",
    "history?page={}",
    "history?at={}",
    "versions?page={}",
]
STORY_FORMS = [
    ("history", {"do": "restore", "at": None, "revision": None}),
    ("history", {"do": "restore_scene", "at": None, "scene": None, "revision": None}),
    ("history", {"do": "name", "at": None, "label": "One"}),
    ("versions", {"do": "restore", "number": None}),
]

Asked = tuple[Client, str, str, dict[str, Any]]


def browser(user: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def filled(form: dict[str, Any], number: str) -> dict[str, Any]:
    """The form with `number` for every None in it."""
    return {name: number if value is None else value for name, value in form.items()}


def of_pages(owner: User, story: Story, number: str) -> Iterator[Asked]:
    person, place = browser(owner), f"/account/workspaces/{story.workspace_id}"
    for page in STORY_PAGES:
        yield person, "get", f"/studio/stories/{story.pk}/{page.format(number)}", {}
    for page, form in STORY_FORMS:
        yield person, "post", f"/studio/stories/{story.pk}/{page}", filled(form, number)
    for page in (f"/studio/{story.workspace_id}?page=", f"/studio/{story.workspace_id}/media?page="):
        yield person, "get", f"{page}{number}", {}
    yield person, "get", f"{place}/audit-log?before={number}&page={number}", {}
    yield person, "get", f"/subscribers/{story.workspace_id}/premieres/{number}/FULL", {}
    for form in (f"/account/memberships/{number}/leave", f"{place}/members/{number}/remove"):
        yield person, "post", form, {}
    yield person, "post", f"{place}/members/{number}/role", {"role": "editor"}
    yield person, "post", "/account/profile", {"name": "Ana", "default_workspace": number}
    yield person, "post", "/account/sessions/", {"session": number}
    yield person, "post", f"/account/2fa/webauthn/keys/{number}/remove/", {}
    yield person, "get", f"/r/{number}?b={number}&e={number}", {}
    yield person, "get", f"/oembed?url=/north-shore/small-voyages&maxwidth={number}&maxheight={number}", {}
    hook = f"{place}/webhooks/{story.workspace.webhooks.get().pk}"
    yield person, "get", f"{hook}?before={number}", {}
    yield person, "post", f"{hook}/replay", {"after": number, "until": number}
    yield person, "post", f"{hook}/replay", {"delivery": number}


def of_apps(owner: User, number: str) -> Iterator[Asked]:
    chosen = {"workspaces": [number], "default": number, "scopes": ["stories:read"]}
    app = App(owner, browser=browser(owner))
    yield app.browser, "post", app.authorize_url("stories:read"), {"answer": "allow", **chosen}
    token = {"name": "Mine", "days": number, **chosen}
    yield app.browser, "post", "/account/connected-apps/new-token", token
    yield app.browser, "post", "/account/connected-apps/new-token", {**token, "days": "30"}
    yield app.browser, "get", f"/account/connected-apps/new-token?workspace={number}", {}


def of_programs(owner: User, story: Story, number: str) -> Iterator[Asked]:
    program = Client(
        raise_request_exception=False, headers={"Authorization": f"Bearer {tokens.issue(owner)}"}
    )
    own, place = f"/api/v2/stories/{story.pk}", f"/api/v2/workspaces/{story.workspace_id}"
    hook = f"{place}/webhooks/{story.workspace.webhooks.get().pk}"
    lists = [f"{own}/{name}" for name in ("previews", "revisions", "publication/history")]
    for path in (*lists, "/api/v2/feed", "/api/v2/stories", f"{place}/events", f"{hook}/deliveries"):
        yield program, "get", f"{path}?limit={number}", {}
    yield program, "get", f"{place}/events?after={number}", {}
    yield program, "get", f"{own}/statistics?from={number}", {}
    for path in ("previews/{}", "revisions/{}"):
        yield program, "get", f"{own}/{path.format(number)}", {}
    for path in ("previews/{}/retry", "revisions/{}/restore", "publication/versions/{}/restore"):
        yield program, "post", f"{own}/{path.format(number)}", {}
    scene = f"{own}/scenes/{story.scenes.first().key}"
    for path in (own, scene):
        yield program, "patch", path, {"headers": {"If-Match": f'"{number}"'}, "data": {"title": "Other"}}
    value = int(number) if re.fullmatch("-?[0-9]{1,4000}", number) else number
    for field in ({"focus": [value, value]}, {"trim": {"start": value, "length": value}}):
        yield program, "patch", scene, {"data": field}
    yield program, "post", f"{hook}/replay", {"data": {"after": value, "until": value}}
    yield program, "post", "/api/v2/uploads/links", {"data": {"expiresIn": value}}
    upload = {"filename": "a.png", "size": value, "workspaceId": str(story.workspace_id)}
    yield program, "post", "/api/v2/uploads", {"data": upload}


def of_staff(number: str) -> Iterator[Asked]:
    """Rows that are numbered, and lists that are narrowed to a row or a number."""
    staff = browser(User.objects.create_superuser("staff@capsules.example", "demo-only"))
    for model, room in admin.site._registry.items():
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        rows, key = reverse(f"{name}_changelist"), model._meta.pk
        if isinstance(key, IntegerField):
            yield staff, "get", reverse(f"{name}_change", args=[number]), {}
            yield staff, "get", f"{rows}?{key.name}__exact={number}", {}
        for field in room.list_filter:
            shown = get_fields_from_path(model, field)[-1] if isinstance(field, str) else None
            if isinstance(shown, IntegerField | ForeignKey):
                yield staff, "get", f"{rows}?{field}__exact={number}", {}
    yield staff, "get", f"/admin/accounts/user/?p={number}", {}
    yield staff, "get", f"/admin/publishing/premiere/{number}/preview/FULL", {}


@pytest.mark.parametrize("number", NUMBERS + SHORTER, ids=len)
def test_a_number_that_no_row_has_is_answered(number, owner, live_story):
    by = Actor.by_token(owner, via="studio")
    webhooks.make_webhook(live_story.workspace, url="https://hooks.example/", by=by)
    check_answered(of_pages(owner, live_story, number))
    check_answered(of_apps(owner, number))
    check_answered(of_programs(owner, live_story, number))


@pytest.mark.parametrize("number", NUMBERS, ids=len)
def test_a_number_that_no_row_has_is_answered_to_staff(number, live_story):
    check_answered(of_staff(number))


def check_answered(table: Iterator[Asked]) -> None:
    failed = [sent for sent in table if status_of(*sent) >= 500]
    assert not failed, "\n".join(str(sent)[:400] for _, *sent in failed)


def status_of(who: Client, method: str, path: str, sent: dict[str, Any]) -> int:
    call = getattr(who, method)
    if method == "get":
        return int(call(path).status_code)
    is_program = path.startswith("/api/")
    return int(
        (call(path, content_type="application/json", **sent) if is_program else call(path, sent)).status_code
    )
