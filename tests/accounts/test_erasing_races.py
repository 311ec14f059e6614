"""A workspace is deleted while somebody works in it: who was first finishes, and who comes later finds it gone."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from accounts.actions import erasing, members, workspaces
from accounts.actors import Actor
from accounts.models import Invitation, User, Workspace
from capsules.actions import drafts, media
from config.errors import NotFound
from publishing import actions as publishing
from tests.support import factories
from tests.support.locks import held_up
from tests.support.oauth import App

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time"),
]


@pytest.mark.parametrize("what", ["an edit", "an unpublish", "a consent"])
def test_a_workspace_is_deleted_while_somebody_works_in_it(what, north_shore, owner, rendered, api):
    story = factories.make_story(north_shore, rendered)
    assert api.publish(story, premiereEmailMode="TEASER").status_code == 200
    app = App(owner)

    def work() -> Any:
        if what == "an edit":
            return api.call("PATCH", f"/stories/{story.pk}", {"title": "Changed"})
        if what == "an unpublish":
            return api.call("DELETE", f"/stories/{story.pk}/publication")
        return app.consent()

    with held_up(lambda: erasing.erase_workspace(north_shore, by=owner)) as (came, stall):
        assert work().status_code in (200, 302)
        stall()
    assert came == [None]
    assert not Workspace.objects.filter(pk=north_shore.pk).exists()


@pytest.mark.parametrize("what", [
    "accept", "invite", "change a role", "remove", "suspend", "resume", "title", "words", "time zone", "picture",
    "name", "upload", "delete a file", "unpublish", "visibility",
])  # fmt: skip
def test_whoever_waits_for_the_deletion_finds_the_workspace_gone(
    what, north_shore, owner, person, rendered, api
):
    story = factories.make_story(north_shore, rendered)
    assert api.publish(story).status_code == 200
    editor, invited = person("editor").memberships.get(), User.objects.create_user("new@example.com")
    members.invite(north_shore, invited.email, role="editor", by=owner)
    invitation, asset = Invitation.objects.get(), north_shore.assets.first()
    picture = {"kind": "picture", "filename": "a.jpg", "size": 1000, "workspaceId": str(north_shore.pk)}
    act = {
        "accept": lambda: members.accept(invitation, by=invited),
        "invite": lambda: members.invite(north_shore, "more@example.com", role="editor", by=owner),
        "change a role": lambda: members.change_role(editor, "viewer", by=owner),
        "remove": lambda: members.remove_member(editor, by=owner),
        "suspend": lambda: workspaces.suspend(north_shore, by=owner),
        "resume": lambda: workspaces.resume(north_shore, by=owner),
        "title": lambda: workspaces.change_title(north_shore, "Another", by=owner),
        "words": lambda: workspaces.change_words(north_shore, about="It.", links=[], by=owner),
        "time zone": lambda: workspaces.change_time_zone(north_shore, "Europe/Lisbon", by=owner),
        "picture": lambda: workspaces.change_picture(north_shore, "", by=owner),
        "name": lambda: workspaces.change_name(north_shore, "another-name", by=owner),
        "upload": lambda: api.call("POST", "/uploads", picture).status_code,
        "delete a file": lambda: media.delete_asset(asset),
        "unpublish": lambda: api.call("DELETE", f"/stories/{story.pk}/publication").status_code,
        "visibility": lambda: publishing.set_visibility(story, "public", by=Actor.by_token(owner)),
    }[what]
    with held_up(act) as (came, stall):
        erasing.erase_workspace(Workspace.objects.get(pk=north_shore.pk), by=owner)
        stall()
    assert came == [404] or isinstance(came[0], NotFound)


@pytest.mark.parametrize("what", ["capsule", "publication"])
def test_what_is_new_as_the_workspace_goes_is_told_to_come_again(what, north_shore, owner, rendered, api):
    story = factories.make_story(north_shore, rendered)
    new = {"title": "New", "workspaceId": str(north_shore.pk)}
    act = {
        "capsule": lambda: api.call("POST", "/stories", new).status_code,
        "publication": lambda: api.publish(story).status_code,
    }[what]
    with held_up(act) as (came, stall):
        erasing.erase_workspace(Workspace.objects.get(pk=north_shore.pk), by=owner)
        stall()
    assert (came, act()) == ([503 if what == "capsule" else 423], 404)


@pytest.mark.parametrize("role", ["owner", "editor"])
def test_an_account_is_deleted_while_a_capsule_of_it_is_edited(role, north_shore, owner, person, rendered):
    gone = person("editor")
    story = factories.make_story(north_shore, rendered, created_by=gone)
    editor = Actor.by_token(gone if role == "editor" else owner)
    with held_up(lambda: erasing.erase_user(gone, by=gone)) as (came, stall):
        drafts.update_story(story, {"title": "Changed"}, by=editor)
        stall()
    assert came == [None]
    story.refresh_from_db()
    assert (story.title, story.created_by) == ("Changed", None)


def test_an_app_is_allowed_while_a_role_changes(north_shore, owner, person):
    editor = person("editor")
    app, membership = App(editor), editor.memberships.get()
    with held_up(lambda: members.change_role(membership, "viewer", by=owner)) as (came, stall):
        assert app.consent().status_code == 302
        stall()
    assert came == [None]  # no deadlock
