"""The mails of an account as HTML: the text that is sent anyway, its link as a button, its code in large type."""

from __future__ import annotations

import re

from django.conf import settings
from django.template.loader import render_to_string

from accounts.people import outgoing

MOST_WORDS = 40  # characters on a button
CODE = re.compile(r"[A-Z0-9]{4,10}(?:-[A-Z0-9]{4,10})?")


def post_letter(email: str, subject: str, text: str, *, face: str = "") -> None:
    """Has a mail in our design sent, as `outgoing.post` does."""
    outgoing.post(email, subject, text, html_of(subject, text, face=face))


def html_of(subject: str, text: str, *, face: str = "") -> str:
    """A mail in our design; `face` is the address of a picture beside the sender."""
    paragraphs = [paragraph(part.strip()) for part in re.split(r"\n\s*\n", text) if part.strip()]
    context = {"subject": subject, "paragraphs": paragraphs, "face": face}
    return render_to_string("account/email/letter.html", context)


def paragraph(text: str) -> dict[str, str]:
    """{link, words}, {code} or {text}. Only an address of our own is a link: alone in its paragraph, or after a few
    words and a colon.
    """
    words, _, address = text.rpartition(": ")
    is_link = address.startswith(f"{settings.APP_URL}/") and not re.search(r"\s", address)
    if is_link and len(words) <= MOST_WORDS:
        return {"link": address, "words": words}
    return {"code": text} if CODE.fullmatch(text) else {"text": text}
