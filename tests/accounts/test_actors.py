"""Actors: the credential they act through, and how far it reaches."""

from __future__ import annotations

import pytest

from accounts.actions import create_api_key
from accounts.actors import SCOPES, Actor
from accounts.models import Connection
from tests.support.oauth import App

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "who, writes, publishes, manages",
    [
        ("owner", True, True, True),
        ("admin", True, True, True),
        ("editor", True, True, False),
        ("viewer", False, False, False),
        ("stranger", False, False, False),
    ],
)
def test_the_role_in_a_workspace_decides_who_writes_publishes_and_manages(
    who, writes, publishes, manages, person, north_shore
):
    actor = Actor.by_token(person(who))
    told = [may(north_shore.pk) for may in (actor.may_write_in, actor.may_publish_in, actor.may_manage)]
    assert told == [writes, publishes, manages]


def test_an_actor_tells_through_what_they_act(owner, north_shore):
    key, _ = create_api_key(north_shore, by=owner, label="Nightly script")
    nameless, _ = create_api_key(north_shore, by=owner)
    App(owner).connect()
    connection = Connection.objects.with_reach().get()
    actors = [
        Actor.by_token(owner),
        Actor.by_token(owner, via="studio"),
        Actor.by_connection(connection, scopes=SCOPES),
        Actor.by_key(key),
        Actor.by_key(nameless),
        Actor.by_staff(owner),
    ]
    assert [(actor.via, actor.label) for actor in actors] == [
        ("token", ""),
        ("studio", ""),
        ("app", "Ink"),
        ("key", "Nightly script"),
        ("key", str(nameless)),
        ("staff", ""),
    ]


def test_an_app_that_asks_to_write_is_offered_it_unticked_and_in_plain_words(owner):
    app = App(owner)
    page = app.browser.get(app.authorize_url("stories:read stories:write")).content.decode()
    assert "Read your capsules, also unpublished ones" in page
    assert "readers see nothing of it until it is published" in page
    boxes = {
        box.split('value="')[1].split('"')[0]: "checked" in box.split(">")[0]
        for box in page.split("<input")[1:]
        if 'name="scopes"' in box
    }
    assert boxes == {"stories:read": True, "stories:write": False}
