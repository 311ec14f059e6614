"""Actors: the credential they act through, and how far it reaches."""

from __future__ import annotations

import pytest
from django.db.models import F

from accounts.actions import connections
from accounts.actions.keys import create_api_key, revoke_api_key
from accounts.actors import (
    CONNECTIONS_READ,
    PUBLICATIONS_READ,
    PUBLICATIONS_WRITE,
    SCOPES,
    STORIES_READ,
    STORIES_WRITE,
    Actor,
    MissingScope,
)
from accounts.models import Connection, Membership, User
from accounts.resources import challenge
from tests.support.oauth import App

pytestmark = pytest.mark.django_db


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


def test_a_credential_says_whose_it_is_and_how_far_it_reaches(owner, north_shore, harbour):
    Membership.objects.create(workspace=harbour, user=owner, role="owner")
    key, _ = create_api_key(north_shore, by=owner, scopes=[STORIES_READ])
    App(owner).connect(f"{STORIES_READ} {PUBLICATIONS_READ}", workspaces=[harbour])
    connection = Connection.objects.with_reach().get()
    asked = [STORIES_READ, CONNECTIONS_READ]
    assert Actor.by_token(owner) == Actor(
        owner, f"user:{owner.pk}", None, None, owner.default_workspace_id, False, "token"
    )
    assert Actor.by_staff(owner) == Actor(owner, f"staff:{owner.pk}", None, None, None, True, "staff")
    assert Actor.by_connection(connection, scopes=asked) == Actor(
        owner,
        f"connection:{connection.pk}",
        frozenset({harbour.pk}),
        frozenset({STORIES_READ}),
        harbour.pk,
        False,
        "app",
        "Ink",
    )
    assert Actor.by_key(key) == Actor(
        owner,
        f"key:{key.pk}",
        frozenset({north_shore.pk}),
        frozenset({STORIES_READ}),
        north_shore.pk,
        False,
        "key",
        str(key),
    )


def test_an_actor_sees_the_workspaces_of_their_credential(owner, north_shore, harbour):
    key, _ = create_api_key(north_shore, by=owner)
    Membership.objects.create(workspace=harbour, user=owner, role="owner")
    everywhere, by_key = Actor.by_token(owner), Actor.by_key(key)
    staff = Actor.by_staff(User.objects.create_user("helper@capsules.example", is_staff=True))
    assert set(everywhere.workspaces()) == set(staff.workspaces()) == {north_shore, harbour}
    assert list(by_key.workspaces()) == [north_shore]
    assert everywhere.default_workspace() == by_key.default_workspace() == north_shore
    assert staff.default_workspace() is None


def test_the_default_workspace_is_gone_with_the_membership(owner, north_shore):
    owner.memberships.all().delete()
    assert Actor.by_token(owner).default_workspace() is None


def test_an_app_whose_person_left_every_workspace_reaches_none(owner):
    App(owner).connect()
    owner.memberships.all().delete()
    actor = Actor.by_connection(Connection.objects.with_reach().get(), scopes=SCOPES)
    assert (actor.workspace_ids, actor.default_workspace()) == (frozenset(), None)
    assert not actor.workspaces()


def test_a_credential_that_still_holds_makes_the_same_actor_again(owner, north_shore):
    key, _ = create_api_key(north_shore, by=owner)
    App(owner).connect()
    connection = Connection.objects.with_reach().get()
    User.objects.filter(pk=owner.pk).update(is_staff=True)
    for actor in (
        Actor.by_token(owner),
        Actor.by_token(owner, via="studio"),
        Actor.by_connection(connection, scopes=[PUBLICATIONS_READ]),
        Actor.by_key(key),
        Actor.by_staff(owner),
    ):
        assert actor.now() == actor
    assert Actor.by_token(owner, via="link").now() is None, "a link does nothing that takes minutes"


def test_a_credential_that_ended_makes_no_actor_again(owner, north_shore):
    kept, _ = create_api_key(north_shore, by=owner)
    key, _ = create_api_key(north_shore, by=owner)
    App(owner).connect()
    connection = Connection.objects.with_reach().get()
    by_key, by_app = Actor.by_key(key), Actor.by_connection(connection, scopes=SCOPES)
    by_token, by_staff = Actor.by_token(owner), Actor.by_staff(owner)
    revoke_api_key(key, by=owner)
    connections.end(connection, because=Connection.Ended.REVOKED, by=owner)
    User.objects.filter(pk=owner.pk).update(token_generation=F("token_generation") + 1)
    assert [actor.now() for actor in (by_key, by_app, by_token, by_staff)] == [None] * 4
    assert Actor.by_key(kept).now() == Actor.by_key(kept)
    User.objects.filter(pk=owner.pk).update(is_active=False)
    assert Actor.by_key(kept).now() is None
    assert Actor.by_token(User.objects.get(pk=owner.pk)).now() is None


def test_a_missing_scope_is_named_and_an_app_is_told_what_to_ask_for(owner, north_shore):
    key, _ = create_api_key(north_shore, by=owner, scopes=[STORIES_READ])
    App(owner).connect(f"{PUBLICATIONS_WRITE} {STORIES_READ}")
    connection = Connection.objects.with_reach().get()
    Actor.by_token(owner).require_scope(STORIES_WRITE)
    Actor.by_key(key).require_scope(STORIES_READ)
    with pytest.raises(MissingScope) as by_key:
        Actor.by_key(key).require_scope(STORIES_WRITE)
    assert str(by_key.value) == "This key was not granted the permission stories:write."
    assert by_key.value.headers == {}
    with pytest.raises(MissingScope) as by_app:
        Actor.by_connection(connection, scopes=SCOPES).require_scope(STORIES_WRITE)
    assert str(by_app.value) == "This connection was not granted the permission stories:write."
    assert by_app.value.scope == STORIES_WRITE
    assert by_app.value.wanted == [STORIES_READ, STORIES_WRITE, PUBLICATIONS_WRITE]
    assert by_app.value.headers == {
        "WWW-Authenticate": challenge(scopes=by_app.value.wanted, error="insufficient_scope")
    }


def test_an_app_that_asks_to_write_is_offered_it_unticked_and_in_plain_words(owner):
    app = App(owner)
    page = app.browser.get(app.authorize_url("stories:read stories:write")).content.decode()
    assert "Read your capsules, including unpublished ones" in page
    assert "Readers see nothing until you publish" in page
    boxes = {
        box.split('value="')[1].split('"')[0]: "checked" in box.split(">")[0]
        for box in page.split("<input")[1:]
        if 'name="scopes"' in box
    }
    assert boxes == {"stories:read": True, "stories:write": False}
