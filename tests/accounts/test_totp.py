"""Codes of authenticator apps: as RFC 6238 says, and as the library that checks them says."""

from __future__ import annotations

import base64
import json

import pytest
import time_machine
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.test import Client

from accounts.people.totp import current_codes, totp_code
from tests.support.factories import PASSWORD

OF_THE_RFC = base64.b32encode(b"12345678901234567890").decode()
SECRET = "JBSWY3DPEHPK3PXP"


@pytest.mark.parametrize(
    ("seconds", "code"),
    [(59, "287082"), (1111111109, "081804"), (1111111111, "050471"), (1234567890, "005924")],
)
def test_codes_are_those_of_the_rfc(seconds, code):
    assert totp_code(OF_THE_RFC, seconds // 30) == code


@pytest.mark.parametrize("secret", [SECRET, SECRET.lower()])
def test_the_codes_that_are_taken_are_those_of_the_library(secret):
    with time_machine.travel("2026-11-21T10:00:29Z", tick=False):
        theirs = [format_hotp_value(hotp_value(secret, step)) for step in yield_hotp_counters_from_time()]
        assert current_codes(secret) == theirs
        assert len(theirs) == 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("clock_stands")
def test_the_code_by_which_an_app_set_it_up_is_no_second_factor_of_the_next_sign_in(owner):
    owner.set_password(PASSWORD)
    owner.save()

    def ask(method: str, path: str, session: str | None = None, **told: str):
        headers = {"X-Session-Token": session} if session else {}
        address = f"/account/api/app/v1/{path}"
        return Client().generic(method, address, json.dumps(told), "application/json", headers=headers)

    who = {"email": owner.email, "password": PASSWORD}
    session = ask("POST", "auth/login", **who).json()["meta"]["session_token"]
    assert ask("POST", "auth/reauthenticate", session, password=PASSWORD).status_code == 200
    asked = ask("GET", "account/authenticators/totp", session)
    secret = asked.json()["meta"]["secret"]
    code, *_ = current_codes(secret)
    added = ask("POST", "account/authenticators/totp", session, code=code)
    assert added.status_code == 200, added.content
    begun = ask("POST", "auth/login", **who)
    assert begun.status_code == 401
    session = begun.json()["meta"]["session_token"]
    assert ask("POST", "auth/2fa/authenticate", session, code=code).status_code == 400
    other = next(each for each in current_codes(secret) if each != code)
    assert ask("POST", "auth/2fa/authenticate", session, code=other).status_code == 200
