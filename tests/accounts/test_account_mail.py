"""The mails of the accounts: where their links lead, and how many an address can be sent."""

from __future__ import annotations

import re
import threading
from datetime import timedelta

import pytest
import time_machine
from allauth.account.adapter import get_adapter
from allauth.core.context import request_context
from django.core.mail import EmailMultiAlternatives
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts import throttling
from accounts.models import AccountMail
from accounts.people import letters, outgoing
from config import stopping
from tests.support import mail

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/account/password/reset/", "/account/signup/"])
def test_links_lead_to_the_public_address_whatever_host_was_asked(path, owner, mailoutbox, settings):
    settings.APP_URL = "https://capsules.example"
    Client().post(
        path, {"email": owner.email, "password1": "a-long-enough-secret"}, headers={"Host": "127.0.0.1:6666"}
    )
    body = mailoutbox[0].body
    links = re.findall(r"https?://[^/\s]+", body)
    assert links and set(links) == {"https://capsules.example"}
    assert "6666" not in body and body.rstrip().endswith(settings.SERVICE_NAME)


def test_a_worker_looks_for_mails_until_it_stops_and_rests_without_a_connection(mailbox, monkeypatch):
    seen = []

    def rest(seconds):
        seen.append(mailbox.addresses)
        if len(seen) > 2:
            stopping.begin()
        else:
            outgoing.post("ines@example.com", "A mail", "It has words.")

    monkeypatch.setattr(stopping, "_ends_at", None)
    monkeypatch.setattr(stopping, "rest", rest)
    monkeypatch.setattr(outgoing, "release_connection", lambda: seen.append("released"))
    outgoing.send_mails_forever()
    stopping._told.clear()
    assert seen == ["released", [], "released", ["ines@example.com"]]


def test_nobody_has_a_stranger_mailed(mailoutbox):
    answer = Client().post("/account/password/reset/", {"email": "stranger@example.com"})
    assert answer.status_code == 302 and not mailoutbox and not AccountMail.objects.exists()


@pytest.fixture
def no_mail_server(mailbox, settings) -> None:
    """Nobody answers where it should be."""
    settings.EMAIL_PORT = 1


@pytest.mark.parametrize("path", ["/account/password/reset/", "/account/signup/"])
def test_while_the_mail_server_is_away_no_answer_tells_who_has_an_account(path, owner, no_mail_server):
    seen = set()
    for email in (owner.email, "stranger@example.com"):
        browser = Client(raise_request_exception=False)
        with CaptureQueriesContext(connection) as asked:
            answer = browser.post(path, {"email": email, "password1": "a-long-enough-secret"})
        written = [query for query in asked if 'INTO "accounts_accountmail"' in query["sql"]]
        seen.add((answer.status_code, answer.headers.get("Location"), len(written)))
    [(status, _, rows)] = seen
    assert (status, rows) == (302, 1)


def test_mail_goes_out_once_the_mail_server_is_back(owner, mailbox, no_mail_server, settings):
    Client().post("/account/password/reset/", {"email": owner.email})
    assert owner.email not in AccountMail.objects.get().content
    assert outgoing.send_due_mails() == 0
    mail.use(settings, mailbox)
    assert outgoing.send_due_mails() == 0, "not at once"
    AccountMail.objects.update(next_try_at=Now())
    assert outgoing.send_due_mails() == 1
    assert mailbox.addresses == [owner.email] and not AccountMail.objects.exists()


def test_a_second_round_does_not_wait_for_one_that_is_under_way(owner, mailbox):
    Client().post("/account/password/reset/", {"email": owner.email})
    rounds: list[int] = []
    with outgoing.sending:
        second = threading.Thread(target=lambda: rounds.append(outgoing.send_due_mails()), daemon=True)
        second.start()
        second.join(20)
        assert rounds == [0] and not mailbox.addresses


@pytest.mark.parametrize(("refusal", "is_kept"), [("451 4.2.1 later", True), ("550 5.1.1 unknown", False)])
@pytest.mark.parametrize(("refused", "error"), [("RCPT", "SMTPRecipientsRefused"), ("DATA", "SMTPDataError")])
def test_a_mail_that_is_refused_for_good_is_dropped(refusal, is_kept, refused, error, owner, mailbox, caplog):
    mailbox.answer = lambda stage, address, count: refusal if stage == refused else None
    Client().post("/account/password/reset/", {"email": owner.email})
    outgoing.send_due_mails()
    assert AccountMail.objects.exists() is is_kept
    assert error in caplog.text and owner.email not in caplog.text


