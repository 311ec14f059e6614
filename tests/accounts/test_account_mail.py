"""The mails of the accounts: where their links lead, and how many an address can be sent."""

from __future__ import annotations

import re
import ssl
import threading
from datetime import timedelta

import pytest
import time_machine
from allauth.account.adapter import get_adapter
from allauth.core.context import request_context
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.core.validators import validate_email
from django.db import connection
from django.db.models.functions import Now
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts import throttling
from accounts.models import AccountMail, RateWindow
from accounts.people import letters, outgoing
from accounts.people.sealing import seal
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


def test_a_worker_looks_for_mails_until_it_stops_and_rests_without_a_connection(
    mailbox, monkeypatch, settings, caplog
):
    seen = []
    AccountMail.objects.create(content=seal("{}", outgoing.PURPOSE))  # it fails, and does not end the rounds

    def rest(seconds):
        assert seconds == settings.SWEEP_INTERVAL
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
    assert "Mails about accounts could not be looked for" in caplog.text


def test_a_mail_is_sent_as_it_was_written(mailbox, settings, queue, django_capture_on_commit_callbacks):
    settings.DEFAULT_FROM_EMAIL = "letters@capsules.example"
    with django_capture_on_commit_callbacks(execute=True):
        outgoing.post("ines@example.com", "A mail", "It has words.")
        outgoing.post("otto@example.com", "Another", "Words.", "<p>Words.</p>")
    assert queue(outgoing.TASK) == [None, None], "a worker is woken for each"
    assert outgoing.send_due_mails() == 2
    plain, rich = (mailbox.mail(f"{who}@example.com") for who in ("ines", "otto"))
    assert [plain[name] for name in ("From", "To", "Subject")] == [
        "letters@capsules.example",
        "ines@example.com",
        "A mail",
    ]
    assert plain["Message-ID"].endswith("@capsules.example>") and plain["Message-ID"] != rich["Message-ID"]
    assert plain.get_content_type() == "text/plain" and plain.get_content().strip() == "It has words."
    bodies = [rich.get_body((kind,)).get_content().strip() for kind in ("plain", "html")]
    assert bodies == ["Words.", "<p>Words.</p>"]


def test_a_worker_that_is_told_to_stop_begins_no_other_mail(mailbox, monkeypatch):
    outgoing.post("ines@example.com", "A mail", "It has words.")
    monkeypatch.setattr(stopping, "_ends_at", 1.0)
    assert outgoing.send_due_mails() == 0 and AccountMail.objects.exists()


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


def test_a_second_round_does_not_wait_for_one_that_is_under_way(owner, mailbox, monkeypatch):
    Client().post("/account/password/reset/", {"email": owner.email})
    rounds: list[int] = []
    send = outgoing.send_mail

    def after_another_round(due: AccountMail) -> bool:
        second = threading.Thread(target=lambda: rounds.append(outgoing.send_due_mails()), daemon=True)
        second.start()
        second.join(20)
        assert rounds == [0] and not mailbox.addresses
        return send(due)

    monkeypatch.setattr(outgoing, "send_mail", after_another_round)
    assert outgoing.send_due_mails() == 1


@pytest.mark.parametrize(("age", "wait"), [(0, 15), (60, 60), (3600, 300), (24 * 3600 - 60, 300)])
def test_a_mail_is_tried_again_after_as_long_as_it_waited(age, wait, no_mail_server, caplog):
    outgoing.post("ines@example.com", "A mail", "It has words.")
    AccountMail.objects.update(created_at=Now() - timedelta(seconds=age))
    outgoing.send_due_mails()
    kept = AccountMail.objects.get()
    assert abs((kept.next_try_at - timezone.now()).total_seconds() - wait) < 10
    assert (kept.lease_token, kept.lease_until) == (None, None), "any worker may take it"
    [record] = caplog.records
    assert (record.levelname, record.getMessage()) == (
        "WARNING",
        "A mail about an account is sent later: ConnectionRefusedError",
    )


@pytest.mark.parametrize(
    ("refusal", "is_kept"),
    [("451 4.2.1 later", True), ("550 5.1.1 unknown", False), ("500 5.5.2 no", False)],
)
@pytest.mark.parametrize(("refused", "error"), [("RCPT", "SMTPRecipientsRefused"), ("DATA", "SMTPDataError")])
def test_a_mail_that_is_refused_for_good_is_dropped(refusal, is_kept, refused, error, owner, mailbox, caplog):
    mailbox.answer = lambda stage, address, count: refusal if stage == refused else None
    Client().post("/account/password/reset/", {"email": owner.email})
    outgoing.send_due_mails()
    assert AccountMail.objects.exists() is is_kept
    assert error in caplog.text and owner.email not in caplog.text


