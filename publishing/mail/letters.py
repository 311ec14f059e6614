"""Turning a rendered email into the bytes of a message: built once, completed for each recipient.

The lines with words of people are written here and not by `email.message`: it reads what it is given as a header,
encoded words included, and depending on Python's patch level writes the line breaks that these contain.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from email import policy
from email.header import Header
from email.message import EmailMessage
from email.quoprimime import body_encode
from email.utils import formatdate, parseaddr
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils.crypto import salted_hmac

from accounts.people.outgoing import own_domain
from config.links import absolute
from config.texts import cut, one_line, subject_line, unix_breaks

#: Stands for the recipient's token until the message is completed. Quoted-printable leaves these characters alone.
#: Another one in each process, so that no author can write it into a capsule and make it the reader's.
TOKEN = f"RECIPIENT-TOKEN-{secrets.token_hex(8)}"
LONGEST_NAME = 120  # characters
#: What a header may be: printable ASCII, further lines begin with a blank.
HEADER = re.compile(r"[ -~]{1,900}(\r\n [ -~]{1,900})*")
PLAIN_WORDS = re.compile(r"[A-Za-z0-9]+( [A-Za-z0-9]+)*")  # a name that needs neither quotes nor encoding
NOT_IN_A_NAME = re.compile(r"""[\\"<>()\[\]:;,@]""")  # what addresses are written with
PLAIN_LINE = re.compile(r"[ -~]{1,60}")


def unsubscribe_url(token: str) -> str:
    return absolute(reverse("unsubscribe", args=[token]))


@dataclass(frozen=True)
class Rendered:
    """One email as a person reads it. `html` and `text` carry TOKEN where the recipient's token belongs.

    `list_id` names the list of a mail to many; a mail to one person has none.
    """

    subject: str
    sender_name: str
    language: str
    html: str
    text: str
    list_id: str = ""


class Letter:
    """The parts of a message that all recipients share, in CRLF lines of ASCII."""

    def __init__(self, rendered: Rendered) -> None:
        self.sender = settings.BOUNCE_EMAIL or parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
        self._is_list = bool(rendered.list_id)
        self._leave_link = unsubscribe_url(TOKEN)
        self._head = shared_headers(rendered).encode("ascii")
        self._pieces = body_of(rendered).split(TOKEN.encode())

    def for_recipient(self, email: str, token: str, message_id: str) -> bytes:
        """The whole message for one address."""
        own = (
            header_line("To", email)
            + header_line("Message-ID", message_id)
            + header_line("Date", formatdate())
        )
        if self._is_list:
            own += header_line("List-Unsubscribe", f"<{self._leave_link.replace(TOKEN, token)}>")
        return own.encode("ascii") + self._head + token.encode("ascii").join(self._pieces)


def message_id(premiere_id: int, subscriber_id: int) -> str:
    """The same for the same premiere and subscriber; outsiders cannot guess it."""
    seal = salted_hmac("premiere", f"{premiere_id}.{subscriber_id}").hexdigest()[:20]
    return f"<premiere.{premiere_id}.{subscriber_id}.{seal}@{own_domain()}>"


def shared_headers(rendered: Rendered) -> str:
    _, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    head = header_line("From", f"{sender_name(rendered.sender_name)} <{address}>".lstrip())
    head += header_line("Subject", letter_subject(rendered.subject))
    if rendered.list_id:
        head += header_line("List-Id", f"<{rendered.list_id}.{urlsplit(settings.APP_URL).hostname}>")
        head += header_line("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
    return head + header_line("Content-Language", rendered.language)


def body_of(rendered: Rendered) -> bytes:
    """The two forms of the mail, after the headers that say how they are written."""
    body = EmailMessage(policy=policy.SMTP)
    body["MIME-Version"] = "1.0"
    body["Content-Type"] = "multipart/alternative"
    body.attach(part("plain", rendered.text))
    body.attach(part("html", rendered.html))
    return body.as_bytes()


def header_line(name: str, value: str) -> str:
    """One header with its line break. Raises ValueError for a value that would be more than that."""
    if not HEADER.fullmatch(value):
        raise ValueError(f"{name} would be {value[:200]!r}, which is not one header.")
    return f"{name}: {value}\r\n"


def part(subtype: str, content: str) -> EmailMessage:
    piece = EmailMessage(policy=policy.SMTP)
    piece["Content-Type"] = f'text/{subtype}; charset="utf-8"'
    piece["Content-Transfer-Encoding"] = "quoted-printable"
    piece.set_payload(quoted(content))
    return piece


def quoted(content: str) -> str:
    """Quoted-printable, with every TOKEN on a line of its own between soft breaks, so that none is cut in two."""
    lines = unix_breaks(content).split(TOKEN)
    pieces = [body_encode(piece.encode().decode("latin-1"), eol="\n") for piece in lines]
    return f"=\n{TOKEN}=\n".join(pieces)


def sender_name(title: str) -> str:
    """A workspace's title in front of the service's address, without anything that reads as another address."""
    words = cut(NOT_IN_A_NAME.sub(" ", one_line(title)).replace("=?", "= ?"), LONGEST_NAME)
    return words if PLAIN_WORDS.fullmatch(words) and len(words) <= 60 else encoded(words, "From")


def letter_subject(title: str) -> str:
    """A title as a subject; it never has an encoded word in it that somebody else wrote."""
    words = subject_line(title)
    return words if PLAIN_LINE.fullmatch(words) else encoded(words, "Subject")


def encoded(words: str, name: str) -> str:
    """Words as encoded words (RFC 2047), which have letters, digits and a few signs only, in short lines."""
    return Header(words, charset="utf-8", header_name=name).encode(linesep="\r\n") if words else ""