def test_a_mail_that_cannot_be_sent_for_a_day_is_dropped(owner, no_mail_server):
    Client().post("/account/password/reset/", {"email": owner.email})
    AccountMail.objects.update(created_at=Now() - outgoing.TRIED_FOR)
    outgoing.send_due_mails()
    assert not AccountMail.objects.exists()


def lapse() -> None:
    """Makes this worker one that was silent for too long."""
    AccountMail.objects.update(lease_until=Now() - timedelta(seconds=1))


def test_a_mail_that_another_worker_took_over_is_not_sent_again(owner, mailbox):
    Client().post("/account/password/reset/", {"email": owner.email})
    slow = AccountMail.objects.due().take_first(outgoing.LEASE)
    assert outgoing.send_due_mails() == 0, "one worker has it"
    lapse()
    assert outgoing.send_due_mails() == 1
    assert not outgoing.send_mail(slow)
    assert mailbox.addresses == [owner.email]


@pytest.mark.parametrize("error", [None, OSError("The connection was lost.")])
def test_a_worker_that_was_too_slow_writes_nothing_about_a_mail(error, owner, monkeypatch):
    Client().post("/account/password/reset/", {"email": owner.email})
    taken = []

    def send(message):
        lapse()
        taken.append(AccountMail.objects.due().take_first(outgoing.LEASE))
        if error:
            raise error

    monkeypatch.setattr(EmailMultiAlternatives, "send", send)
    outgoing.send_mail(AccountMail.objects.due().take_first(outgoing.LEASE))
    (other,) = taken
    kept = AccountMail.objects.get()
    assert (kept.lease_token, kept.next_try_at) == (other.lease_token, other.next_try_at)


def test_an_address_gets_few_links_a_day(owner, mailoutbox, settings, caplog):
    settings.RATES = {**settings.RATES, "account mail": 3}
    with time_machine.travel("2026-11-21T10:00:00Z", tick=False) as clock:
        for _ in range(5):
            Client().post("/account/password/reset/", {"email": owner.email})
            clock.shift(120)
        assert len(mailoutbox) == 3 and "was not sent" in caplog.text and owner.email not in caplog.text
        clock.move_to("2026-11-21T23:00:00Z")
        Client().post("/account/password/reset/", {"email": owner.email})
        assert len(mailoutbox) == 3
        clock.move_to("2026-11-22T00:00:01Z")
        Client().post("/account/password/reset/", {"email": owner.email})
    assert len(mailoutbox) == 4


def test_a_window_of_a_day_outlives_the_broom():
    with time_machine.travel("2026-11-21T10:00:00Z", tick=False) as clock:
        throttling.check_rate("account mail", "x", per=throttling.DAY)
        clock.move_to("2026-11-21T23:59:59Z")
        assert throttling.forget_old_windows() == 0
        clock.move_to("2026-11-22T00:05:00Z")
        assert throttling.forget_old_windows() == 1


@pytest.mark.parametrize(
    "name, subject",
    [
        ("recovery_codes_generated", "You have new recovery codes"),
        ("totp_activated", "An authenticator app was added"),
        ("totp_deactivated", "An authenticator app was removed"),
        ("webauthn_added", "A security key was added"),
        ("webauthn_removed", "A security key was removed"),
    ],
)
def test_mails_about_the_second_factor_speak_as_our_others_do(name, subject, owner, rf, mailoutbox):
    with request_context(rf.get("/")):
        get_adapter().send_notification_mail(f"mfa/email/{name}", owner, email=owner.email)
    [letter] = mailoutbox
    assert letter.subject == subject and letter.body.startswith("Something changed in your account:")
    assert "Two-Factor" not in letter.body and "activated" not in letter.body


def test_only_an_address_of_ours_is_a_button_in_a_mail(settings):
    settings.APP_URL = "https://capsules.example"
    ours, theirs = "Confirm: https://capsules.example/a", "Confirm: https://capsules.example.evil/a"
    assert letters.paragraph(ours) == {"link": "https://capsules.example/a", "words": "Confirm"}
    assert letters.paragraph(theirs) == {"text": theirs}
