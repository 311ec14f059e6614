"""Whoever counts, or decides by what is there, holds the rows meanwhile: two at once are decided one by one."""

from __future__ import annotations

from contextlib import suppress

import pytest
from django.db import connection as database

from accounts.actions import connections, erasing, members, workspaces
from accounts.models import Connection, Invitation, Membership, User
from config.errors import NotFound
from tests.publishing.test_races import at_once
from tests.support.locks import noted_locks
from tests.support.oauth import App

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
WORKSPACE, PERSON, MEMBERSHIP = "accounts_workspace", "accounts_user", "accounts_membership"


@pytest.mark.parametrize(
    "act, tables",
    [
        (
            lambda editor, by: members.invite(editor.workspace, "new@example.com", role="editor", by=by),
            [WORKSPACE, PERSON],
        ),
        (lambda editor, by: members.change_role(editor, "viewer", by=by), [WORKSPACE, MEMBERSHIP]),
        (lambda editor, by: members.remove_member(editor, by=by), [WORKSPACE, MEMBERSHIP]),
        (lambda editor, by: workspaces.suspend(editor.workspace, by=by), [WORKSPACE]),
        (lambda editor, by: erasing.erase_workspace(editor.workspace, by=by), [WORKSPACE]),
    ],
    ids=["invite", "change a role", "remove", "suspend", "erase"],
)
def test_an_action_holds_what_it_decides_by(act, tables, person, owner):
    editor = person("editor").memberships.get()
    with noted_locks() as locked:
        act(editor, owner)
    assert locked[: len(tables)] == tables


def test_an_invitation_is_accepted_while_its_giver_keeps_the_right_to_give_it(north_shore, owner):
    invited = User.objects.create_user("new@example.com")
    members.invite(north_shore, invited.email, role="editor", by=owner)
    with noted_locks() as locked:
        members.accept(Invitation.objects.get(), by=invited)
    assert locked[0] == WORKSPACE


def test_a_suspension_that_ends_is_held(north_shore, owner):
    workspaces.suspend(north_shore, by=owner)
    with noted_locks() as locked:
        assert workspaces.resume(north_shore, by=owner) is True
        assert workspaces.resume(north_shore, by=owner) is False
    assert locked[0] == WORKSPACE


def test_a_person_is_erased_while_nobody_else_leaves_their_workspaces(north_shore, person, owner):
    with noted_locks() as locked:
        erasing.erase_user(person("editor"), by=owner)
    assert [table for table in locked if table in (PERSON, WORKSPACE)] == [WORKSPACE, PERSON]


def test_what_an_app_may_do_is_changed_by_one_consent_at_a_time(owner):
    app = App(owner).connect()
    connection = Connection.objects.get()
    with noted_locks() as locked:
        connections.change_publishing(connection, None, by=owner)
    assert locked[0] == Connection._meta.db_table
    with noted_locks() as locked:
        connections.connect(
            connection.client,
            by=owner,
            memberships=list(owner.memberships.all()),
            default=owner.memberships.get(),
            scopes=connection.scopes,
        )
    assert locked[:2] == [Connection._meta.db_table, MEMBERSHIP]
    assert app.me() == 200


@pytest.mark.django_db(transaction=True)
def test_whoever_is_removed_while_they_delete_their_account_waits_for_nobody(north_shore, owner):
    for number in range(10 if database.vendor == "postgresql" else 2):
        gone = User.objects.create_user(f"gone-{number}@example.com", default_workspace=north_shore)
        membership = Membership.objects.create(workspace=north_shore, user=gone, role="editor")

        def remove(membership: Membership = membership) -> None:
            with suppress(NotFound):  # gone already
                members.remove_member(membership, by=owner)

        at_once([lambda gone=gone: erasing.erase_user(gone, by=gone), remove])  # no deadlock
        assert not User.objects.filter(pk=gone.pk).exists()
