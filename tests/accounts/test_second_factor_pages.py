"""The pages that take a second factor away, and what the log says of it."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth.models import Permission
from django.test import Client

from accounts.models import SecurityEvent, User
from tests.lived_in.people import security_key
from tests.support.factories import PASSWORD
from tests.support.markup import parsed, words_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(owner, client) -> Client:
    """The owner's browser, which has just given the password; there is an app, recovery codes and a key."""
    owner.set_password(PASSWORD)
    owner.save()
    client.post("/account/login/", {"login": owner.email, "password": PASSWORD})
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    TOTP.activate(owner, "JBSWY3DPEHPK3PXP")
    RecoveryCodes.activate(owner)
    security_key(owner)
    return client


def test_whoever_is_asked_before_a_second_factor_goes_can_go_back(signed_in, owner):
    key = Authenticator.objects.get(user=owner, type="webauthn")
    for page, back in (
        ("totp/deactivate/", ""),
        ("recovery-codes/generate/", ""),
        (f"webauthn/keys/{key.pk}/remove/", "webauthn/"),
    ):
        answer = signed_in.get(f"/account/2fa/{page}")
        assert f'<a class="pill" href="/account/2fa/{back}">Cancel</a>' in answer.content.decode(), page


def test_when_a_key_was_added_is_written_out(signed_in, owner):
    Authenticator.objects.filter(type="webauthn").update(created_at=datetime(2026, 11, 29, 12, tzinfo=UTC))
    [row] = parsed(signed_in.get("/account/2fa/webauthn/")).findall(".//tbody/tr")
    assert words_of(row).startswith("Key 29 Nov 2026 never")


def test_whoever_removes_a_key_reads_which_one(signed_in, owner):
    key = Authenticator.objects.get(user=owner, type="webauthn")
    page = signed_in.get(f"/account/2fa/webauthn/keys/{key.pk}/remove/").content.decode()
    assert "Remove the security key" in page and "<b>Key</b>" in page


@pytest.mark.parametrize("has_app", [True, False])
def test_whoever_has_a_key_alone_is_not_asked_for_the_code_of_an_app(has_app, signed_in, owner, settings):
    settings.DEFAULT_FROM_EMAIL = "help@capsules.example"
    if not has_app:
        Authenticator.objects.filter(user=owner, type="totp").delete()
    browser = Client()
    sign_in = {"login": owner.email, "password": PASSWORD}
    page = browser.post("/account/login/", sign_in, follow=True).content.decode()
    assert ("your authenticator app shows" in page) is has_app
    assert ("Type one of your recovery codes." in page) is not has_app
    assert "Use a security key" in page
    assert '<a href="mailto:help@capsules.example">' in page  # whom to write to without any of them


def test_a_wrong_code_is_not_shown_again_and_the_next_one_is_typed_at_once(signed_in, owner):
    signing_in = Client()
    signing_in.post("/account/login/", {"login": owner.email, "password": PASSWORD})
    for browser, page in ((signed_in, "reauthenticate"), (signing_in, "authenticate")):
        html = browser.post(f"/account/2fa/{page}/", {"code": "123456"}).content.decode()
        [field] = re.findall(r'<input[^>]*name="code"[^>]*>', html)
        assert "value" not in field and "autofocus" in field, page


def test_staff_take_the_second_factors_from_whoever_lost_them_all(signed_in, owner, person, mailoutbox):
    staff = Client()
    staff.force_login(User.objects.create_superuser("staff@capsules.example"))
    rows = {"action": "remove_factors", "_selected_action": [str(owner.pk), str(person("editor").pk)]}
    assert "Remove the second factors?" in staff.post("/admin/accounts/user/", rows).content.decode()
    assert Authenticator.objects.filter(user=owner).exists()
    answer = staff.post("/admin/accounts/user/", rows | {"confirmed": "yes"}, follow=True).content.decode()
    assert "editor@north-shore.example: there was nothing to do." in answer.lower()
    assert not Authenticator.objects.filter(user=owner).exists()
    assert SecurityEvent.objects.filter(kind="mfa_changed").last().subject == "All removed by staff"
    [mail] = mailoutbox
    assert (mail.to, mail.subject) == ([owner.email], "Your second factors were removed")
    assert "/account/2fa/" in mail.body and "answer this mail" in mail.body
    sign_in = {"login": owner.email, "password": PASSWORD}
    assert Client().post("/account/login/", sign_in).headers["Location"] != "/account/2fa/authenticate/"


def test_only_a_superuser_takes_them_from_a_member_of_staff(signed_in, owner, person):
    User.objects.filter(pk=owner.pk).update(is_staff=True)
    helper = User.objects.create_user("helper@capsules.example", is_staff=True)
    helper.user_permissions.add(*Permission.objects.filter(codename__in=("change_user", "view_user")))
    staff = Client()
    staff.force_login(helper)
    rows = {"action": "remove_factors", "_selected_action": [str(owner.pk)], "confirmed": "yes"}
    answer = staff.post("/admin/accounts/user/", rows, follow=True).content.decode()
    assert "Only a superuser changes the account of a member of staff." in answer
    assert Authenticator.objects.filter(user=owner).exists()


def test_the_log_says_which_second_factor_is_gone(signed_in, owner):
    key = Authenticator.objects.get(user=owner, type="webauthn")
    signed_in.post(f"/account/2fa/webauthn/keys/{key.pk}/remove/")
    signed_in.post("/account/2fa/totp/deactivate/")
    noted = SecurityEvent.objects.filter(kind="mfa_changed", user=owner).order_by("pk")
    assert [event.subject for event in noted] == [
        "Security key removed",
        "Authenticator app removed",
        "Recovery codes removed",
    ]
