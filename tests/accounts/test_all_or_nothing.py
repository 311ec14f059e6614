"""What cannot be written into the log has not happened: an action is done with its line there, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from accounts.actions import connections, erasing, keys, members, people, workspaces
from accounts.actions.personal_tokens import make_personal_token
from accounts.models import Connection, Invitation, Membership, User, Workspace
from tests.support.kept import tables
from tests.support.oauth import App

pytestmark = pytest.mark.django_db
Act = Callable[[Workspace, User], object]


class FullLog(Exception):
    pass


@contextmanager
def full_log() -> Iterator[None]:
    """Nothing more goes into the audit log."""

    def write(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.startswith('INSERT INTO "accounts_securityevent"'):
            raise FullLog
        return execute(sql, *rest)

    with connection.execute_wrapper(write):
        yield


def editor() -> Membership:
    return Membership.objects.get(role="editor")


def personal_token(workspace: Workspace, by: User) -> None:
    own = by.memberships.get(workspace=workspace)
    make_personal_token(
        "My desk",
        by=by,
        memberships=[own],
        default=own,
        scopes=["stories:read"],
        publishing="asked",
        expires_at=timezone.now() + timedelta(days=1),
    )


ACTS: dict[str, Act] = {
    "title": lambda workspace, by: workspaces.change_title(workspace, "Another", by=by),
    "words": lambda workspace, by: workspaces.change_words(workspace, about="New.", links=[], by=by),
    "time zone": lambda workspace, by: workspaces.change_time_zone(workspace, "Europe/Oslo", by=by),
    "picture": lambda workspace, by: workspaces.change_picture(workspace, "ab/face.jpg", by=by),
    "name": lambda workspace, by: workspaces.change_name(workspace, "another", by=by),
    "suspend": lambda workspace, by: workspaces.suspend(workspace, by=by),
    "erase a workspace": lambda workspace, by: erasing.erase_workspace(workspace, by=by),
    "erase a person": lambda workspace, by: erasing.erase_user(editor().user, by=by),
    "make a key": lambda workspace, by: keys.create_api_key(workspace, by=by),
    "revoke a key": lambda workspace, by: keys.revoke_api_key(workspace.api_keys.get(), by=by),
    "invite": lambda workspace, by: members.invite(workspace, "a@readers.example", role="editor", by=by),
    "accept": lambda workspace, by: members.accept(
        Invitation.objects.get(), by=User.objects.get(email="owner@harbour.example")
    ),
    "change a role": lambda workspace, by: members.change_role(editor(), "viewer", by=by),
    "remove": lambda workspace, by: members.remove_member(editor(), by=by),
    "add": lambda workspace, by: members.add_member_by_staff(
        workspace, User.objects.get(email="owner@harbour.example"), role="viewer", by=by
    ),
    "address": lambda workspace, by: people.use_only_address(by, by=by),
    "disable": lambda workspace, by: people.disable(editor().user, by=by),
    "enable": lambda workspace, by: people.enable(User.objects.get(is_active=False), by=by),
    "publish": lambda workspace, by: connections.change_publishing(Connection.objects.get(), None, by=by),
    "disconnect": lambda workspace, by: connections.end(
        Connection.objects.get(), because=Connection.Ended.REVOKED, by=by
    ),
    "personal token": personal_token,
}


def test_nothing_is_done_without_its_line_in_the_log(owner, person, north_shore, harbour):
    keys.create_api_key(north_shore, by=person("admin"))
    members.invite(north_shore, person("stranger").email, role="editor", by=owner)
    App(owner).connect()
    people.disable(person("viewer"), by=owner)
    before = tables()
    for name, act in ACTS.items():
        with full_log(), pytest.raises(FullLog):
            act(Workspace.objects.get(pk=north_shore.pk), User.objects.get(pk=owner.pk))
        assert tables() == before, name


def test_a_suspension_goes_on_where_its_end_is_not_in_the_log(owner, north_shore):
    workspaces.suspend(north_shore, by=owner)
    before = tables()
    with full_log(), pytest.raises(FullLog):
        workspaces.resume(north_shore, by=owner)
    assert tables() == before
