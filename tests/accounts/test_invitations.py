"""Invitations: they end with their giver's rights, and cannot be used to mail strangers."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from accounts import names
from accounts.actions import keys, members, people, workspaces
from accounts.actions.workspaces import suspend
from accounts.models import ApiKey, Invitation, Membership, SecurityEvent, User, Workspace
from config.errors import Forbidden, Invalid, Locked, NotFound, Throttled
from config.texts import LONGEST_NAME, check_no_address
from publishing.models import PageChange
from tests.support.factories import Api
from tests.support.rows import taken_back

pytestmark = pytest.mark.django_db
INVITED = "accomplice@example.com"


@pytest.fixture
def invited() -> User:
    return User.objects.create_user(INVITED)


def membership_of(user: User) -> Membership:
    return Membership.objects.get(user=user)


def made_viewer(giver: User, owner: User) -> None:
    members.change_role(membership_of(giver), "viewer", by=owner)


def removed(giver: User, owner: User) -> None:
    members.remove_member(membership_of(giver), by=owner)


def disabled(giver: User, owner: User) -> None:
    people.disable(giver, by=owner)


def demoted_by_hand(giver: User, owner: User) -> None:
    Membership.objects.filter(user=giver).update(role="editor")


def disabled_by_hand(giver: User, owner: User) -> None:
    User.objects.filter(pk=giver.pk).update(is_active=False)


def test_an_invitation_ends_with_its_givers_rights(person, owner, invited, north_shore):
    invitation = members.invite(north_shore, INVITED, role="admin", by=person("admin"))
    for loses in (made_viewer, removed, disabled, demoted_by_hand, disabled_by_hand):
        with taken_back():
            loses(person("admin"), owner)
            assert not Invitation.objects.open().exists(), loses
            with pytest.raises(NotFound):
                members.accept(invitation, by=invited)
            assert not Membership.objects.filter(user=invited).exists(), loses


@pytest.mark.parametrize("loses", [made_viewer, removed, disabled])
def test_it_stays_ended_when_the_rights_come_back(loses, person, owner, north_shore):
    members.invite(north_shore, INVITED, role="admin", by=person("admin"))
    loses(person("admin"), owner)
    assert not Invitation.objects.exists()
    assert SecurityEvent.objects.filter(kind="invitation_withdrawn", subject=INVITED).exists()


def test_an_owner_who_becomes_an_admin_no_longer_makes_owners(person, owner, invited, north_shore):
    members.change_role(membership_of(person("admin")), "owner", by=owner)
    as_owner = members.invite(north_shore, INVITED, role="owner", by=owner)
    as_editor = members.invite(north_shore, "editor-to-be@example.com", role="editor", by=owner)
    members.change_role(membership_of(owner), "admin", by=person("admin"))
    assert list(Invitation.objects.all()) == [as_editor]
    with pytest.raises(NotFound):
        members.accept(as_owner, by=invited)


def test_a_password_reset_withdraws_what_the_account_gave(client, owner, north_shore, mailoutbox):
    members.invite(north_shore, INVITED, role="owner", by=owner)
    client.post("/account/password/reset/", {"email": owner.email})
    link = re.search(r"https?://[^/]+(/account/password/reset/key/\S+)", mailoutbox[-1].body)[1]
    form = client.get(link)["Location"]
    client.post(form, {"password1": "a-new-long-secret", "password2": "a-new-long-secret"})
    owner.refresh_from_db()
    assert owner.check_password("a-new-long-secret") and not Invitation.objects.exists()


def test_a_new_invitation_of_the_same_address_replaces_the_old_one(owner, invited, north_shore):
    old = members.invite(north_shore, INVITED, role="admin", by=owner)
    with time_machine.travel(timezone.now() + timedelta(hours=2)):
        members.invite(north_shore, INVITED.upper(), role="viewer", by=owner)
        with pytest.raises(NotFound):
            members.accept(old, by=invited)
        assert members.accept(Invitation.objects.get(), by=invited).role == "viewer"


def test_what_others_gave_stays_when_somebody_goes(person, owner, north_shore):
    members.invite(north_shore, "theirs@example.com", role="viewer", by=person("admin"))
    kept = members.invite(north_shore, INVITED, role="viewer", by=owner)
    people.disable(person("admin"), by=owner)
    assert list(Invitation.objects.all()) == [kept]


def test_each_link_is_of_its_own_invitation(
    owner, north_shore, mailoutbox, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        for email in ("first@example.com", INVITED):
            members.invite(north_shore, email, role="viewer", by=owner)
    for mail in mailoutbox:
        secret = re.search(r"/account/invitations/([^/\s]+)", mail.body)[1]
        assert [members.invitation_by(secret).email] == mail.to
    with pytest.raises(NotFound):
        members.invitation_by("made-up")


def test_a_withdrawn_invitation_is_in_the_log_of_its_workspace_once(person, owner, north_shore):
    members.invite(north_shore, INVITED, role="viewer", by=owner)
    also_here = Invitation.objects.get()
    members.withdraw_invitation(Invitation.objects.get(), by=person("admin"))
    members.withdraw_invitation(also_here, by=owner)
    noted = SecurityEvent.objects.get(kind="invitation_withdrawn")
    assert (noted.user, noted.subject, noted.workspace) == (person("admin"), INVITED, north_shore)
    assert not Invitation.objects.exists()


# --- Limits ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "act",
    [
        lambda workspace, by: members.withdraw_invitation(Invitation.objects.get(), by=by),
        lambda workspace, by: workspaces.change_time_zone(workspace, "Europe/Oslo", by=by),
        lambda workspace, by: workspaces.change_name(workspace, "another-shore", by=by),
        lambda workspace, by: workspaces.change_picture(workspace, "", by=by),
        lambda workspace, by: workspaces.change_words(workspace, about="New.", links=[], by=by),
    ],
    ids=["invitation", "time zone", "name", "picture", "words"],
)
def test_only_who_manages_a_workspace_withdraws_its_invitations_and_changes_its_face(
    act, person, owner, north_shore
):
    members.invite(north_shore, INVITED, role="viewer", by=owner)
    with pytest.raises(Forbidden):
        act(north_shore, person("editor"))
    Membership.objects.create(workspace=north_shore, user=person("stranger"), role="viewer")
    with pytest.raises(Forbidden):
        act(north_shore, person("stranger"))  # who owns another workspace
    assert Invitation.objects.count() == 1
    act(north_shore, person("admin"))


def test_a_workspace_names_so_many_links_and_not_one_more(owner, north_shore):
    links = [f"https://example.com/{number}" for number in range(workspaces.MAX_LINKS + 1)]
    workspaces.change_words(north_shore, about="", links=links[1:], by=owner)
    with pytest.raises(Invalid):
        workspaces.change_words(north_shore, about="", links=links, by=owner)


def test_the_words_of_a_workspace_have_300_characters_and_are_on_its_pages_at_once(owner, north_shore):
    names.claim(north_shore)
    PageChange.objects.all().delete()
    workspaces.change_words(north_shore, about="x" * 300, links=[], by=owner)
    north_shore.refresh_from_db()
    assert north_shore.about == "x" * 300
    assert PageChange.objects.filter(workspace=north_shore.name).exists()
    with pytest.raises(Invalid) as refused:
        workspaces.change_words(north_shore, about="x" * 301, links=[], by=owner)
    assert [fault.path for fault in refused.value.faults] == ["about"]


def test_another_picture_of_a_workspace_is_on_its_pages_at_once(owner, north_shore):
    names.claim(north_shore)
    PageChange.objects.all().delete()
    workspaces.change_picture(north_shore, "", by=owner)
    assert PageChange.objects.filter(workspace=north_shore.name).exists()


def test_a_workspace_takes_no_name_that_is_no_name(owner, north_shore):
    with pytest.raises(Invalid) as refused:
        workspaces.change_name(north_shore, "No Name", by=owner)
    assert [fault.path for fault in refused.value.faults] == ["name"]
    with pytest.raises(Invalid, match="time zone"):
        workspaces.change_time_zone(north_shore, "Europe/Atlantis", by=owner)


def too_many(number: int) -> str:
    return f"At most {number} invitations can be sent in 24 hours. Please try again tomorrow."


def test_a_workspace_sends_twenty_invitations_a_day(settings, owner, north_shore):
    names.claim(north_shore)
    for number in range(settings.INVITATIONS_A_DAY):
        members.invite(north_shore, f"reader-{number}@example.com", role="viewer", by=owner)
    for hours in (0, 23):
        with (
            time_machine.travel(timezone.now() + timedelta(hours=hours)),
            pytest.raises(Throttled) as refused,
        ):
            members.invite(north_shore, "one-more@example.com", role="viewer", by=owner)
        assert (str(refused.value), refused.value.retry_after) == (too_many(20), 24 * 3600)
    with time_machine.travel(timezone.now() + timedelta(hours=25)):
        members.invite(north_shore, "one-more@example.com", role="viewer", by=owner)


def test_more_workspaces_are_no_more_invitations(settings, owner, north_shore, harbour):
    settings.INVITATIONS_A_DAY = 3
    names.claim(north_shore), names.claim(harbour)
    Membership.objects.create(workspace=harbour, user=owner, role="owner")
    for number in range(3):
        members.invite(north_shore, f"reader-{number}@example.com", role="viewer", by=owner)
    with pytest.raises(Throttled):
        members.invite(harbour, "one-more@example.com", role="viewer", by=owner)


def test_what_others_send_elsewhere_is_not_counted(settings, person, owner, north_shore, harbour):
    settings.INVITATIONS_A_DAY = 1
    workspaces.change_title(north_shore, "Another title", by=owner)
    members.invite(north_shore, "reader@example.com", role="viewer", by=owner)
    members.invite(harbour, "one-more@example.com", role="viewer", by=person("stranger"))
    with pytest.raises(Throttled, match=too_many(1)):
        members.invite(north_shore, "one-too-many@example.com", role="viewer", by=person("admin"))


def test_a_workspace_that_never_published_sends_few(owner, north_shore):
    for number in range(5):
        members.invite(north_shore, f"reader-{number}@example.com", role="viewer", by=owner)
    with pytest.raises(Throttled, match=too_many(5)):
        members.invite(north_shore, "one-more@example.com", role="viewer", by=owner)


def test_an_address_gets_one_invitation_an_hour_from_whomever(person, owner, north_shore, harbour):
    first = members.invite(north_shore, INVITED, role="viewer", by=owner)
    members.withdraw_invitation(first, by=owner)
    for workspace, by in ((north_shore, owner), (harbour, person("stranger"))):
        with pytest.raises(Throttled) as refused:
            members.invite(workspace, INVITED.upper(), role="viewer", by=by)
        told = f"{INVITED} was invited less than an hour ago. Please try again later."
        assert (str(refused.value), refused.value.retry_after) == (told, 3600)
    with time_machine.travel(timezone.now() + timedelta(minutes=61)):
        members.invite(harbour, INVITED, role="viewer", by=person("stranger"))


def test_a_suspended_workspace_invites_nobody(owner, north_shore, mailoutbox):
    suspend(north_shore, by=owner)
    with pytest.raises(Locked):
        members.invite(north_shore, INVITED, role="viewer", by=owner)


def test_the_mails_subject_carries_nothing_of_the_workspace(
    owner, north_shore, mailoutbox, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        members.invite(north_shore, INVITED, role="viewer", by=owner)
    assert mailoutbox[0].subject == "You are invited to a workspace on Capsules"
    assert "North Shore Press" in mailoutbox[0].body


LINKS = [
    "Your account is locked: verify at https://evil.example/login",
    "Log in at WWW.evil",
    "evil.example/login",
    "Write to help@evil.example now",
    "Visit evil.example",
    "evil。example login",
    "evil｡example login",
    "evil．example login",
]


def test_no_address_gets_into_a_mail_by_a_title_or_a_name(client, owner, north_shore):
    client.force_login(owner)
    for text in LINKS:
        with pytest.raises(ValidationError):
            check_no_address(text)
    check_no_address("@" * LONGEST_NAME + " www.evil.example")  # too long by itself, and a search that lasts
    page = client.post(f"/account/workspaces/{north_shore.pk}/title", {"title": text}, follow=True)
    assert "cannot contain a web or mail address" in page.content.decode()
    client.post("/account/workspaces", {"title": text})
    client.post("/account/profile", {"name": text})
    Client().post("/account/signup/", {"email": "a@b.example", "password1": "a-long-secret-1", "name": text})
    north_shore.refresh_from_db(), owner.refresh_from_db()
    assert (north_shore.title, owner.name) == ("North Shore Press", "Owner")
    assert not Workspace.objects.filter(title=text).exists() and not User.objects.filter(name=text).exists()


WELCOME = [
    "U.S.News",
    "雨の日。猫の話",
    "今日。My cat",
    "St. Pauli Letters",
    "Dr. No's No. 1, vol. 2.5",
    "Ada & Co.",
]


def test_full_stops_in_a_title_are_welcome(client, owner, north_shore):
    client.force_login(owner)
    for title in WELCOME:
        client.post(f"/account/workspaces/{north_shore.pk}/title", {"title": title})
        north_shore.refresh_from_db()
        assert north_shore.title == title


def test_keys_of_a_removed_member_stay_revoked_when_the_person_comes_back(
    client, person, owner, north_shore, ready_story
):
    admin = person("admin")
    _, key = keys.create_api_key(north_shore, by=admin)
    members.remove_member(membership_of(admin), by=owner)
    invitation = members.invite(north_shore, admin.email, role="admin", by=owner)
    members.accept(invitation, by=admin)
    assert Api(client).with_key(key).state(ready_story).status_code == 401
    assert not ApiKey.objects.working().exists()


def test_who_became_a_member_meanwhile_keeps_that_role(owner, invited, north_shore):
    invitation = members.invite(north_shore, INVITED, role="viewer", by=owner)
    Membership.objects.create(workspace=north_shore, user=invited, role="admin")
    assert members.accept(invitation, by=invited).role == "admin"
    assert membership_of(invited).role == "admin" and not Invitation.objects.exists()


def test_only_an_open_invitation_spares_a_newcomer_a_workspace(owner, invited, north_shore):
    members.invite(north_shore, INVITED, role="viewer", by=owner)
    assert workspaces.make_first_workspace(invited, title=" ") is None
    Invitation.objects.update(expires_at=timezone.now())
    assert workspaces.make_first_workspace(invited, title=" ").title == "Untitled"
