"""Codes of authenticator apps: as RFC 6238 says, and as the library that checks them says."""

from __future__ import annotations

import base64
import re

import pytest
import time_machine
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time

from accounts.people.totp import current_codes, totp_code
from tests.support import factories

pytestmark = pytest.mark.django_db
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


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_code_is_wrong_where_its_key_is_gone_and_operators_are_told_why(
    is_kept, owner, client, settings, caplog
):
    owner.set_password(factories.PASSWORD)
    owner.save()
    TOTP.activate(owner, SECRET)
    former, settings.SECRET_KEY = settings.SECRET_KEY, "another key " * 5
    settings.SECRET_KEY_FALLBACKS = [former] if is_kept else []
    assert (
        client.post("/account/login/", {"login": owner.email, "password": factories.PASSWORD}).status_code
        == 302
    )
    answer = client.post("/account/2fa/authenticate/", {"code": current_codes(SECRET)[1]})
    assert answer.status_code == (302 if is_kept else 200)
    if not is_kept:
        assert "This code is wrong or no longer works." in answer.content.decode()
    assert ("SECRET_KEY changed without SECRET_KEY_FALLBACKS" in caplog.text) == (not is_kept)


def test_after_a_wrong_code_of_a_new_app_the_next_one_is_typed_at_once(owner, client):
    """Before the first one nobody is brought past the picture that the app has to see."""
    owner.set_password(factories.PASSWORD)
    owner.save()
    client.force_login(owner)
    client.post("/account/reauthenticate/", {"password": factories.PASSWORD})
    page = "/account/2fa/totp/activate/"
    first, again = (
        answer.content.decode() for answer in (client.get(page), client.post(page, {"code": "123"}))
    )
    shown = [re.findall(r'<input[^>]*name="code"[^>]*>', html) for html in (first, again)]
    assert [("autofocus" in field, "value" in field) for (field,) in shown] == [(False, False), (True, False)]
    assert re.search(r'<output class="secret"[^>]*>[A-Z2-7]{32}</output>', first), "no field that cuts it off"
