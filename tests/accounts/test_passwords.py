"""Passwords that are easy to guess for somebody who knows the service, the person or a list of common ones."""

from __future__ import annotations

import json
import re

import pytest
from django.contrib.auth.password_validation import password_validators_help_texts, validate_password
from django.core.exceptions import ValidationError
from django.test import Client

from accounts.models import User
from accounts.people import guessing, passwords
from tests.support.oauth import App

pytestmark = pytest.mark.django_db


def codes(refused: ValidationError) -> dict[str, str]:
    """The code by which a program knows each sentence."""
    return {str(error.message): error.code for error in refused.error_list}


@pytest.mark.parametrize(
    "password",
    ["capsules", "Capsules1", "CAPSULES2026!", "c4psule5!", "MyCapsules", "capsule-123456", "capsule-elk-92"],
)
def test_the_name_of_the_service_is_no_password(password):
    with pytest.raises(ValidationError) as refused:
        validate_password(password)
    assert codes(refused.value)[guessing.OWN_WORDS] == "password_too_similar"


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
        "  Sunshine",
        "$unshine!!",
    ],
)
def test_a_common_password_is_none_by_capitals_digits_or_symbols(password):
    with pytest.raises(ValidationError) as refused:
        validate_password(password)
    assert codes(refused.value)[guessing.COMMON] == "password_too_common"


@pytest.mark.parametrize(
    "password",
    [
        "harbour1",
        "Harbour-Letters",
        "h4rb0ur!!",
        "Letters2026",
        "h@rbour-26-77",
        "le77ers-2026",
        "l3tters-2026",
    ],
)
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
    for password in ("Ymir-26-26", "Ym1r-26-26", "Ym!r-26-26"):
        with pytest.raises(ValidationError) as refused:
            validate_password(password, User(email="o@inkwell.example", name="Ymir"))
        assert guessing.OWN_WORDS in refused.value.messages
    for password in ("Okafor2026", "margarete!", "Inkwell-12", "Ines-26-26-26"):
        with pytest.raises(ValidationError) as refused:
            validate_password(password, new)
        assert guessing.OWN_WORDS in refused.value.messages
    validate_password("ymannabelleir", User(email="o@inkwell.example", name="Annabelle Ymir"))


@pytest.mark.parametrize(
    "password",
    [
        "kelp-and-lantern-92",
        "a-long-enough-secret",
        "dragon-kelp-77",
        "capsules of the moon",
        "capsule-kelp-9",
        "North-Press-26",
        "abc-48-27-91",
        "日本語のパスワード",
    ],
)
def test_a_good_password_is_taken(password, person):
    validate_password(password, person("stranger"))


def test_who_signs_up_is_told_on_the_page_and_by_the_api(client):
    body = {"email": "ada@example.org", "name": "Ada", "workspace_title": "Harbour Letters"}
    page = client.post("/account/signup/", {**body, "password1": "harbour1"})
    assert page.context["form"].errors == {"password1": [guessing.OWN_WORDS]}
    page = client.post("/account/signup/", {**body, "name": "Lovelace", "password1": "lovelace1"})
    assert page.context["form"].errors == {"password1": [guessing.OWN_WORDS]}
    told = Client().post(
        "/account/api/app/v1/auth/signup",
        json.dumps({**body, "password": "harbour1"}),
        content_type="application/json",
    )
    assert told.status_code == 400
    assert [(e["param"], e["message"]) for e in told.json()["errors"]] == [("password", guessing.OWN_WORDS)]
    assert not User.objects.filter(email=body["email"]).exists()
    assert client.post("/account/signup/", {**body, "password1": "kelp-and-lantern-92"}).status_code == 302


def test_the_rules_of_a_password_are_said_in_words():
    assert password_validators_help_texts() == [
        "Your password can’t be too similar to your other personal information.",
        "Your password must contain at least 8 characters.",
        "Your password can’t be entirely numeric.",
        "Not a common password, and not your name, your workspace or the name of this service.",
        "",
    ]


HELP = "At least 8 characters, not only digits; nothing common, and nothing like your name or address."


@pytest.mark.parametrize(
    "form, fields, more",
    [
        (passwords.RegistrationForm, ["name", "workspace_title", "email", "password1", "altcha"], ""),
        (passwords.SetPasswordForm, ["password1", "password2"], ""),
        (
            passwords.ChangePasswordForm,
            ["oldpassword", "password1", "password2", "disconnect"],
            " A new password signs you out everywhere else.",
        ),
        (
            passwords.ResetPasswordKeyForm,
            ["password1", "password2", "disconnect"],
            " A new password signs you out everywhere else.",
        ),
    ],
)
def test_each_form_asks_in_order_and_says_what_a_password_must_be(form, fields, more, owner):
    made = form() if form is passwords.RegistrationForm else form(user=owner)
    assert list(made.fields) == fields
    assert made.fields["password1"].help_text == f"{HELP}{more}"
    if "disconnect" in fields:
        tick = made.fields["disconnect"]
        assert (tick.label, tick.required, tick.initial) == (
            "Also disconnect all connected apps",
            False,
            None,
        )
        assert tick.help_text == "Tick this if somebody else may have known your password."


def test_a_reset_password_leaves_apps_connected_where_nothing_was_ticked(client, owner, mailoutbox):
    app = App(owner).connect()
    client.post("/account/password/reset/", {"email": owner.email})
    link = re.search(r"https?://[^/]+(/account/password/reset/key/\S+)", mailoutbox[0].body)[1]
    new = {"password1": "kelp-and-lantern-92", "password2": "kelp-and-lantern-92"}
    client.post(client.get(link)["Location"], new)
    assert User.objects.get(pk=owner.pk).check_password("kelp-and-lantern-92")
    assert app.me() == 200


def test_a_password_manager_finds_where_a_password_is_changed(owner_page):
    answer = owner_page.get("/.well-known/change-password")
    assert (answer.status_code, answer["Location"]) == (302, "/account/password/change/")
