"""The bytes of every mail: whatever people call a capsule or a workspace, no header is theirs.

The normal run tries forty generated titles and names; `MAIL_EXAMPLES=10000` tries so many.
"""

from __future__ import annotations

import os
import re
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.utils import getaddresses

import pytest
from allauth.core.context import request_context
from django import forms
from django.core.checks import run_checks
from django.core.mail import EmailMessage as DjangoMessage
from django.test import override_settings
from hypothesis import example, given, settings
from hypothesis import strategies as st

from accounts.pages.forms import TitleForm
from accounts.people.adapters import AccountAdapter
from accounts.people.signup import SignupForm
from config.texts import one_line, subject_line
from publishing.checks import bounces_have_an_address, mails_have_a_sender
from publishing.mail.letters import TOKEN, Letter, Rendered
from publishing.mail.transport import FinishedMessage

HEADERS = [
    *("To", "Message-ID", "Date", "List-Unsubscribe", "From", "Subject", "List-Id", "List-Unsubscribe-Post"),
    *("Content-Language", "MIME-Version", "Content-Type"),
]
OURS = "capsules@127.0.0.1"
BREAK_OUT = (
    "=?utf-8?q?Bank=0d=0aReply-To:_a@evil.example=0d=0aContent-Type:_text/html=0d=0a=0d=0a"
    "<a_href=//evil.example>Log_in</a>?="
)
BORROWED = "Apple Support <support@apple.com> wwwwwwwwwwwwww wwwwwwwwwwwwwwwwwww wwwwwwwwwwwwwwww"
CODE = ["=?utf-8?q?", "=?utf-8?b?Pg==", "?=", "=0d=0a", "Bcc: x@evil.example", "<x@evil.example>", TOKEN]
BREAKS = ["\r\n", "\n", "\u2028", " ", "\t", "\0"]
PIECES = st.sampled_from([*CODE, *BREAKS, *'"\\,;:@()[]', "w" * 40, "ü" * 30, "😀" * 10])
TITLES = st.lists(st.one_of(st.text(max_size=30), PIECES), max_size=12).map("".join)
many = settings(max_examples=int(os.environ.get("MAIL_EXAMPLES", "40")), deadline=None)


@pytest.fixture(autouse=True, scope="module")
def service_address():
    with override_settings(DEFAULT_FROM_EMAIL=OURS, BOUNCE_EMAIL=""):
        yield


def letter(title: str, name: str) -> bytes:
    rendered = Rendered(title, name, "en", f"<p>{name}</p>", title, list_id="north-shore")
    return Letter(rendered).for_recipient("reader@readers.example", "T" * 32, "<1.2@127.0.0.1>")


def header_lines(raw: bytes) -> list[str]:
    """The names of a message's headers as a mail server reads them, line by line."""
    head, _, _ = raw.partition(b"\r\n\r\n")
    assert not re.search(rb"(?<!\r)\n|\r(?!\n)|[^\r\n -~]", head), head
    return [line.partition(b":")[0].decode() for line in head.split(b"\r\n") if not line.startswith(b" ")]


@many
@given(title=TITLES, name=TITLES)
@example(title=BREAK_OUT, name=BREAK_OUT)
@example(title="A title", name=BORROWED)
def test_no_title_and_no_name_writes_a_header_or_another_sender(title, name):
    raw = letter(title, name)
    assert FinishedMessage(OURS, "reader@readers.example", raw).message().as_bytes() == raw, "built again"
    modern = message_from_bytes(raw, _class=EmailMessage, policy=policy.default)
    old = message_from_bytes(raw)
    assert header_lines(raw) == modern.keys() == old.keys() == HEADERS
    assert max(len(line) for line in raw.split(b"\r\n")) <= 998

    (sender,) = modern["From"].addresses
    decoded = str(make_header(decode_header(old["From"])))
    (as_written,), (as_decoded,) = getaddresses(old.get_all("From")), getaddresses([decoded])
    assert sender.addr_spec == as_written[1] == as_decoded[1] == OURS
    assert modern["From"].defects == modern["Subject"].defects == ()

    for said in (str(modern["Subject"]), str(make_header(decode_header(old["Subject"])))):
        assert said.split() == subject_line(title).split()
    for message in (modern, old):
        assert [part.get_content_type() for part in message.walk()] == [
            "multipart/alternative",
            "text/plain",
            "text/html",
        ]


def test_a_backend_that_shows_the_message_has_its_subject_and_both_its_bodies():
    message = FinishedMessage(OURS, "reader@readers.example", letter("Små resor", "Anna"))
    assert message.subject == "Små resor" and message.to == ["reader@readers.example"]
    assert "List-Unsubscribe" in message.extra_headers
    [(html, kind)] = message.alternatives
    assert (kind, html.strip()) == ("text/html", "<p>Anna</p>") and "Små resor" in message.body


