"""What ends with a password, an address or a membership, whoever ended it and by whatever way."""

from __future__ import annotations

import io

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core.management import call_command
from django.test import Client

from accounts import tokens
from accounts.actions import keys, members, people
from accounts.models import ApiKey, Membership, SecurityEvent, User
from tests.support.factories import Api
from tests.support.oauth import App

pytestmark = pytest.mark.django_db

PASSWORD = "a-long-enough-secret"


@pytest.fixture
def staff_page(django_user_model):
    page = Client()
    page.force_login(django_user_model.objects.create_superuser("staff@capsules.example", PASSWORD))
    return page


def works(token: str) -> bool:
    status = Client().get("/api/v2/me", headers={"Authorization": f"Bearer {token}"}).status_code
    assert status in (200, 401)
    return status == 200


def logged(*kinds: str) -> list[tuple[str, str, str | None]]:
    rows = SecurityEvent.objects.filter(kind__in=kinds).order_by("pk")
    return list(rows.values_list("kind", "subject", "user__email"))


def by_staff(staff_page, owner):
    path = f"/admin/accounts/user/{owner.pk}/password/"
    staff_page.post(path, {"usable_password": "true", "password1": PASSWORD, "password2": PASSWORD})


def taken_away_by_staff(staff_page, owner):
    path = f"/admin/accounts/user/{owner.pk}/password/"
    staff_page.post(path, {"usable_password": "false", "unset-password": ""})


def on_the_command_line(staff_page, owner):
    from django.contrib.auth.management.commands import changepassword

    command = changepassword.Command(stdout=io.StringIO(), stderr=io.StringIO())
    command._get_pass = lambda prompt="": PASSWORD
    call_command(command, owner.email)


def in_code(staff_page, owner):
    user = User.objects.get(pk=owner.pk)
    user.set_password(PASSWORD)
    user.save(update_fields=["password"])


@pytest.mark.parametrize("way", [by_staff, taken_away_by_staff, on_the_command_line, in_code])
def test_a_new_password_ends_the_users_own_tokens_by_whatever_way_it_came(way, staff_page, owner):
    owner.set_password("the-password-of-before")
    owner.save()
    token = tokens.issue(owner)
    assert works(token)
    way(staff_page, owner)
    assert not works(token)
    owner.refresh_from_db()
    assert works(tokens.issue(owner))


def test_a_sign_in_that_only_hashes_the_password_anew_ends_nothing(owner):
    owner.password = PBKDF2PasswordHasher().encode(PASSWORD, "salt" * 6, iterations=1)
    owner.save()
    token = tokens.issue(owner)
    Client().post("/account/login/", {"login": owner.email, "password": PASSWORD})
    assert "$1$" not in User.objects.get(pk=owner.pk).password  # it was
    assert works(token)


def test_an_address_changed_by_staff_is_the_only_one_to_sign_in_with(staff_page, owner):
    owner.set_password(PASSWORD)
    owner.save()
    before = owner.email
    form = {"email": "New@North-Shore.example", "name": owner.name, "is_active": "on"}
    page = staff_page.post(f"/admin/accounts/user/{owner.pk}/change/", form, follow=True)
    assert "the only address to sign in with now" in page.content.decode()
    for email, status in [(before, 200), ("new@north-shore.example", 302)]:
        assert Client().post("/account/login/", {"login": email, "password": PASSWORD}).status_code == status
    assert logged("address_changed") == [("address_changed", "by staff", "new@north-shore.example")]


def test_a_token_of_a_closed_account_stays_refused_once_it_is_opened_again(person, owner):
    token, editor = tokens.issue(person("editor")), person("editor")
    people.disable(editor, by=owner)
    assert not editor.is_active and not person("editor").is_active and not works(token)
    people.enable(editor, by=owner)
    assert editor.is_active and person("editor").is_active
    assert not works(token) and works(tokens.issue(editor)), "whoever closed it knows the new generation"


