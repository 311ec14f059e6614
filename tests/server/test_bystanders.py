"""Whatever is done to a story, or in a workspace: what belongs to another one stays as it is.

Every button of every page is pressed after words were typed into its form, and every operation of the API is called
with its own example. Each is taken back before the next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.actions.keys import create_api_key
from accounts.actors import Actor
from accounts.models import Membership, Reach, User, Workspace
from accounts.webhooks.actions import make_webhook
from capsules.models import Story
from tests.server.test_neighbours import fill, paths
from tests.support import factories, openapi
from tests.support.forms import path_of, sent_by
from tests.support.kept import tables
from tests.support.markup import parsed
from tests.support.oauth import App

pytestmark = pytest.mark.django_db
Crowd = Callable[[Workspace, int], Story]
Rows = dict[tuple[str, Any], tuple[Any, ...]]
#: What whole addresses, people and workspaces have in common.
SHARED = ("accounts_ratewindow", "cache", "django_session", "publishing_workspaceday")
#: What somebody types into a field, by its name or the kind of the field.
TYPED = {
    "email": "new-2@example.com", "url": "https://receiver.example/", "number": "1", "date": "2027-01-01",
    "typed": "north-shore", "name": "de-2",
}  # fmt: skip


def rows() -> Rows:
    return {
        (name, key): row
        for name, table in tables().items()
        if name not in SHARED
        for key, row in table.rows.items()
    }


def typed(form: Any, data: dict[str, str]) -> dict[str, str]:
    """What a form sends after every field that is seen got other words, and every list another choice."""
    for field in (*form.iter("input"), *form.iter("textarea")):
        name, kind = field.get("name"), field.get("type", "text")
        if kind in ("checkbox", "radio") and name:
            data[name] = field.get("value", "on")
        elif name and kind not in ("hidden", "file"):
            data[name] = TYPED.get(name) or TYPED.get(kind) or f"{data.get(name, '')} again"
    for field in form.iter("select"):
        values = [option.get("value", "") for option in field.iter("option")]
        data[field.get("name")] = next((value for value in values if value != data[field.get("name")]), "")
    return data


def presses(page: HttpResponse) -> Iterator[tuple[str, dict[str, str]]]:
    """The path and the data of every way to send a form of a page."""
    for form in parsed(page).iter("form"):
        if form.get("method", "get").lower() == "post":
            for button in form.iter("button"):
                if button.get("type", "submit") == "submit":
                    yield path_of(page, form, button), typed(form, sent_by(form, button))


def pages(client: Client, given: dict[str, Any]) -> Iterator[HttpResponse]:
    """The pages about a story or a workspace, and those to which they lead about the same."""
    (subject,) = map(str, given.values())
    waiting = deque(path for path in paths(**given) if not path.startswith("/api/"))
    seen = set(waiting)
    while waiting:
        cache.clear()
        page = client.get(waiting.popleft())
        if page.status_code != 200 or page.streaming or "html" not in page["content-type"]:
            continue
        yield page
        for link in parsed(page).iter("a"):
            path = link.get("href", "").partition("#")[0]
            if path.startswith("/") and subject in path and path not in seen:
                seen.add(path)
                waiting.append(path)


@pytest.fixture
def crowd(north_shore: Workspace, harbour: Workspace, rendered: Any, person: Callable[[str], User]) -> Crowd:
    """`crowd(workspace, number)`: a capsule among all that a workspace may have, of the same people and names."""
    owner = person("owner")
    for role in factories.ROLES:
        Membership.objects.create(workspace=harbour, user=person(role), role=role)

    def filled(workspace: Workspace, number: int) -> Story:
        make_webhook(workspace, url=TYPED["url"], by=Actor.by_token(owner, via="studio"))
        create_api_key(workspace, by=person("admin"))
        App(owner).connect(workspaces=[workspace.pk, north_shore.pk])
        return fill(workspace, owner, rendered, number)

    return filled


class Bystanders:
    """Rows that must stay as they are, and how many times somebody did something beside them."""

    def __init__(self, alone: Rows, before: Rows) -> None:
        self.all = rows()
        self.rows = {
            key: row for key, row in before.items() if alone.get(key) != row and self.all.get(key) == row
        }
        self.done: list[str] = []

    @contextmanager
    def beside(self, what: str) -> Iterator[None]:
        cache.clear()
        with transaction.atomic():
            yield
            now = rows()
            transaction.set_rollback(True)
        assert [key for key, row in self.rows.items() if now.get(key) != row] == [], what
        if now != self.all:
            self.done.append(what)


def press_all(client: Client, bystanders: Bystanders, **given: Any) -> None:
    for page in pages(client, given):
        for path, data in presses(page):
            if path != reverse("account_logout"):
                with bystanders.beside(f"{path} {data}"):
                    client.post(path, data)


def call_all(api: factories.Api, bystanders: Bystanders, root: str, **ids: Any) -> None:
    """Calls every operation below `root` that changes something, with its own example."""
    for path, operations in openapi.document()["paths"].items():
        place = path.removeprefix("/api/v2")
        if not place.startswith(root):
            continue
        for method in operations.keys() - {"get", "head", "parameters"}:
            content = operations[method].get("requestBody", {}).get("content", {}).get("application/json", {})
            for example in content.get("examples", {"": {"value": None}}).values():
                where = place.format(**ids)
                with bystanders.beside(f"{method} {where} {example}"):
                    api.call(method.upper(), where, example["value"])


def test_a_capsule_beside_others(crowd, north_shore, harbour, owner, client, api):
    alone = rows()
    crowd(harbour, 2)
    crowd(north_shore, 2)
    before = rows()
    story = crowd(north_shore, 1)
    client.force_login(owner)
    gone = Story.objects.filter(workspace=north_shore, title="Gone 1 0").get()
    bystanders = Bystanders(alone, before)
    for each in (story, story.editions.get(), gone):
        press_all(client, bystanders, story=each.pk)
        scene = each.scenes.first()
        call_all(api, bystanders, "/stories", id=each.pk, scene=scene and scene.key, number=1)
    assert len(bystanders.done) >= 55


def test_a_workspace_beside_another(crowd, north_shore, harbour, owner, client, api):
    alone = rows()
    crowd(harbour, 2)
    before = rows()
    crowd(north_shore, 1)
    client.force_login(owner)
    bystanders = Bystanders(alone, before)
    # A connection of both stays; that it reaches this one does not.
    reached = {
        ("accounts_reach", reach.pk) for reach in Reach.objects.filter(membership__workspace=north_shore)
    }
    for key in reached | {key for key, row in bystanders.rows.items() if north_shore.pk.hex in row}:
        bystanders.rows.pop(key, None)
    press_all(client, bystanders, workspace=north_shore.pk)
    hook = north_shore.webhooks.get()
    call_all(api, bystanders, "/workspaces", workspace=north_shore.pk, webhook=hook.pk)
    call_all(api, bystanders, "/uploads", id=north_shore.uploads.get().pk)
    assert len(bystanders.done) >= 40
