"""Who joins a workspace, changes there and leaves it: what is refused and why, what is logged, and what stays."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts.actions import keys, members
from accounts.models import ApiKey, Invitation, Membership, SecurityEvent, User, Workspace
from config.errors import Conflict, Forbidden, NotFound

pytestmark = pytest.mark.django_db
NEW = "new@readers.example"
ONLY_OWNERS = "Only an owner may make, change or remove an owner."


@pytest.fixture
def newcomer() -> User:
    return User.objects.create_user(NEW)


def logged(*kinds: str) -> list[tuple[str, str, User | None, Workspace | None]]:
    rows = SecurityEvent.objects.filter(kind__in=kinds).order_by("pk").select_related("user", "workspace")
    return [(row.kind, row.subject, row.user, row.workspace) for row in rows]


def member(who: User) -> Membership:
    return who.memberships.get(workspace__name="north-shore")


# --- Inviting and joining ------------------------------------------------------------------------------------------


def test_a_member_is_not_invited_and_somebody_elses_member_is(owner, person, north_shore):
    with pytest.raises(Conflict, match=r"^editor@north-shore.example is a member already\.$"):
        members.invite(north_shore, " Editor@North-Shore.example ", role="viewer", by=owner)
    assert not Invitation.objects.exists()
    made = members.invite(north_shore, person("stranger").email, role="viewer", by=owner)
    assert (made.email, made.role, made.invited_by) == ("owner@harbour.example", "viewer", owner)
    assert logged("member_invited") == [
        ("member_invited", "owner@harbour.example as viewer", owner, north_shore)
    ]


def test_an_address_keeps_the_invitations_of_other_workspaces(owner, person, north_shore, harbour):
    first = members.invite(north_shore, NEW, role="viewer", by=owner)
    other = members.invite(north_shore, "other@readers.example", role="viewer", by=owner)
    with time_machine.travel(timezone.now() + timedelta(hours=2)):
        second = members.invite(harbour, NEW, role="viewer", by=person("stranger"))
    assert set(Invitation.objects.all()) == {first, other, second}


def test_an_invitation_of_last_week_opens_nothing(owner, north_shore, newcomer, monkeypatch):
    monkeypatch.setattr(Invitation, "new_secret", lambda: "secret")
    invitation = members.invite(north_shore, NEW, role="viewer", by=owner)
    assert members.invitation_by("secret") == invitation
    with time_machine.travel(timezone.now() + timedelta(days=7)):
        for late in (
            lambda: members.invitation_by("secret"),
            lambda: members.accept(invitation, by=newcomer),
        ):
            with pytest.raises(
                NotFound, match=r"^This invitation is not open any more\. Ask for a new one\.$"
            ):
                late()
    assert not newcomer.memberships.exists()


def test_the_link_of_an_invitation_that_was_withdrawn_says_so(
    owner, north_shore, newcomer, monkeypatch, client
):
    monkeypatch.setattr(Invitation, "new_secret", lambda: "secret")
    invitation = members.invite(north_shore, NEW, role="viewer", by=owner)
    members.withdraw_invitation(invitation, by=owner)
    client.force_login(newcomer)
    for answer in (
        client.get("/account/invitations/secret"),
        client.post("/account/invitations/secret/accept", follow=True),
    ):
        assert answer.status_code == 404
        assert "This invitation is not open any more. Ask for a new one." in answer.content.decode()


def test_who_joins_is_in_the_log_once_and_keeps_their_default_workspace(
    owner, person, newcomer, north_shore, harbour
):
    members.accept(members.invite(north_shore, NEW, role="editor", by=owner), by=newcomer)
    newcomer.refresh_from_db()
    assert newcomer.default_workspace == north_shore
    with time_machine.travel(timezone.now() + timedelta(hours=2)):
        invitation = members.invite(harbour, NEW, role="viewer", by=person("stranger"))
        members.accept(invitation, by=newcomer)
        again = Invitation.objects.create(
            workspace=harbour, email=NEW, role="admin", digest="x", invited_by=person("stranger")
        )
        assert members.accept(again, by=newcomer).role == "viewer"
    newcomer.refresh_from_db()
    assert newcomer.default_workspace == north_shore
    assert logged("member_joined") == [
        ("member_joined", f"{NEW} as editor", newcomer, north_shore),
        ("member_joined", f"{NEW} as viewer", newcomer, harbour),
    ]


def test_who_opens_the_invitation_of_another_is_told_whose_it_is(owner, person, north_shore):
    invitation = members.invite(north_shore, "new@north-shore.example", role="viewer", by=owner)
    told = r"^This invitation is for new@north-shore\.example\. Sign in with that address to accept it\.$"
    with pytest.raises(Forbidden, match=told):
        members.accept(invitation, by=person("editor"))
    assert Invitation.objects.get() == invitation


def test_all_that_somebody_sent_is_withdrawn_also_what_is_late(owner, person, north_shore):
    for number in range(3):
        members.invite(north_shore, f"{number}@readers.example", role="viewer", by=person("admin"))
    Invitation.objects.filter(email__startswith="2").update(expires_at=timezone.now())
    assert members.withdraw_invitations_of(person("admin"), by=owner) == 3
    assert sorted(logged("invitation_withdrawn"), key=str) == [
        ("invitation_withdrawn", f"{number}@readers.example", owner, north_shore) for number in range(3)
    ]
    assert members.withdraw_invitations_of(person("admin"), by=owner) == 0


def test_who_loses_a_role_loses_only_their_own_invitations_there(owner, person, north_shore, harbour):
    admin = person("admin")
    Membership.objects.create(workspace=harbour, user=admin, role="admin")
    of_owner = members.invite(north_shore, "a@readers.example", role="viewer", by=owner)
    members.invite(north_shore, "b@readers.example", role="viewer", by=admin)
    elsewhere = members.invite(harbour, "c@readers.example", role="viewer", by=admin)
    Invitation.objects.update(expires_at=timezone.now())
    members.change_role(member(admin), "editor", by=owner)
    assert set(Invitation.objects.all()) == {of_owner, elsewhere}
    assert logged("invitation_withdrawn") == [
        ("invitation_withdrawn", "b@readers.example", owner, north_shore)
    ]


# --- Roles ---------------------------------------------------------------------------------------------------------


def test_a_new_role_is_in_the_log_with_who_gave_it(owner, person, north_shore):
    members.change_role(member(person("viewer")), "editor", by=person("admin"))
    assert member(person("viewer")).role == "editor"
    assert logged("role_changed") == [
        ("role_changed", "viewer@north-shore.example to editor", person("admin"), north_shore)
    ]


def test_the_last_owner_of_a_workspace_stays_whoever_owns_others(owner, north_shore, harbour):
    Membership.objects.create(workspace=harbour, user=owner, role="owner")
    for refused in (
        lambda: members.remove_member(member(owner), by=owner),
        lambda: members.change_role(member(owner), "admin", by=owner),
        lambda: members.change_role(member(owner), "admin", by=owner, as_staff=True),
    ):
        with pytest.raises(Conflict) as told:
            refused()
        assert str(told.value) == str(members.LAST_OWNER)
    members.change_role(member(owner), "owner", by=owner)
    assert member(owner).role == "owner"


def test_an_admin_is_told_that_owners_are_made_by_owners(owner, person):
    for refused in (
        lambda: members.change_role(member(person("editor")), "owner", by=person("admin")),
        lambda: members.remove_member(member(owner), by=person("admin")),
    ):
        with pytest.raises(Forbidden) as told:
            refused()
        assert str(told.value) == ONLY_OWNERS


def test_staff_add_a_member_once(north_shore, newcomer):
    staff = User.objects.create_superuser("staff@capsules.example")
    made = members.add_member_by_staff(north_shore, newcomer, role="viewer", by=staff)
    assert (made.user, made.workspace, made.role) == (newcomer, north_shore, "viewer")
    with pytest.raises(Conflict, match=rf"^{NEW} is a member already\.$"):
        members.add_member_by_staff(north_shore, newcomer, role="admin", by=staff)
    assert logged("member_joined") == [("member_joined", f"{NEW} as viewer", staff, north_shore)]
    assert member(newcomer).role == "viewer"


# --- Leaving -------------------------------------------------------------------------------------------------------


def test_who_only_edits_removes_nobody_else_and_everybody_leaves_by_themselves(person, north_shore):
    told = r"^Only an owner or an admin of the workspace may do this\.$"
    for who, whom in (("editor", "viewer"), ("viewer", "editor"), ("stranger", "viewer")):
        with pytest.raises(Forbidden, match=told):
            members.remove_member(member(person(whom)), by=person(who))
    members.remove_member(member(person("viewer")), by=person("viewer"))
    members.remove_member(member(person("editor")), by=person("admin"))
    assert logged("member_removed") == [
        ("member_removed", "viewer@north-shore.example", person("viewer"), north_shore),
        ("member_removed", "editor@north-shore.example", person("admin"), north_shore),
    ]
    assert not north_shore.memberships.filter(user__in=[person("viewer"), person("editor")]).exists()


def test_who_leaves_one_workspace_keeps_what_they_have_in_another(owner, person, north_shore, harbour):
    editor = person("editor")
    Membership.objects.create(workspace=harbour, user=editor, role="editor")
    User.objects.filter(pk=editor.pk).update(default_workspace=harbour)
    here, _ = keys.create_api_key(north_shore, by=editor)
    there, _ = keys.create_api_key(harbour, by=editor)
    members.remove_member(member(editor), by=owner)
    editor.refresh_from_db()
    assert editor.default_workspace == harbour
    assert list(ApiKey.objects.working()) == [there]
    assert logged("key_revoked") == [("key_revoked", str(here), owner, north_shore)]


def test_who_is_gone_already_is_not_removed_or_changed_again(owner, person):
    gone = member(person("editor"))
    members.remove_member(gone, by=owner)
    for late in (
        lambda: members.remove_member(gone, by=owner),
        lambda: members.change_role(gone, "admin", by=owner),
    ):
        with pytest.raises(NotFound, match=r"^There is no such member\.$"):
            late()
    assert [kind for kind, *_ in logged("member_removed", "role_changed")] == ["member_removed"]
