"""Turning a rendered email into the bytes of a message: built once, completed for each recipient."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from email import policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.quoprimime import body_encode
from email.utils import formatdate, parseaddr
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils.crypto import salted_hmac

#: Stands for the recipient's token until the message is completed. Quoted-printable leaves these characters alone.
TOKEN = "RECIPIENT-TOKEN-0000000000000000"  # noqa: S105
LONGEST_HEADER = 150  # characters


def unsubscribe_url(token: str) -> str:
    return settings.APP_URL + reverse("unsubscribe", args=[token])


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
        self._pieces = shared_message(rendered).split(TOKEN.encode())

    def for_recipient(self, email: str, token: str, message_id: str) -> bytes:
        """The whole message for one address. The header lines in front are plain ASCII and need no folding."""
        own = f"To: {email}\r\nMessage-ID: {message_id}\r\nDate: {formatdate()}\r\n"
        if self._is_list:
            own += f"List-Unsubscribe: <{self._leave_link.replace(TOKEN, token)}>\r\n"
        return own.encode("ascii") + token.encode("ascii").join(self._pieces)


def message_id(premiere_id: int, subscriber_id: int) -> str:
    """The same for the same premiere and subscriber, and nothing an outsider could make up."""
    seal = salted_hmac("premiere", f"{premiere_id}.{subscriber_id}").hexdigest()[:20]
    return f"<premiere.{premiere_id}.{subscriber_id}.{seal}@{own_domain()}>"


def own_domain() -> str:
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"


def shared_message(rendered: Rendered) -> bytes:
    message = EmailMessage(policy=policy.SMTP)
    message["From"] = sender_of(rendered.sender_name)
    message["Subject"] = one_line(rendered.subject)
    if rendered.list_id:
        message["List-Id"] = f"<{rendered.list_id}.{urlsplit(settings.APP_URL).hostname}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message["Content-Language"] = rendered.language
    message["MIME-Version"] = "1.0"
    message["Content-Type"] = "multipart/alternative"
    message.attach(part("plain", rendered.text))
    message.attach(part("html", rendered.html))
    return message.as_bytes()


def part(subtype: str, content: str) -> EmailMessage:
    piece = EmailMessage(policy=policy.SMTP)
    piece["Content-Type"] = f'text/{subtype}; charset="utf-8"'
    piece["Content-Transfer-Encoding"] = "quoted-printable"
    piece.set_payload(quoted(content))
    return piece


def quoted(content: str) -> str:
    """Quoted-printable, with every TOKEN on a line of its own between soft breaks, so that none is cut in two."""
    lines = content.replace("\r\n", "\n").replace("\r", "\n")
    pieces = [body_encode(piece.encode().decode("latin-1"), eol="\n") for piece in lines.split(TOKEN)]
    return f"=\n{TOKEN}=\n".join(pieces)


def sender_of(name: str) -> Address:
    """The workspace's title before the service's address."""
    _, email = parseaddr(settings.DEFAULT_FROM_EMAIL)
    return Address(display_name=one_line(name), addr_spec=email)


def one_line(text: str) -> str:
    """Text that may stand in a header: no control, format or line characters, and not too long."""
    clean = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text)
    clean = " ".join(clean.split())
    return clean if len(clean) <= LONGEST_HEADER else clean[: LONGEST_HEADER - 1].rstrip() + "…"