@many
@given(title=TITLES)
@example(title=BREAK_OUT)
def test_no_title_writes_a_header_of_the_mails_of_accounts(title):
    subject = AccountAdapter().format_email_subject(f"Join {title}")
    raw = DjangoMessage(subject, "Hello.", OURS, ["a@readers.example"]).message().as_bytes(linesep="\r\n")
    usual = DjangoMessage("Join", "Hello.", OURS, ["a@readers.example"]).message().keys()
    modern = message_from_bytes(raw, _class=EmailMessage, policy=policy.default)
    assert header_lines(raw) == modern.keys() == message_from_bytes(raw).keys() == usual
    assert str(modern["Subject"]).split() == subject_line(f"Join {title}").split()
    assert "\n" not in str(modern["Subject"])


def test_a_name_with_the_signs_of_an_address_stays_readable():
    raw = letter("“Tea & biscuits”: 10 < 12?", "O'Brien & Søn, Ltd. <tea@evil.example>")
    mail = message_from_bytes(raw, _class=EmailMessage, policy=policy.default)
    assert mail["From"].addresses[0].display_name == "O'Brien & Søn Ltd. tea evil.example"
    assert mail["Subject"] == "“Tea & biscuits”: 10 < 12?"


def test_an_author_cannot_ask_for_the_readers_own_token():
    raw = letter("A title", "RECIPIENT-TOKEN-0000000000000000")
    assert raw.count(b"T" * 32) == 1, "in List-Unsubscribe alone"


def test_a_header_that_is_more_than_one_is_never_written():
    rendered = Rendered("A title", "A name", "en\r\nBcc: a@evil.example", "", "")
    with pytest.raises(ValueError, match="Content-Language"):
        Letter(rendered)


@pytest.mark.parametrize("form, field", [(TitleForm, "title"), (SignupForm, "workspace_title")])
def test_a_title_that_is_code_in_a_mail_is_refused_where_it_is_typed(form: type[forms.Form], field, rf, db):
    with request_context(rf.post("/", REMOTE_ADDR="127.0.3.7")):  # the sign-up form counts whose it is
        for title in (
            BREAK_OUT,
            "=?utf-8?q?Bank?=",
            "North\u2028Shore",
            "North\u202eShore",
            "North\tShore",
            "A\u200bB",
        ):
            assert field in form({field: title}).errors, title
        assert field not in form({field: "نشر ساحل می‌نویسد & 10 = 10 ?"}).errors


def test_a_line_has_no_character_that_nobody_sees():
    assert one_line("a\x00\u202eb\tc\u2029d\ufeff  e\ud800f") == "a b c d e f"
    assert one_line("می\u200cخواهم 👩\u200d🚀") == "می\u200cخواهم 👩\u200d🚀"


def test_a_subject_is_cut_at_a_word():
    assert subject_line("word " * 100) == "word " * 29 + "word…"
    assert len(subject_line("w" * 400)) == 150


@pytest.mark.parametrize("sender, starts", [
    (OURS, True), ("capsules@localhost", True), ("Größe & Co. <Mail+1@my_host.example>", True),
    ("nobody", False), ("@capsules.example", False), ("capsules@", False), ("a@b@capsules.example", False),
    ("a b@capsules.example", False), ("Capsules, Inc <a@capsules.example>", False), ("a@bücher.example", False),
    ("ü@capsules.example", False), ("a@b.example\nBcc: c@d.example", False),
])  # fmt: skip
def test_a_sender_that_no_mail_can_have_lets_nothing_start(sender, starts):
    with override_settings(DEFAULT_FROM_EMAIL=sender):
        assert starts is not any(fault.is_serious() for fault in mails_have_a_sender())
        if starts:  # a mail of either kind can be written
            assert (
                b"From: "
                in DjangoMessage(from_email=sender, to=["reader@readers.example"]).message().as_bytes()
            )
            assert b"From: " in letter("A title", "A name")


@pytest.mark.parametrize("address, starts", [
    ("", True), ("bounces@capsules.example", True), ("bounces", False), ("b@bücher.example", False),
    ("Bounces <bounces@capsules.example>", False), ("a@b.example>\nRCPT TO:<c@d.example", False),
])  # fmt: skip
def test_an_address_to_which_no_mail_can_return_lets_nothing_start(address, starts):
    with override_settings(BOUNCE_EMAIL=address):
        assert starts is not any(fault.is_serious() for fault in bounces_have_an_address())


def test_a_fault_of_either_address_is_found_when_the_service_starts():
    with override_settings(DEFAULT_FROM_EMAIL="nobody", BOUNCE_EMAIL="bounces"):
        assert {"publishing.E001", "publishing.E002"} <= {found.id for found in run_checks()}
