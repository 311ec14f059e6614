"""Passwords that are easy to guess for somebody who knows the service, the person or a list of common ones."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client

from accounts.models import User
from accounts.people import guessing

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "password", ["capsules", "Capsules1", "CAPSULES2026!", "c4psule5!", "MyCapsules", "capsule-123456"]
)
def test_the_name_of_the_service_is_no_password(password):
    with pytest.raises(ValidationError, match="the name of this service"):
        validate_password(password)


@pytest.mark.parametrize(
    "password",
    [
        "Passw0rd!",
        "PASSWORD",
        "Password2026",
        "Sunshine!!!",
        "dr4gon!!",
        "Qwerty12#",
        "Love2026!!",
        "Abc12345",
    ],
)
def test_a_common_password_is_none_by_capitals_digits_or_symbols(password):
    with pytest.raises(ValidationError) as refused:
        validate_password(password)
    assert guessing.COMMON in refused.value.messages


@pytest.mark.parametrize("password", ["harbour1", "Harbour-Letters", "h4rb0ur!!", "Letters2026"])
def test_the_title_of_ones_workspace_is_no_password(password, person):
    with pytest.raises(ValidationError) as refused:
        validate_password(password, person("stranger"))
    assert guessing.OWN_WORDS in refused.value.messages


def test_ones_name_and_address_are_no_password():
    new = User(email="okafor@inkwell.example", name="Ines Margarete")
    long = User(email="o@inkwell.example", name="Anna Annabelle")
    with pytest.raises(ValidationError) as refused:
        validate_password("Annabelle-26", long)  # which has a shorter name in it
    assert guessing.OWN_WORDS in refused.value.messages
    with pytest.raises(ValidationError) as refused:
        validate_password("Ymir-26-26", User(email="o@inkwell.example", name="Ymir"))
    assert guessing.OWN_WORDS in refused.value.messages
    for password in ("Okafor2026", "margarete!", "Inkwell-12"):
        with pytest.raises(ValidationError):
            validate_password(password, new)


@pytest.mark.parametrize(
    "password",
    [
        "kelp-and-lantern-92",
        "a-long-enough-secret",
        "dragon-kelp-77",
        "capsules of the moon",
        "日本語のパスワード",
    ],
)
def test_a_good_password_is_taken(password, person):
    validate_password(password, person("stranger"))


def test_who_signs_up_is_told_on_the_page_and_by_the_api(client):
    body = {"email": "ada@example.org", "name": "Ada", "workspace_title": "Harbour Letters"}
    page = client.post("/account/signup/", {**body, "password1": "harbour1"})
    assert str(guessing.OWN_WORDS) in page.content.decode()
    told = Client().post(
        "/account/api/app/v1/auth/signup",
        json.dumps({**body, "password": "harbour1"}),
        content_type="application/json",
    )
    assert told.status_code == 400
    assert [(e["param"], e["message"]) for e in told.json()["errors"]] == [("password", guessing.OWN_WORDS)]
    assert not User.objects.filter(email=body["email"]).exists()
    assert client.post("/account/signup/", {**body, "password1": "kelp-and-lantern-92"}).status_code == 302
