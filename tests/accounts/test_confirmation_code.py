"""The code that confirms an address: it can be sent again, and it tells nobody who has an account."""

from __future__ import annotations

import re

import pytest
import time_machine
from allauth.account import app_settings
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client

from accounts.models import User
from tests.support.messages import messages_of

pytestmark = pytest.mark.django_db
PAGE = "/account/confirm-email/"
SIGN_UP = {"email": "anna@example.com", "password1": "a-long-enough-secret", "name": "Anna", "title": "Anna"}


class CountedHasher(MD5PasswordHasher):
    """One whose work a test counts."""

    algorithm = "counted"


@pytest.fixture
def clock():
    with time_machine.travel("2026-11-21T10:00:00Z", tick=False) as clock:
        yield clock


@pytest.fixture
def signed_up(client, clock):
    assert client.post("/account/signup/", SIGN_UP).url == PAGE
    return client


def code_in(mail) -> str:
    return re.search(r"^[A-Z0-9]{3,}(-[A-Z0-9]{3,})?$", mail.body, re.MULTILINE)[0]


def test_page_and_mail_say_how_long_the_code_works(signed_up, mailoutbox):
    assert app_settings.EMAIL_VERIFICATION_BY_CODE_TIMEOUT == 15 * 60
    for words in (signed_up.get(PAGE).content.decode(), mailoutbox[0].body):
        assert "works for 15 minutes" in words


def test_a_code_can_be_sent_again_but_not_at_once_and_not_for_ever(signed_up, clock, mailoutbox):
    refused = signed_up.post(PAGE, {"action": "resend"})  # one in three minutes
    assert (refused.status_code, len(mailoutbox)) == (429, 1)
    assert "Wait three minutes" in refused.content.decode()
    assert f'href="{PAGE}">Go back' in refused.content.decode()
    for _ in range(4):
        clock.shift(200)
        signed_up.post(PAGE, {"action": "resend"})
    assert len(mailoutbox) == 3
    assert "Send the code again" not in signed_up.get(PAGE).content.decode()
    signed_up.post(PAGE, {"code": code_in(mailoutbox[-1])})
    assert User.objects.get(email="anna@example.com").emailaddress_set.get().verified


def test_the_page_says_once_that_a_code_was_sent_and_once_more_when_it_was_sent_again(signed_up, clock):
    page = signed_up.get(PAGE).content.decode()
    assert (page.count("sent"), page.count(SIGN_UP["email"])) == (1, 1)
    assert "at most once in three minutes" in page
    clock.shift(200)
    again = signed_up.post(PAGE, {"action": "resend"}, follow=True)
    assert messages_of(again) == "The code was sent again."


def test_who_mistyped_the_address_signs_up_with_another_one(signed_up, mailoutbox):
    assert "Wrong address?" in signed_up.get(PAGE).content.decode()
    again = signed_up.post("/account/logout/", {"next": "/account/signup/"}).url
    signed_up.post(again, {**SIGN_UP, "email": "anne@example.com"})
    assert [mail.to for mail in mailoutbox] == [["anna@example.com"], ["anne@example.com"]]
    signed_up.post(PAGE, {"code": code_in(mailoutbox[-1])})
    assert User.objects.get(email="anne@example.com").emailaddress_set.get().verified


def test_signing_up_does_not_tell_whether_an_address_has_an_account(client, owner, settings, monkeypatch):
    hashed = []
    monkeypatch.setattr(CountedHasher, "encode", lambda self, *args: hashed.append(args) or "counted$$x")
    settings.PASSWORD_HASHERS = [f"{__name__}.CountedHasher"]
    seen = {}
    for email in (owner.email, "somebody.new@example.com"):
        hashed.clear()
        browser = Client()
        answer = browser.post("/account/signup/", {**SIGN_UP, "email": email})
        page = browser.get(PAGE).content.decode().replace(email, "…")
        back = browser.get("/account/signup/").status_code
        seen[email] = answer.url, re.sub(r'value="[^"]{20,}"', "", page), len(hashed), back
    assert len(set(seen.values())) == 1


def test_the_mail_of_the_code_speaks_as_our_other_mails_do(signed_up, mailoutbox, settings):
    [mail] = mailoutbox
    assert mail.subject == "Confirm your email address"
    assert "127.0.0.1" not in mail.body and "Anna" not in mail.body
    assert mail.body.rstrip().endswith(settings.SERVICE_NAME)