def test_a_mail_that_cannot_be_sent_for_a_day_is_dropped(owner, no_mail_server, caplog):
    Client().post("/account/password/reset/", {"email": owner.email})
    AccountMail.objects.update(created_at=Now() - timedelta(days=1))
    outgoing.send_due_mails()
    assert not AccountMail.objects.exists()
    told = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert told == [("ERROR", "A mail about an account was given up: ConnectionRefusedError")]


@pytest.mark.parametrize("email", [f"reader@{'ß' * 60}.example", f"reader@{'ä' * 63}.example"])
def test_a_mail_that_cannot_be_written_is_dropped_and_keeps_no_other(email, mailbox, caplog):
    validate_email(email)  # so anybody can type it into a form, and have many such mails wait
    outgoing.post(email, "A receipt", "It has words.")
    outgoing.post("ines@example.com", "A mail", "It has words.")
    outgoing.send_due_mails()
    assert mailbox.addresses == ["ines@example.com"] and not AccountMail.objects.exists()
    told = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert told == [("ERROR", "A mail about an account was given up: UnicodeError")]
    assert not outgoing.is_final(ssl.SSLCertVerificationError()), (
        "a ValueError too, of a server that comes back"
    )


def test_a_mail_that_no_key_opens_keeps_no_other_and_is_dropped_after_a_day(mailbox, settings, caplog):
    outgoing.post("lost@example.com", "A mail", "It has words.")
    settings.SECRET_KEY = "another key " * 5
    outgoing.post("ines@example.com", "A mail", "It has words.")
    outgoing.send_due_mails()
    assert mailbox.addresses == ["ines@example.com"], "an operator may still add the old key"
    AccountMail.objects.update(created_at=Now() - timedelta(days=1), next_try_at=Now())
    outgoing.send_due_mails()
    assert not AccountMail.objects.exists()
    told = [(record.levelname, record.getMessage().rpartition(": ")[2]) for record in caplog.records]
    assert told == [("WARNING", "InvalidToken"), ("ERROR", "InvalidToken")]


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
        Client().post("/account/signup/", {"email": "new@example.com", "password1": "a-long-enough-secret"})
        assert mailoutbox[3].to == ["new@example.com"], "others get theirs"
        assert not RateWindow.objects.filter(key__contains="@").exists()
        clock.move_to("2026-11-22T09:58:59Z")
        Client().post("/account/password/reset/", {"email": owner.email})
        assert len(mailoutbox) == 4
        clock.move_to("2026-11-22T10:00:01Z")
        Client().post("/account/password/reset/", {"email": owner.email})
    assert len(mailoutbox) == 5


@pytest.mark.parametrize(
    "path, known, name",
    [
        ("/account/password/reset/", True, "password_reset_key"),
        ("/account/password/reset/", False, "unknown_account"),
        ("/account/signup/", True, "account_already_exists"),
    ],
)
def test_whatever_mail_anybody_can_ask_for_is_counted(path, known, name, owner, settings, caplog):
    settings.RATES = {**settings.RATES, "account mail": 1}
    form = {"email": owner.email if known else "stranger@example.com", "password1": "a-long-enough-secret"}
    with time_machine.travel("2026-11-21T10:00:00Z", tick=False) as clock:
        for _ in range(2):
            assert Client().post(path, form).status_code == 302
            clock.shift(200)
    assert AccountMail.objects.count() == 1
    words = f"An address got as many account mails today as it may; account/email/{name} was not sent."
    assert words in caplog.text


def test_a_code_that_is_sent_again_is_counted_too(settings):
    settings.RATES = {**settings.RATES, "account mail": 1}
    browser = Client()
    with time_machine.travel("2026-11-21T10:00:00Z", tick=False) as clock:
        browser.post("/account/signup/", {"email": "new@example.com", "password1": "a-long-enough-secret"})
        clock.shift(200)
        browser.post("/account/confirm-email/", {"action": "resend"})
    assert AccountMail.objects.count() == 1


