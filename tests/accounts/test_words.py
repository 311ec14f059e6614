"""The pages of django-allauth speak as ours do."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.conf import settings

from accounts.people.letters import html_of

FOLDER = Path(settings.BASE_DIR, "config/locale/en/LC_MESSAGES")


@pytest.mark.parametrize(
    "address, says, never",
    [
        ("/account/login/", "Stay signed in on this device", ["Sign In", "Remember Me"]),
        ("/account/signup/", "Sign up", ["Sign Up", "Signup", "<li></li>"]),
        ("/account/password/reset/", "Reset your password", ["Password Reset"]),
    ],
)
def test_pages_speak_in_sentence_case(client, db, address, says, never):
    text = client.get(address).content.decode()
    assert says in text
    assert [words for words in never if words in text] == []


def test_the_compiled_words_are_those_of_the_file():
    with (FOLDER / "django.po").open("rb") as file:
        written = {message.id: message.string for message in read_po(file) if message.id}
    with (FOLDER / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    assert written and all(compiled.gettext(said) == ours for said, ours in written.items()), (
        "Run `make words`."
    )


def test_account_mails_are_html_too_and_link_only_to_ourselves(settings):
    text = (
        f"Bank <b>says</b>\nlog in\n\nhttps://evil.example/a\n\n{settings.APP_URL}/account/x\n\nK7QX-93PT\n"
    )
    letter = html_of("Subject", text)
    assert "Bank &lt;b&gt;says&lt;/b&gt;<br>log in" in letter
    assert re.findall(r'href="([^"]+)"', letter) == [f"{settings.APP_URL}/account/x"]
    assert re.search(r"monospace[^>]*>K7QX-93PT<", letter)


def test_a_password_reset_is_sent_as_text_and_as_html(client, owner, mailoutbox):
    client.post("/account/password/reset/", {"email": owner.email})
    [mail] = mailoutbox
    [(letter, kind)] = mail.alternatives
    assert kind == "text/html" and re.search(
        r'href="http://127.0.0.1:8000/account/password/reset/key/', letter
    )
