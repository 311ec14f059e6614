"""What a session that was left open, or stolen, cannot do: it has to give the password again."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from urllib.parse import quote

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts.models import ApiKey, Invitation, Membership, SecurityEvent, User
from tests.support.smtp import code_in

pytestmark = pytest.mark.django_db

PASSWORD = "a-long-enough-secret"


@pytest.fixture
def old_session(owner):
    """A browser in which the owner signed in an hour ago."""
    owner.set_password(PASSWORD)
    owner.save()
    browser = Client()
    with time_machine.travel(timezone.now() - timedelta(hours=1)):
        assert (
            browser.post("/account/login/", {"login": owner.email, "password": PASSWORD}).status_code == 302
        )
    return browser


#: Beside what changes something: pages that show all that is known of a person, or lead to what cannot be undone.
PAGES = [
    "/account/delete",
    "/account/data.json",
    "/account/2fa/totp/activate/",
    "/account/2fa/webauthn/add/",
    "/account/2fa/recovery-codes/generate/",
    "/account/workspaces/{workspace}/delete",
]


def asks_for_the_password(answer) -> bool:
    return answer.status_code == 302 and answer["Location"].startswith("/account/reauthenticate/")


@pytest.mark.django_db(transaction=True)
def test_after_an_hour_the_page_asks_who_it_is_and_comes_back(old_session, north_shore):
    paths = [path.format(workspace=north_shore.pk) for path in PAGES]
    for path in paths:
        asked = old_session.get(path)
        assert asks_for_the_password(asked), path
        assert f"next={quote(path, safe='')}" in asked["Location"]
    back = old_session.post(asked["Location"], {"password": PASSWORD})
    assert (back.status_code, back["Location"]) == (302, path)
    assert [old_session.get(path).status_code for path in paths] == [200] * len(paths)


@pytest.mark.django_db(transaction=True)
def test_an_app_of_the_person_is_asked_for_the_password_too(old_session):
    path = "/account/api/app/v1/account/authenticators/webauthn"
    app = {"X-Session-Token": old_session.session.session_key}
    assert Client().get(path, headers=app).status_code == 401
    old_session.post("/account/reauthenticate/", {"password": PASSWORD})
    assert Client().get(path, headers=app).status_code == 200


def test_an_old_session_cannot_change_the_address(old_session, owner, mailoutbox):
    change = {"email": "thief@evil.example", "action_add": ""}
    assert asks_for_the_password(old_session.post("/account/email/", change))
    assert not mailoutbox
    login = old_session.post("/account/reauthenticate/", {"password": "wrong"})
    assert login.status_code == 200 and not mailoutbox


def test_an_old_session_without_a_browser_cannot_change_the_address(owner, mailoutbox):
    owner.set_password(PASSWORD)
    owner.save()
    with time_machine.travel(timezone.now() - timedelta(hours=1)):
        told = Client().post(
            "/account/api/app/v1/auth/login",
            json.dumps({"email": owner.email, "password": PASSWORD}),
            content_type="application/json",
        )
    answer = Client().post(
        "/account/api/app/v1/account/email",
        json.dumps({"email": "thief@evil.example"}),
        content_type="application/json",
        headers={"X-Session-Token": told.json()["meta"]["session_token"]},
    )
    assert answer.status_code == 401 and not mailoutbox


def test_who_gives_the_password_again_changes_the_address_and_it_is_recorded(old_session, owner, mailoutbox):
    change = {"email": "new@north-shore.example", "action_add": ""}
    suspended = old_session.post("/account/email/", change)
    answer = old_session.post(suspended["Location"], {"password": PASSWORD})
    assert answer.status_code == 302
    code = code_in(mailoutbox[0].body)
    changed = old_session.post("/account/confirm-email/", {"code": code})
    assert changed["Location"] == "/account/email/"
    assert User.objects.get(pk=owner.pk).email == "new@north-shore.example"
    assert SecurityEvent.objects.filter(kind="address_changed", user=owner).exists()


def test_an_old_session_makes_no_key_until_the_password_is_given(old_session, north_shore):
    path = f"/account/workspaces/{north_shore.pk}/keys/new"
    suspended = old_session.post(path, {"label": "Script", "days": "30", "scopes": ["publications:read"]})
    assert asks_for_the_password(suspended) and not ApiKey.objects.exists()
    page = old_session.post(suspended["Location"], {"password": PASSWORD})
    assert "capsules_" in old_session.get(page["Location"]).content.decode()
    assert ApiKey.objects.get().label == "Script"


@pytest.mark.parametrize("role, asked", [("owner", True), ("admin", False), ("viewer", False)])
def test_an_old_session_makes_nobody_an_owner(role, asked, old_session, north_shore):
    base = f"/account/workspaces/{north_shore.pk}"
    invited = old_session.post(f"{base}/members/invite", {"email": "new@example.com", "role": role})
    assert asks_for_the_password(invited) == asked and Invitation.objects.exists() != asked
    editor = Membership.objects.get(user__email="editor@north-shore.example")
    changed = old_session.post(f"{base}/members/{editor.pk}/role", {"role": role})
    editor.refresh_from_db()
    assert asks_for_the_password(changed) == asked and (editor.role == role) != asked


def test_the_page_asks_for_the_password_once(old_session):
    page = old_session.get("/account/reauthenticate/").content.decode()
    asked = re.findall(r">([^<>]*password[^<>]*)<", page, re.IGNORECASE)
    assert [" ".join(words.split()) for words in asked] == ["Password", "Forgot your password?"]
