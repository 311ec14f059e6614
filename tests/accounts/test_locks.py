"""Whoever counts, or decides by what is there, holds the rows meanwhile: two at once are decided one by one."""

from __future__ import annotations

import pytest

from accounts.actions import connections, erasing, members, workspaces
from accounts.models import Connection, Invitation, Membership, User
from tests.support.locks import noted_locks
from tests.support.oauth import App

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
WORKSPACE, PERSON, MEMBERSHIP = "accounts_workspace", "accounts_user", "accounts_membership"


def membership_of(email: str) -> Membership:
    return Membership.objects.get(user__email=email)


@pytest.mark.parametrize(
    "act, tables",
    [
        (lambda shore, by: members.invite(shore, "new@example.com", role="editor", by=by), [WORKSPACE]),
        (
            lambda shore, by: members.change_role(
                membership_of("editor@north-shore.example"), "viewer", by=by
            ),
            [WORKSPACE, MEMBERSHIP],
        ),
        (
            lambda shore, by: members.remove_member(membership_of("editor@north-shore.example"), by=by),
            [WORKSPACE, MEMBERSHIP],
        ),
        (lambda shore, by: workspaces.suspend(shore, by=by), [WORKSPACE]),
        (lambda shore, by: erasing.erase_workspace(shore, by=by), [WORKSPACE]),
    ],
    ids=["invite", "change a role", "remove", "suspend", "erase"],
)
def test_an_action_holds_what_it_decides_by(act, tables, north_shore, owner):
    with noted_locks() as locked:
        act(north_shore, owner)
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
    assert locked[:2] == [PERSON, WORKSPACE]


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