def test_a_window_of_a_day_outlives_the_broom():
    with time_machine.travel("2026-11-21T10:00:00Z", tick=False) as clock:
        throttling.check_rate("account mail", "x", per=throttling.DAY)
        clock.move_to("2026-11-22T09:59:59Z")
        assert throttling.forget_old_windows() == 0
        clock.move_to("2026-11-22T10:05:00Z")
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
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    with request_context(rf.get("/", headers={"User-Agent": agent})):
        get_adapter().send_notification_mail(f"mfa/email/{name}", owner, email=owner.email)
    [letter] = mailoutbox
    assert letter.subject == subject and letter.body.startswith("Something changed in your account:")
    assert "Two-Factor" not in letter.body and "activated" not in letter.body
    assert "Browser: Firefox on Linux" in letter.body and re.search(
        r"Date: \d+ \w{3} \d{4}, \d\d:\d\d UTC", letter.body
    )


@pytest.mark.django_db(transaction=True)
def test_a_mail_of_a_change_leads_to_where_it_is_undone_without_the_present_password(
    owner, client, mailoutbox
):
    """Whoever has the mailbox chooses a new password there, and whoever else was signed in is so no more."""
    owner.set_password("a thief chose this")
    owner.save()
    thief = Client()
    thief.force_login(owner)
    with request_context(RequestFactory().get("/")):
        get_adapter().send_notification_mail("account/email/password_changed", owner, email=owner.email)
    [address] = re.findall(rf"^{settings.APP_URL}(/\S+)$", mailoutbox[-1].body, re.MULTILINE)
    client.post(address, {"email": owner.email})
    [address] = re.findall(rf"^{settings.APP_URL}(/\S+)$", mailoutbox[-1].body, re.MULTILINE)
    page = client.get(address, follow=True)
    new = {"password1": "of the owner again", "password2": "of the owner again"}
    client.post(page.redirect_chain[-1][0], new)
    assert thief.get("/account/").status_code == 302
    owner.refresh_from_db()
    assert owner.check_password(new["password1"])


def test_whoever_lost_the_account_to_another_address_is_not_told_to_change_its_password(
    rf, owner, mailoutbox
):
    with request_context(rf.get("/")):
        get_adapter().send_notification_mail(
            "account/email/email_changed",
            owner,
            context={"from_email": owner.email, "to_email": "thief@example.com"},
            email=owner.email,
        )
    [letter] = mailoutbox
    assert "changed from owner@north-shore.example to thief@example.com." in letter.body
    assert "change your password" not in letter.body
    assert "If this was not you, answer this mail" in letter.body


OURS = "https://capsules.example/a"


@pytest.mark.parametrize(
    "text, shown",
    [
        (OURS, {"link": OURS, "words": ""}),
        (f"Confirm: {OURS}", {"link": OURS, "words": "Confirm"}),
        (f"{'w' * 40}: {OURS}", {"link": OURS, "words": "w" * 40}),
        *(
            (text, {"text": text})
            for text in (
                f"{'w' * 41}: {OURS}",
                f"Confirm: {OURS} today",
                "Confirm: https://capsules.example.evil/a",
                "K7QX-93PT today",
                "K7Q",
                "k7qx-93pt",
            )
        ),
        ("K7QX-93PT", {"code": "K7QX-93PT"}),
        ("K7QX93", {"code": "K7QX93"}),
    ],
)
def test_only_an_address_of_ours_is_a_button_in_a_mail_and_only_a_code_is_large(text, shown, settings):
    settings.APP_URL = "https://capsules.example"
    assert letters.paragraph(text) == shown


def test_a_letter_has_its_subject_a_face_and_each_paragraph_once():
    page = letters.html_of("<Subject>", "\nOne\nline\n \t\nTwo\n\n\n", face="https://capsules.example/f.jpg")
    assert "<title>&lt;Subject&gt;</title>" in page and 'src="https://capsules.example/f.jpg"' in page
    assert re.findall(r'<p style="margin:0 0 16px">(.*?)</p>', page) == ["One<br>line", "Two"]
    assert "<img" not in letters.html_of("Subject", "One")


def test_the_subject_of_a_mail_is_one_line_and_its_title(rf, owner, mailoutbox):
    with request_context(rf.get("/")):
        assert get_adapter().format_email_subject(" One\nline =?x ") == "One line = ?x"
        get_adapter().send_notification_mail("mfa/email/totp_activated", owner, email=owner.email)
    [(page, _)] = mailoutbox[0].alternatives
    assert "<title>An authenticator app was added</title>" in page
