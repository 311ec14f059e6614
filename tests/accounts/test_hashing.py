"""A flood of sign-ins holds few threads: passwords are hashed a few at a time."""

from __future__ import annotations

import pytest
from django.contrib.auth.hashers import check_password, make_password
from django.db import connection
from django.test import Client

from accounts.models import RateWindow, User
from accounts.people import hashing
from accounts.people.adapters import AccountAdapter
from config.slots import Slots

pytestmark = pytest.mark.django_db


@pytest.fixture
def crowd(monkeypatch):
    """Others hash passwords, as many as may."""
    monkeypatch.setattr(hashing, "hashing", Slots(1, 1, patience=0.05))
    with hashing.hashing.slot(AssertionError()):
        yield


@pytest.mark.parametrize("who", ["owner@north-shore.example", "nobody@readers.example"])
def test_whose_password_cannot_be_looked_at_in_time_is_told_to_come_back(who, crowd, owner):
    browser = Client(raise_request_exception=False)
    answer = browser.post("/account/login/", {"login": who, "password": "one-of-many"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "3")
    told = {"email": who, "password": "one-of-many"}
    answer = browser.post("/account/api/app/v1/auth/login", told, content_type="application/json")
    assert (answer.status_code, answer["Retry-After"]) == (503, "3")
    assert "took too long" in answer.json()["error"]
    assert not RateWindow.objects.filter(key__startswith="login:").exists(), "nobody tried a password"


def test_a_password_that_cannot_be_hashed_in_time_makes_no_account(crowd):
    told = {"email": "new@readers.example", "password": "a-long-secret"}
    answer = Client(raise_request_exception=False).post(
        "/account/api/app/v1/auth/signup", told, content_type="application/json"
    )
    assert (answer.status_code, answer["Retry-After"]) == (503, "3")


class WithOneSlot(Slots):
    """Notes whether who waits has a connection of the database."""

    def __init__(self) -> None:
        super().__init__(1, 1, patience=0.05)
        self.connected: list[bool] = []

    def slot(self, refusal):
        self.connected.append(connection.connection is not None)
        return super().slot(refusal)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_sign_in_takes_one_turn_and_waits_for_it_without_a_connection(monkeypatch, owner):
    owner.set_password("a-long-secret")
    owner.save()
    monkeypatch.setattr(hashing, "hashing", slots := WithOneSlot())
    answer = Client().post("/account/login/", {"login": owner.email, "password": "a-long-secret"})
    assert (answer.status_code, slots.connected) == (302, [False])


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", ["new@readers.example", "owner@north-shore.example"])
def test_a_sign_up_takes_one_turn_and_waits_for_it_without_a_connection(who, monkeypatch, owner):
    monkeypatch.setattr(hashing, "hashing", slots := WithOneSlot())
    form = {"email": who, "password1": "a-long-secret", "name": "Ines"}
    answer = Client().post("/account/signup/", form)
    assert (answer.status_code, slots.connected) == (302, [False])


def by_page(client: Client, old: str, new: str) -> None:
    form = {"oldpassword": old, "password1": new, "password2": new}
    client.post("/account/password/change/", form)


def without_a_browser(client: Client, old: str, new: str) -> None:
    headers = {"X-Session-Token": client.session.session_key}
    form = {"current_password": old, "new_password": new}
    page = "/account/api/app/v1/account/password/change"
    Client().post(page, form, content_type="application/json", headers=headers)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("change", [by_page, without_a_browser])
def test_a_new_password_waits_for_its_turns_without_a_connection(change, monkeypatch, owner):
    owner.set_password("a-long-secret")
    owner.save()
    client = Client()
    client.force_login(owner)
    monkeypatch.setattr(hashing, "hashing", slots := WithOneSlot())
    change(client, "a-long-secret", "kelp-and-lantern-92")
    assert slots.connected == [False, False], "one looks at the old password, one hashes the new one"
    assert User.objects.get(pk=owner.pk).check_password("kelp-and-lantern-92")


@pytest.mark.parametrize("name, value", [("is_active", False), ("name", "Ines")])
def test_a_new_password_changes_nothing_else_of_its_account(name, value, owner):
    User.objects.filter(pk=owner.pk).update(**{name: value})  # while the password was hashed
    AccountAdapter().set_password(owner, "kelp-and-lantern-92")
    changed = User.objects.get(pk=owner.pk)
    assert changed.check_password("kelp-and-lantern-92") and getattr(changed, name) == value


def test_the_hashes_are_those_of_django():
    made = make_password("a-long-secret")
    assert made.startswith("pbkdf2_sha256$")
    assert check_password("a-long-secret", made) and not check_password("another", made)
