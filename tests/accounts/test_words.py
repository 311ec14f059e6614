"""The pages of django-allauth speak as ours do."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from babel.messages.pofile import read_po
from django.conf import settings

from accounts.people.letters import html_of
from tests.support.factories import PASSWORD

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


JARGON = re.compile(
    r"(?i)app below|passwordless|biometric|authentication using|two-factor|invalidate|deactivat|"
    r"reauthenticate|input the|incorrect code|alternative options|have been added|has been generated"
)


def test_the_pages_of_a_second_factor_are_in_plain_words(client, owner):
    owner.set_password(PASSWORD)
    owner.save()
    EmailAddress.objects.update_or_create(user=owner, email=owner.email, defaults={"verified": True})
    client.post("/account/login/", {"login": owner.email, "password": PASSWORD})
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    pages = ("2fa/", "2fa/totp/activate/", "2fa/webauthn/add/")
    read = {path: client.get(f"/account/{path}").content.decode() for path in pages}
    read["wrong"] = client.post("/account/2fa/totp/activate/", {"code": "000000"}).content.decode()
    TOTP.activate(owner, "JBSWY3DPEHPK3PXP")
    RecoveryCodes.activate(owner)
    later = ["2fa/", "2fa/totp/deactivate/", "2fa/recovery-codes/", "2fa/recovery-codes/generate/"]
    later += ["2fa/reauthenticate/", "reauthenticate/"]
    read |= {f"on {path}": client.get(f"/account/{path}").content.decode() for path in later}
    told = {
        path: re.sub(r"(?s)<script.*?</script>|<[^>]*>", " ", text.partition("<main")[2])
        for path, text in read.items()
    }
    assert "Setup key" in told["wrong"] and "no longer works" in told["wrong"]  # the page itself was read
    assert {path: JARGON.findall(words) for path, words in told.items() if JARGON.search(words)} == {}


def test_the_page_after_a_new_password_leads_to_the_sign_in(client, db):
    page = client.get("/account/password/reset/key/done/").content.decode()
    assert 'class="pill pill-accent" href="/account/login/"' in page
