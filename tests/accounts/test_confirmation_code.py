"""The code that confirms an address: it can be sent again, and the address can be corrected before."""

from __future__ import annotations

import re

import pytest
import time_machine
from allauth.account import app_settings

from accounts.models import User

pytestmark = pytest.mark.django_db
PAGE = "/account/confirm-email/"
SIGN_UP = {"email": "anna@example.com", "password1": "a-long-enough-secret", "name": "Anna", "title": "Anna"}


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
    signed_up.post(PAGE, {"action": "resend"})
    assert len(mailoutbox) == 1  # one in three minutes
    for _ in range(4):
        clock.shift(200)
        signed_up.post(PAGE, {"action": "resend"})
    assert len(mailoutbox) == 3
    assert "Send the code again" not in signed_up.get(PAGE).content.decode()
    signed_up.post(PAGE, {"code": code_in(mailoutbox[-1])})
    assert User.objects.get(email="anna@example.com").emailaddress_set.get().verified


def test_a_wrong_address_is_corrected_before_it_is_confirmed(signed_up, clock, mailoutbox):
    assert "Wrong address?" in signed_up.get(PAGE).content.decode()
    signed_up.post(PAGE, {"action": "change", "email": "anne@example.com"})
    assert [mail.to for mail in mailoutbox] == [["anna@example.com"], ["anne@example.com"]]
    signed_up.post(PAGE, {"code": code_in(mailoutbox[-1])})
    person = User.objects.get()
    assert person.email == "anne@example.com" and person.emailaddress_set.get().verified


def test_the_mail_of_the_code_speaks_as_our_other_mails_do(signed_up, mailoutbox, settings):
    [mail] = mailoutbox
    assert mail.subject == "Confirm your email address"
    assert "127.0.0.1" not in mail.body and "Anna" not in mail.body
    assert mail.body.rstrip().endswith(settings.SERVICE_NAME)