def test_sessions_and_apps_of_a_closed_account_stay_ended_once_it_is_opened_again(person, owner):
    editor, browser = person("editor"), Client()
    editor.set_password(PASSWORD)
    editor.save()
    browser.post("/account/login/", {"login": editor.email, "password": PASSWORD})
    app = App(editor).connect()
    assert (browser.get("/account/").status_code, app.me()) == (200, 200)
    people.disable(editor, by=owner)
    people.enable(editor, by=owner)
    assert (browser.get("/account/").status_code, app.me()) == (302, 401)
    assert app.refresh().status_code == 400
    assert logged("app_revoked") == [("app_revoked", "Ink: disconnected by staff", owner.email)]


def test_the_end_of_an_account_is_in_the_log_with_who_closed_it(person, owner, north_shore):
    admin = person("admin")
    key, _ = keys.create_api_key(north_shore, by=admin)
    members.invite(north_shore, "new@readers.example", role="viewer", by=admin)
    people.disable(admin, by=owner)
    people.enable(admin, by=owner)
    assert logged("key_revoked", "invitation_withdrawn", "account_disabled", "account_enabled") == [
        ("key_revoked", str(key), owner.email),
        ("invitation_withdrawn", "new@readers.example", owner.email),
        ("account_disabled", admin.email, owner.email),
        ("account_enabled", admin.email, owner.email),
    ]


def test_the_only_address_is_stored_as_it_is_compared(owner):
    owner.email = "New@North-Shore.EXAMPLE"
    EmailAddress.objects.create(user=owner, email="old@north-shore.example", verified=True)
    people.use_only_address(owner, by=owner)
    kept = EmailAddress.objects.get(user=owner)
    assert (kept.email, kept.verified, kept.primary) == ("new@north-shore.example", True, True)
    assert logged("address_changed") == [("address_changed", "", "new@north-shore.example")]
    assert User.objects.get(pk=owner.pk).email == "new@north-shore.example"


def test_a_removal_tells_of_the_keys_that_went_with_it(owner, person, north_shore):
    keys.create_api_key(north_shore, by=person("admin"), label="theirs")
    members.remove_member(Membership.objects.get(user=person("admin")), by=owner)
    assert SecurityEvent.objects.filter(kind="key_revoked", subject="theirs", user=owner).exists()


def removed(owner, admin, membership):
    members.remove_member(membership, by=owner)


def removed_in_the_admin(owner, admin, membership):
    membership.delete()


def disabled(owner, admin, membership):
    people.disable(admin, by=owner)


@pytest.mark.parametrize("end", [removed, removed_in_the_admin, disabled])
def test_keys_stay_dead_when_their_maker_comes_back(end, owner, person, north_shore, ready_story):
    admin = person("admin")
    _, secret = keys.create_api_key(north_shore, by=admin)
    api = Api(Client()).with_key(secret)
    assert api.state(ready_story).status_code == 200
    end(owner, admin, Membership.objects.get(user=admin))
    assert api.state(ready_story).status_code == 401

    User.objects.filter(pk=admin.pk).update(is_active=True)
    Membership.objects.get_or_create(user=admin, workspace=north_shore, defaults={"role": "admin"})
    assert api.state(ready_story).status_code == 401
    assert ApiKey.objects.get().revoked_at


def test_a_membership_deleted_in_the_admin_takes_its_own_keys_alone(owner, person, north_shore):
    keys.create_api_key(north_shore, by=person("admin"), label="theirs")
    keys.create_api_key(north_shore, by=owner, label="somebody else's")
    removed_in_the_admin(owner, person("admin"), Membership.objects.get(user=person("admin")))
    assert list(ApiKey.objects.working().values_list("label", flat=True)) == ["somebody else's"]


def test_keys_of_other_workspaces_and_people_go_on(owner, person, north_shore, harbour, ready_story):
    admin = person("admin")
    Membership.objects.create(user=admin, workspace=harbour, role="admin")
    keys.create_api_key(north_shore, by=admin, label="here")
    keys.create_api_key(harbour, by=admin, label="elsewhere")
    keys.create_api_key(north_shore, by=owner, label="somebody else's")
    assert keys.revoke_keys_of(admin, workspace=north_shore, by=owner) == 1
    assert set(ApiKey.objects.working().values_list("label", flat=True)) == {"elsewhere", "somebody else's"}
    assert SecurityEvent.objects.filter(kind="key_revoked", subject="here", user=owner).exists()
