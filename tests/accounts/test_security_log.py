"""What a person does with their account, or somebody tries with it, is in its log; and what ends with a membership."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

import pytest
from allauth.account import signals as news
from allauth.mfa import signals
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.db import connection
from django.test import Client
from django.utils import timezone, translation

from accounts.actions import keys, members
from accounts.actions.events import Kind, record
from accounts.models import ApiKey, Invitation, Membership, SecurityEvent, User
from accounts.people.totp import current_codes
from publishing.models import PublicationEvent
from tests.support.factories import PASSWORD
from tests.support.queries import asks_as_often
from tests.support.smtp import code_in

pytestmark = pytest.mark.django_db
SECRET = "JBSWY3DPEHPK3PXP"


@pytest.fixture
def signed_in(client, owner):
    owner.set_password(PASSWORD)
    owner.save()
    log_in(client, owner.email)
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    return client


def log_in(browser: Client, email: str, password: str = PASSWORD):
    return browser.post("/account/login/", {"login": email, "password": password})


def logged() -> list[tuple[str, str | None, str]]:
    """What happened to people, in order: the kind, who did it, and the subject."""
    rows = SecurityEvent.objects.filter(workspace=None).order_by("pk")
    return list(rows.values_list("kind", "user__email", "subject"))


def test_from_the_sign_up_on_what_somebody_does_is_logged(client, mailoutbox):
    form = {"email": "Ada@Example.com", "password1": PASSWORD, "name": "Ada"}
    client.post("/account/signup/", form)
    client.post("/account/confirm-email/", {"code": code_in(mailoutbox[0].body)})
    new = "kelp-and-lantern-92"
    change = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert client.post("/account/password/change/", change).status_code == 302
    for email in ("ADA@example.com", "nobody@example.com"):
        log_in(Client(), email, "wrong")
    ada = "ada@example.com"
    assert logged() == [
        ("signed_up", ada, ""),
        ("logged_in", ada, ""),
        ("password_changed", ada, ""),
        ("login_failed", ada, ""),
        ("login_failed", None, ""),
    ]


@pytest.mark.parametrize(
    "signal, kind, left",
    [
        (news.password_changed, "password_changed", 1),
        (news.password_set, "password_changed", 1),
        (news.password_reset, "password_changed", 0),
        (news.email_changed, "address_changed", 1),
        (news.email_removed, "address_changed", 1),
    ],
)
def test_news_of_a_login_is_logged_and_only_a_reset_withdraws_invitations(
    signal, kind, left, owner, north_shore, rf, client
):
    members.invite(north_shore, "new@readers.example", role="viewer", by=owner)
    request = rf.post("/")
    request.user, request.session = owner, client.session
    signal.send(User, request=request, user=owner)
    assert logged() == [(kind, owner.email, "")] and Invitation.objects.count() == left
    withdrawn = SecurityEvent.objects.filter(kind="invitation_withdrawn")
    assert list(withdrawn.values_list("user", flat=True)) == [owner.pk] * (1 - left)


def test_every_change_of_a_second_factor_is_logged_and_its_use_is_not(owner, rf):
    for kind in ("webauthn", "recovery_codes"):
        factor = Authenticator.objects.create(user=owner, type=kind, data={})
        said = {"request": rf.post("/", {}), "user": owner, "authenticator": factor}
        for name in ("added", "removed", "reset"):
            with translation.override("de"):  # the log is in English, whoever writes it
                getattr(signals, f"authenticator_{name}").send(Authenticator, **said)
        signals.authenticator_used.send(Authenticator, passwordless=False, reauthenticated=False, **said)
    assert logged() == [
        ("mfa_changed", owner.email, f"{factor}{gone}")
        for factor in ("Security key", "Recovery codes")
        for gone in ("", " removed", "")
    ]


def test_a_recovery_code_is_taken_in_place_of_the_factor(signed_in, owner):
    TOTP.activate(owner, SECRET)
    code = RecoveryCodes.activate(owner).get_unused_codes()[0]
    browser = Client()
    assert log_in(browser, owner.email)["Location"].startswith("/account/2fa/authenticate")
    assert browser.post("/account/2fa/authenticate/", {"code": code}).status_code == 302
    assert browser.get("/account/").status_code == 200


@pytest.mark.usefixtures("clock_stands")
def test_an_app_may_send_the_code_of_a_setup_as_a_number(owner):
    totp = TOTP.activate(owner, SECRET)
    code = next(code for code in current_codes(SECRET) if not code.startswith("0"))
    request = SimpleNamespace(api_body={"code": int(code)})
    signals.authenticator_added.send(Authenticator, request=request, user=owner, authenticator=totp.instance)
    assert not totp.validate_code(code), "it is spent"


def test_with_a_membership_go_the_keys_of_that_person_there_that_still_work(
    owner, person, north_shore, harbour
):
    admin = person("admin")
    Membership.objects.create(workspace=harbour, user=admin, role="admin")
    ended, here, there = (
        keys.create_api_key(workspace, by=admin)[0] for workspace in (north_shore, north_shore, harbour)
    )
    yesterday = timezone.now() - timedelta(days=1)
    ApiKey.objects.filter(pk=ended.pk).update(revoked_at=yesterday)
    admin.memberships.get(workspace=north_shore).delete()
    assert ApiKey.objects.get(pk=ended.pk).revoked_at == yesterday
    assert ApiKey.objects.get(pk=here.pk).revoked_at > yesterday
    assert list(ApiKey.objects.working()) == [there]
    assert not SecurityEvent.objects.filter(kind="key_revoked").exists()


def test_the_account_page_asks_as_often_for_many_events(client, owner):
    client.force_login(owner)

    def more() -> None:
        for number in range(5):
            record(Kind.KEY_MADE, by=owner, subject=str(number))

    assert asks_as_often(client, "/account/", after=more)


@pytest.mark.both_databases
@pytest.mark.parametrize("log", [SecurityEvent, PublicationEvent])
def test_no_index_of_a_log_that_each_publish_writes_repeats_another(log):
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, log._meta.db_table).values()
    indexes = [each["columns"] for each in found if each["index"] or each["unique"]]
    assert indexes
    for one in indexes:
        assert sum(other[: len(one)] == one for other in indexes) == 1, one
