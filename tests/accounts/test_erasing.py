"""Deleting accounts, workspaces and subscribers; what stays; and what is not kept for long."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.db import OperationalError
from django.db.models.signals import pre_delete
from django.test import Client
from django.utils import timezone

from accounts import names, signals
from accounts.actions import erasing, keys, members, people, workspaces
from accounts.housekeeping import forget_what_expired
from accounts.models import AccountMail, ApiKey, Invitation, Membership, SecurityEvent, User, Workspace
from capsules import garbage, storage
from capsules.models import Asset, Encode, Story
from config.errors import Conflict, Forbidden, Locked, NotFound
from publishing.models import Delivery, ErasedAddress, Premiere, Publication, Subscriber, SubscriptionRequest
from publishing.subscribers import actions as subscriptions
from publishing.subscribers.erasing import erase_subscriber
from tests.support import factories
from tests.support.factories import PASSWORD
from tests.support.oauth import App

pytestmark = pytest.mark.django_db


def signed_in(user: User, *, recently: bool = True) -> Client:
    """A browser that signed in and gave the password again, now or an hour ago."""
    user.set_password(PASSWORD)
    user.save()
    client = Client()
    with time_machine.travel(timezone.now() - timedelta(hours=0 if recently else 1)):
        assert client.post("/account/login/", {"login": user.email, "password": PASSWORD}).status_code == 302
        assert client.post("/account/reauthenticate/", {"password": PASSWORD}).status_code == 302
    return client


def subscriber(workspace: Workspace, email: str = "reader@readers.example", **fields) -> Subscriber:
    facts = {"source": "form", "consent": "Asked by form.", "confirmed_at": timezone.now()} | fields
    return Subscriber.objects.create(workspace=workspace, email=email, **facts)


def mailed(story: Story, email: str, state: str = "sent") -> Delivery:
    premiere = Premiere.objects.get(publication__story=story)
    found = Subscriber.objects.filter(email=email).first()
    due = timezone.now() if state == "pending" else None
    return Delivery.objects.create(
        premiere=premiere, subscriber=found, email=email, state=state, next_try_at=due
    )


# --- A workspace -----------------------------------------------------------------------------------------------


@pytest.fixture
def full(once, live_story, north_shore, person, rendered) -> Workspace:
    """A workspace with whatever a workspace can have."""

    def make() -> None:
        factories.make_edition(live_story, rendered)
        subscriber(north_shore), mailed(live_story, "reader@readers.example")
        subscriptions.request_subscription(north_shore, "asked@readers.example")
        keys.create_api_key(north_shore, by=person("editor"))
        App(person("owner")).connect()
        members.invite(north_shore, "new@example.com", role="editor", by=person("owner"))

    once("full", make)
    return Workspace.objects.get(pk=north_shore.pk)


def test_a_workspace_goes_with_everything_in_it(full, owner, client, settings, harbour, rendered):
    other = factories.make_story(harbour, rendered, title="Another's")
    erasing.erase_workspace(full, by=owner)
    for model in (Premiere, Delivery, Subscriber, SubscriptionRequest, Publication, ApiKey):
        assert not model.objects.exists(), model
    assert list(Story.objects.all()) == [other] and list(Workspace.objects.all()) == [harbour]
    assert not owner.memberships.exists() and User.objects.filter(pk=owner.pk).exists()
    assert client.get("/north-shore/small-voyages").status_code == 404
    assert client.get("/north-shore").status_code == 404
    erased = SecurityEvent.objects.filter(kind="workspace_erased")
    told = ("North Shore Press (north-shore)", owner.pk, None)
    assert list(erased.values_list("subject", "user", "workspace")) == [told]
    with pytest.raises(NotFound, match=r"^This workspace has already been deleted\.$"):
        erasing.erase_workspace(full, by=owner)


def test_its_files_are_collected_once_nobody_uses_them(full, owner):
    name = Asset.objects.get(workspace=full).name
    blobs = {r["name"] for e in Encode.objects.exclude(outputs=None) for r in e.outputs["renditions"]}
    erasing.erase_workspace(full, by=owner)
    Encode.objects.update(finished_at=timezone.now() - timedelta(hours=48))
    unused = [(storage.originals(), name), *((storage.blobs(), blob) for blob in blobs)]
    kept = [(files, one, files.open(one).read()) for files, one in unused]
    with time_machine.travel(timezone.now() + timedelta(hours=25)):
        garbage.collect()
    gone = [not files.exists(one) for files, one in unused]
    for files, one, content in kept:
        files.save(one, ContentFile(content))  # the other tests of the session share them
    assert len(gone) > 5 and all(gone)


def test_nobody_else_gets_its_name(full, owner, person):
    erasing.erase_workspace(full, by=owner)
    assert names.name_fault("north-shore") == "Another workspace has claimed this name."
    assert workspaces.make_workspace("North Shore", by=owner).name == "north-shore-2"
    squatter = Workspace.objects.create(title="Squatter", name="north-shore")
    with pytest.raises(Conflict):
        names.claim(squatter)


def test_a_name_under_which_nothing_was_published_is_free_again(north_shore, owner):
    erasing.erase_workspace(north_shore, by=owner)
    assert names.name_fault("north-shore") == ""


def test_only_an_owner_deletes_a_workspace_also_a_suspended_one_and_not_a_busy_one(full, person, owner):
    for who in ("admin", "editor", "viewer", "stranger"):
        with pytest.raises(Forbidden, match=r"^Only an owner may delete the workspace\.$"):
            erasing.erase_workspace(full, by=person(who))
    Publication.objects.filter(story__capsule=None).update(lease_until=timezone.now() + timedelta(minutes=1))
    with pytest.raises(Locked):
        erasing.erase_workspace(full, by=owner)
    Publication.objects.update(lease_until=None)
    workspaces.suspend(full, by=owner)
    erasing.erase_workspace(full, by=owner)


@pytest.mark.parametrize("as_staff", [False, True])
def test_the_other_members_hear_who_deleted_their_workspace(as_staff, north_shore, owner, person, mailoutbox):
    User.objects.filter(pk=person("viewer").pk).update(is_active=False)
    by = User.objects.create_superuser("staff@capsules.example") if as_staff else owner
    erasing.erase_workspace(north_shore, by=by, as_staff=as_staff)
    told = {mail.to[0].partition("@")[0]: mail for mail in mailoutbox}
    assert set(told) == ({"owner"} if as_staff else set()) | {"admin", "editor"}
    assert told["editor"].subject == "The workspace North Shore Press was deleted"
    assert told["editor"].body.startswith(
        f"{'Staff' if as_staff else 'Owner'} deleted the workspace North Shore"
    )


def test_the_page_says_what_disappears_and_wants_the_name_typed(full, owner):
    client = signed_in(owner)
    address = f"/account/workspaces/{full.pk}/delete"
    page = client.get(address).content.decode()
    assert "2 capsules, 4 members, 1 subscriber, 1 API key" in page and "stays taken" in page
    page = client.post(address, {"typed": "something"})
    assert (
        page.status_code == 409 and "That is not north-shore. Nothing was deleted." in page.content.decode()
    )
    assert Workspace.objects.filter(pk=full.pk).exists()
    assert client.post(address, {"typed": " North-Shore "})["Location"] == "/account/"
    assert not Workspace.objects.filter(pk=full.pk).exists()


@pytest.mark.parametrize("page", ["delete", "data.json", "workspaces/{id}/delete"])
def test_each_of_these_pages_asks_for_the_password_after_an_hour(page, owner, north_shore):
    client = signed_in(owner, recently=False)
    for method in (client.get, client.post):
        answer = method("/account/" + page.format(id=north_shore.pk), {"typed": "north-shore"})
        assert answer.status_code == 302 and "/reauthenticate/" in answer["Location"], answer
    assert Workspace.objects.filter(pk=north_shore.pk).exists()


def test_an_admin_has_no_page_to_delete_a_workspace(person, north_shore):
    client = signed_in(person("admin"))
    assert client.get(f"/account/workspaces/{north_shore.pk}/delete").status_code == 404


# --- An account ------------------------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_an_account_goes_and_its_work_stays(full, person, mailoutbox, django_capture_on_commit_callbacks):
    editor = person("editor")
    Story.objects.update(created_by=editor)
    app = App(editor).connect()
    client = signed_in(editor)
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post("/account/delete", {"typed": editor.email})
    assert answer["Location"] == "/account/login/" and client.get("/account/").status_code == 302
    assert not User.objects.filter(pk=editor.pk).exists() and app.me() == 401
    assert Story.objects.count() == 2 and not Story.objects.filter(created_by__isnull=False).exists()
    assert not ApiKey.objects.exists() and not EmailAddress.objects.filter(email=editor.email).exists()
    mail = mailoutbox[-1]
    assert (mail.to, mail.subject) == (["editor@north-shore.example"], "Your Capsules account was deleted")
    assert mail.body == (
        "Your account was deleted, with everything that belonged to it alone. You can sign up again at any time."
        "\n\nIf this was not you, answer this mail: somebody else used your account.\n"
    )
    assert "answer this mail" in mail.alternatives[0].content


def test_an_invitation_of_an_address_goes_with_its_account(north_shore, harbour, person):
    members.invite(north_shore, person("stranger").email, role="viewer", by=person("owner"))
    kept = members.invite(north_shore, "new@example.com", role="viewer", by=person("owner"))
    heir = User.objects.create_user("heir@harbour.example")
    Membership.objects.create(workspace=harbour, user=heir, role="owner")
    erasing.erase_user(person("stranger"), by=person("stranger"))
    assert list(Invitation.objects.all()) == [kept]


def test_the_sessions_of_a_deleted_account_are_gone_from_every_browser(full, person):
    editor = person("editor")
    browsers = [signed_in(editor), signed_in(person("owner"))]
    own, others = [browser.session.session_key for browser in browsers]
    erasing.erase_user(editor, by=editor)
    kept = Session.objects.filter(session_key__in=[own, others])
    assert list(kept.values_list("session_key", flat=True)) == [others]


def test_no_log_names_a_deleted_account_any_more(north_shore, person, owner):
    editor = person("editor")
    User.objects.create_user("co-editor@north-shore.example")
    members.change_role(Membership.objects.get(user=editor), "viewer", by=owner)
    others = ["co-editor@north-shore.example as editor", "editor@north-shore.example.org to viewer"]
    for subject in others:
        SecurityEvent.objects.create(kind="member_invited", subject=subject)
    row = {"user": owner, "action_flag": 2, "object_id": str(editor.pk), "object_repr": editor.email}
    about_them = LogEntry.objects.create(**row)
    of_theirs = LogEntry.objects.create(**{**row, "object_id": "7", "object_repr": f"Ink of {editor.email}"})
    of_another = LogEntry.objects.create(**{**row, "object_id": "8", "object_repr": f"Ink of {others[1]}"})
    LogEntry.objects.create(user=editor, action_flag=2, object_id=str(north_shore.pk), change_message="kept")
    by_others = LogEntry.objects.create(user=owner, action_flag=2, object_id=str(north_shore.pk))
    erasing.erase_user(editor, by=editor)
    subjects = set(SecurityEvent.objects.values_list("subject", flat=True))
    assert {"a deleted account to viewer", *others} <= subjects
    assert LogEntry.objects.get(pk=about_them.pk).object_repr == "a deleted account"
    assert LogEntry.objects.get(pk=of_theirs.pk).object_repr == "Ink of a deleted account"
    assert LogEntry.objects.get(pk=of_another.pk).object_repr == of_another.object_repr
    nobody = User.objects.get(email=erasing.NOBODY)
    assert LogEntry.objects.get(change_message="kept").user == nobody and not nobody.is_active
    assert LogEntry.objects.get(pk=by_others.pk).user == owner


def test_the_history_of_all_staff_who_left_is_one_nobodys(owner, person, harbour):
    erasing.erase_user(person("viewer"), by=owner)
    assert not User.objects.filter(email=erasing.NOBODY).exists()
    for who in ("editor", "admin"):
        LogEntry.objects.create(user=person(who), action_flag=2, object_id=str(harbour.pk))
        erasing.erase_user(person(who), by=owner)
    nobody = User.objects.get(email=erasing.NOBODY)
    assert (nobody.name, nobody.is_active, nobody.is_staff) == ("Deleted staff", False, False)
    assert list(LogEntry.objects.values_list("user", flat=True)) == [nobody.pk] * 2


def test_a_long_line_of_a_log_keeps_its_length_and_the_deletion_its_own_line(person, owner):
    short = User.objects.create_user("a@b.example")
    SecurityEvent.objects.create(kind="member_invited", subject=f"a@b.example {'x' * 188}")
    erasing.erase_user(short, by=owner)
    assert len(SecurityEvent.objects.get(kind="member_invited").subject) == 200
    erasing.erase_user(person("editor"), by=person("editor"))
    gone = SecurityEvent.objects.filter(kind="account_erased").order_by("pk")
    assert list(gone.values_list("user", flat=True)) == [owner.pk, None]


def test_those_who_stay_read_in_their_log_that_somebody_left_and_not_who(north_shore, owner, person):
    erasing.erase_user(person("editor"), by=person("editor"))
    [line] = SecurityEvent.objects.filter(kind="member_removed")
    assert (line.workspace, line.user, line.subject) == (north_shore, None, "a deleted account")
    page = signed_in(owner).get(f"/account/workspaces/{north_shore.pk}/audit-log").content.decode()
    assert "a deleted account" in page and "editor@" not in page


def test_the_last_owner_first_hands_over_or_deletes(north_shore, owner, person):
    client = signed_in(owner)
    page = client.get("/account/delete").content.decode()
    assert f"/account/workspaces/{north_shore.pk}/delete" in page and "Delete my account" not in page
    assert client.post("/account/delete", {"typed": owner.email}).status_code == 409
    assert User.objects.filter(pk=owner.pk).exists()
    members.change_role(Membership.objects.get(user=person("admin")), "owner", by=owner)
    assert client.post("/account/delete", {"typed": owner.email}).status_code == 302


def test_a_workspace_that_nobody_owns_keeps_nobody(north_shore, person):
    Workspace.objects.create(name="adrift", title="Adrift")
    assert [each.name for each in erasing.owned_alone(person("owner"))] == ["north-shore"]
    assert not erasing.owned_alone(person("editor"))


def test_who_owns_several_workspaces_alone_is_told_which_and_who_is_gone_is_not_there(owner, person, harbour):
    harbour.memberships.update(user=owner)
    told = r"^Make somebody else an owner of Harbour Letters, North Shore Press first, or delete it\.$"
    with pytest.raises(Conflict, match=told):
        erasing.erase_user(owner, by=owner)
    editor = person("editor")
    erasing.erase_user(editor, by=owner)
    with pytest.raises(NotFound, match=r"^This account has already been deleted\.$"):
        erasing.erase_user(editor, by=owner)


def test_the_last_superuser_stays_whoever_else_is_staff_or_closed(person):
    chief = User.objects.create_superuser("staff@capsules.example")
    other = User.objects.create_superuser("closed@capsules.example", is_active=False)
    User.objects.create_user("helper@capsules.example", is_staff=True)
    with pytest.raises(
        Conflict, match=r"^There must be at least one superuser\. Make somebody else one first\.$"
    ):
        erasing.erase_user(chief, by=chief)
    User.objects.filter(pk=other.pk).update(is_active=True)
    erasing.erase_user(chief, by=other)
    User.objects.filter(pk=other.pk).update(is_superuser=False)
    erasing.erase_user(person("editor"), by=other)
    gone = [chief.email, "editor@north-shore.example"]
    assert not User.objects.filter(email__in=gone).exists()


def test_staff_delete_accounts_and_workspaces_in_two_steps(full, person):
    staff = Client()
    staff.force_login(User.objects.create_superuser("staff@capsules.example"))
    for model, row in (("user", person("viewer")), ("workspace", full)):
        data = {"action": "erase", "_selected_action": [str(row.pk)]}
        address = f"/admin/accounts/{model}/"
        assert "This cannot be undone." in staff.post(address, data).content.decode()
        assert type(row).objects.filter(pk=row.pk).exists()
        staff.post(address, data | {"confirmed": "yes"})
        assert not type(row).objects.filter(pk=row.pk).exists()


def test_a_person_downloads_their_data_without_secrets(full, person, owner):
    Story.objects.update(created_by=owner)
    subscriber(full, owner.email)
    key, secret = keys.create_api_key(full, by=owner, label="Nightly")
    client = signed_in(owner)
    answer = client.get("/account/data.json")
    assert "attachment" in answer["Content-Disposition"]
    data, text = answer.json(), answer.content.decode()
    assert data["account"]["email"] == owner.email
    assert [row["workspace_title"] for row in data["memberships"]] == ["North Shore Press"]
    assert [row["label"] for row in data["api_keys"]] == ["Nightly"]
    assert data["connected_apps"] and data["security_events"] and data["sessions"]
    assert data["stories"][0]["scenes"][0]["text"] and data["subscriptions"][0]["email"] == owner.email
    assert secret not in text and key.digest not in text and owner.password not in text
    assert "editor@north-shore.example" not in text
    assert SecurityEvent.objects.filter(kind="data_downloaded", user=owner).count() == 1


#: What is told of each thing that is kept about a person.
FIELDS = {
    "account": {"id", "email", "name", "created_at"},
    "email_addresses": {"email", "verified", "primary"},
    "second_factors": {"type", "created_at", "last_used_at"},
    "sessions": {"ip", "user_agent", "created_at", "last_seen_at"},
    "memberships": {"workspace_id", "workspace_title", "workspace_name", "role", "created_at"},
    "invitations_given": {"email", "role", "workspace_title", "created_at"},
    "invitations_received": {"workspace_title", "role", "created_at"},
    "api_keys": {"prefix", "label", "workspace_title", "created_at", "expires_at", "revoked_at", "last_used_at"},
    "connected_apps": {
        "client_name", "client_client_uri", "scopes", "publishing", "created_at", "last_used_at", "revoked_at",
    },
    "security_events": {"at", "kind", "subject", "workspace_title"},
}  # fmt: skip


@pytest.mark.both_databases
def test_what_ended_is_in_ones_data_too_and_what_may_still_be_opened(owner, person, north_shore, harbour):
    EmailAddress.objects.create(user=owner, email="old@north-shore.example", verified=False)
    keys.revoke_api_key(keys.create_api_key(north_shore, by=owner, label="Old")[0], by=owner)
    App(owner).connect(), people.disconnect_apps(owner)
    members.invite(north_shore, "new@example.com", role="viewer", by=owner)
    members.invite(harbour, owner.email, role="viewer", by=person("stranger"))
    Invitation.objects.update(expires_at=timezone.now())
    data: dict = erasing.data_of(owner)
    assert {(row["email"], row["verified"]) for row in data["email_addresses"]} == {
        (owner.email, True),
        ("old@north-shore.example", False),
    }
    assert [row["revoked_at"] is None for row in (*data["api_keys"], *data["connected_apps"])] == [False] * 2
    assert [row["email"] for row in data["invitations_given"]] == ["new@example.com"]
    assert data["invitations_received"] == []
    told = {(row["kind"], row["subject"], row["workspace_title"]) for row in data["security_events"]}
    assert {("key_made", "Old", north_shore.title), ("data_downloaded", "", None)} <= told


def test_what_others_did_is_in_nobodys_data(full, owner, person, harbour):
    Story.objects.update(created_by=owner)
    subscriber(full, owner.email)
    keys.create_api_key(full, by=owner)
    members.invite(harbour, owner.email, role="viewer", by=person("stranger"))
    EmailAddress.objects.update_or_create(user=owner, email=owner.email, defaults={"verified": True})
    browser = signed_in(owner)
    Authenticator.objects.create(user=owner, type="totp", data={})
    theirs = browser.get("/account/data.json").json()
    nobodys = erasing.data_of(person("viewer"))
    assert {name for name, rows in theirs.items() if not rows} <= {"published_by_apps", "asked_by_apps"}
    first = {name: set(theirs[name] if name == "account" else theirs[name][0]) for name in FIELDS}
    assert first == FIELDS
    filled = {name for name, rows in nobodys.items() if rows}
    assert filled == {"account", "email_addresses", "memberships", "security_events"}
    assert [row["email"] for row in nobodys["email_addresses"]] == [person("viewer").email]
    assert [row["kind"] for row in nobodys["security_events"]] == ["data_downloaded"]
    assert [row["email"] for row in theirs["invitations_given"]] == ["new@example.com"]


# --- A subscriber ----------------------------------------------------------------------------------------------


@pytest.fixture
def reader(live_story, north_shore) -> Subscriber:
    """Somebody who got one mail, and waits for another."""
    found = subscriber(north_shore)
    mailed(live_story, found.email)
    return found


def test_a_deleted_subscriber_leaves_a_hash_and_no_address(reader, north_shore, live_story):
    assert erase_subscriber(north_shore, reader.email, by=None)
    tables = [Subscriber, SubscriptionRequest, Delivery, ErasedAddress, SecurityEvent]
    assert not any(reader.email in str(list(model.objects.values())) for model in tables)
    assert Premiere.objects.get().counts() == {"sent": 1}
    assert not erase_subscriber(north_shore, reader.email, by=None)


@pytest.mark.both_databases
def test_a_mail_on_its_way_is_called_off(north_shore, live_story):
    found = subscriber(north_shore)
    waiting = mailed(live_story, found.email, state="pending")
    erase_subscriber(north_shore, found.email, by=None)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.next_try_at, waiting.subscriber) == ("cancelled", None, None)
    assert waiting.email.endswith("@erased.invalid")


def test_no_import_brings_a_deleted_subscriber_back_but_they_may_ask_again(
    reader, north_shore, harbour, settings
):
    erase_subscriber(north_shore, reader.email, by=None)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another-" * 8, [settings.SECRET_KEY]
    result = subscriptions.import_confirmed(
        north_shore, [(reader.email, "fair"), ("b@readers.example", "fair")]
    )
    assert (result.added, result.left) == (1, 1)
    assert subscriptions.import_confirmed(harbour, [(reader.email, "fair")]).added == 1
    subscriptions.request_subscription(north_shore, reader.email)
    subscriptions.confirm(SubscriptionRequest.objects.get().token)
    assert Subscriber.objects.filter(workspace=north_shore, email=reader.email).exists()
    assert not ErasedAddress.objects.exists()


def test_a_reader_who_left_deletes_the_address_by_the_same_link(reader, client):
    page = client.post(f"/unsubscribe/{reader.token}").content.decode()
    assert f"/unsubscribe/{reader.token}/delete" in page
    assert client.get(f"/unsubscribe/{reader.token}/delete").status_code == 302
    assert Subscriber.objects.exists()
    assert "Your address was deleted" in client.post(f"/unsubscribe/{reader.token}/delete").content.decode()
    assert not Subscriber.objects.exists()
    assert client.post(f"/unsubscribe/{reader.token}/delete").status_code == 404


@pytest.mark.parametrize("who, left", [("owner", 0), ("admin", 0), ("editor", 1), ("stranger", 1)])
def test_owners_and_admins_delete_an_address(who, left, reader, north_shore, person, client):
    client.force_login(person(who))
    client.post(f"/subscribers/{north_shore.pk}/delete", {"email": reader.email.upper()})
    assert Subscriber.objects.count() == left


def test_an_export_and_an_import_are_in_the_audit_log(reader, north_shore, owner, client):
    client.force_login(owner)
    b"".join(client.get(f"/subscribers/{north_shore.pk}/export.csv").streaming_content)
    events = SecurityEvent.objects.filter(kind="subscribers_exported")
    assert [(event.user, event.subject) for event in events] == [(owner, "1 address")]


# --- Housekeeping ----------------------------------------------------------------------------------------------


def test_housekeeping_forgets_and_finds_nothing_the_second_time(reader, north_shore, live_story, owner):
    Premiere.objects.update(state="done", finished_at=timezone.now())
    gone = subscriber(north_shore, "gone@readers.example", unsubscribed_at=timezone.now())
    people.end_own_tokens(owner)
    never = User.objects.create(email="never@example.com")
    EmailAddress.objects.create(user=never, email=never.email, primary=True, verified=False)
    workspaces.make_workspace("Never", by=never)
    assert not any(forget_what_expired().values())

    with time_machine.travel(timezone.now() + timedelta(days=100)):
        removed = forget_what_expired()
        assert removed["subscribers who left"] == 1 and removed["deliveries"] == 1
        assert removed["accounts never confirmed"] == 1 and not AccountMail.objects.exists()
        assert not any(forget_what_expired().values())
    assert Premiere.objects.get().counts() == {"sent": 1}
    assert (
        not User.objects.filter(pk=never.pk).exists() and not Workspace.objects.filter(title="Never").exists()
    )
    assert User.objects.filter(pk=owner.pk).exists() and Subscriber.objects.get() == reader
    assert subscriptions.import_confirmed(north_shore, [(gone.email, "fair")]).left == 1


@pytest.mark.both_databases
def test_housekeeping_goes_on_where_one_part_of_it_fails():
    def fail(**kwargs: object) -> None:
        raise OperationalError("deadlock detected")

    never = User.objects.create(email="never@example.com")
    EmailAddress.objects.create(user=never, email=never.email, primary=True, verified=False)
    pre_delete.connect(fail, sender=User)
    signals.housekeeping_due.connect(fail)
    try:
        with time_machine.travel(timezone.now() + timedelta(days=100)):
            removed = forget_what_expired()
    finally:
        pre_delete.disconnect(fail, sender=User)
        signals.housekeeping_due.disconnect(fail)
    assert removed["accounts never confirmed"] == 0 and {"stories", "deliveries"} <= set(removed)


@pytest.mark.both_databases
def test_members_and_leavers_are_asked_first(owner, person, north_shore):
    client = Client()
    client.force_login(owner)
    editor = Membership.objects.get(user=person("editor"))
    address = f"/account/workspaces/{north_shore.pk}/members/{editor.pk}/remove"
    assert "Remove Editor?" in client.get(address).content.decode()
    assert Membership.objects.filter(pk=editor.pk).exists()
    client.post(address)
    assert not Membership.objects.filter(pk=editor.pk).exists()
    viewer = Membership.objects.get(user=person("viewer"))
    client.force_login(person("viewer"))
    assert (
        "Leave North Shore Press?" in client.get(f"/account/memberships/{viewer.pk}/leave").content.decode()
    )
    assert Membership.objects.filter(pk=viewer.pk).exists()
    client.post(f"/account/memberships/{viewer.pk}/leave")
    assert not Membership.objects.filter(pk=viewer.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_staff_who_choose_their_own_account_with_others_delete_all_of_them():
    User.objects.create_superuser("other@capsules.example", "x")
    chief = User.objects.create_superuser("a@capsules.example", "x")
    people = [chief, *(User.objects.create_user(f"{name}@person.example", "x") for name in "bc")]
    client = Client(raise_request_exception=False)
    client.force_login(chief)
    data = {"action": "erase", "confirmed": "yes", "_selected_action": [str(user.pk) for user in people]}
    assert client.post("/admin/accounts/user/", data).status_code == 302
    assert not User.objects.filter(pk__in=[user.pk for user in people]).exists()
