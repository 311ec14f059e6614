"""Handing one finished message to the mail server, so that we know whether the server has it."""

from __future__ import annotations

import re
import smtplib
from email import message_from_bytes, policy
from email.message import EmailMessage as MimeMessage
from typing import cast

from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.smtp import EmailBackend

MESSAGES_A_CONNECTION = 500
CLOSING = 421  # the server ends the conversation


#: RFC 3463: the address itself does not exist.
DEAD_ADDRESS = re.compile(r"5\.1\.(1|2|3|6|10)\b")
#: Codes of 4xx answers that concern one recipient: its address, its mailbox, and what greylisting says to a first try.
OF_THE_RECIPIENT = re.compile(r"4\.(1\.\d+|2\.\d+|7\.1)\b|.*\bgr[ea]y[ -]?list", re.IGNORECASE)


class Refused(Exception):
    """The server refused this message, and does not have it."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{code} {text}")
        self.code = code
        self.text = text

    @property
    def is_final(self) -> bool:
        return self.code >= 500

    @property
    def address_is_dead(self) -> bool:
        return self.is_final and bool(DEAD_ADDRESS.match(self.text))

    @property
    def is_of_the_recipient(self) -> bool:
        """Whether a temporary refusal is about this recipient alone."""
        return not self.is_final and bool(OF_THE_RECIPIENT.match(self.text))


class Unavailable(Exception):
    """The server takes nothing from us at the moment, and does not have the message."""


class HungUp(Unavailable):
    """The server ended the conversation at one recipient, who may be the reason."""


class AnswerLost(Exception):
    """The whole message was handed over, but no answer came: nobody knows whether the server has it."""


Failure = Refused | Unavailable | AnswerLost


class Connection:
    """The mail server that the settings name; connected when first needed. Whoever makes one closes it."""

    def __init__(self) -> None:
        self.backend = get_connection()
        self.used = 0

    def close(self) -> None:
        self.used = 0
        self.backend.close()

    def submit(self, sender: str, recipient: str, content: bytes) -> None:
        """Hands a message over: returns once the server has taken it.

        `content`: CRLF lines, ASCII. Raises Refused, Unavailable or AnswerLost.
        """
        backend = self.backend
        if not isinstance(backend, EmailBackend):
            self.submit_to_backend(sender, recipient, content)
            return
        while True:
            is_used = self.used > 0
            try:
                self.hand_over(self.opened(backend), sender, recipient, content)
                return
            except Unavailable as error:
                if isinstance(error, HungUp) or not is_used:
                    raise
            # A server may end a conversation after so many messages: a new one shows whether it takes more.

    def hand_over(self, smtp: smtplib.SMTP, sender: str, recipient: str, content: bytes) -> None:
        self.used += 1
        try:
            talk(smtp, sender, recipient, content)
        except (Unavailable, AnswerLost):
            self.close()
            raise
        except Refused:
            try:
                smtp.rset()
            except (OSError, smtplib.SMTPException):  # it refused the message and went away
                self.close()
            raise

    def submit_to_backend(self, sender: str, recipient: str, content: bytes) -> None:
        try:
            self.backend.send_messages([FinishedMessage(sender, recipient, content)])
        except OSError as error:
            raise Unavailable(f"The message could not be written: {error}") from error

    def opened(self, backend: EmailBackend) -> smtplib.SMTP:
        """The open connection. Raises Unavailable where the server cannot be reached or refuses our login."""
        if self.used >= MESSAGES_A_CONNECTION:
            self.close()
        try:
            backend.open()
            smtp = cast(smtplib.SMTP, backend.connection)
            smtp.ehlo_or_helo_if_needed()
        except (OSError, smtplib.SMTPException) as error:
            self.close()
            raise Unavailable(f"The mail server cannot be used: {error}") from error
        return smtp


def talk(smtp: smtplib.SMTP, sender: str, recipient: str, content: bytes) -> None:
    """One SMTP transaction. Until the last line of its message, an error means: not taken."""
    failure = Unavailable
    try:
        expect(smtp.docmd("mail", f"FROM:<{sender}>"), 250, everyone=True)
        failure = HungUp
        expect(smtp.docmd("rcpt", f"TO:<{recipient}>"), 250)
        expect(smtp.docmd("data"), 354)
        smtp.send(dot_stuffed(content))
    except (OSError, smtplib.SMTPException) as error:
        raise failure(f"The mail server went away: {error}") from error
    try:
        expect(smtp.getreply(), 250)
    except (OSError, smtplib.SMTPException) as error:
        raise AnswerLost(f"The mail server went away before it answered: {error}") from error


def expect(answer: tuple[int, bytes], wanted: int, *, everyone: bool = False) -> None:
    """Returns for an answer of the wanted kind (RFC 5321, 4.2.1: its first digit).

    Raises Refused for any other; HungUp where the server leaves, Unavailable where it concerns `everyone`,
    SMTPException where it makes no sense.
    """
    code, raw = answer
    if code // 100 == wanted // 100:
        return
    text = raw.decode("utf-8", "replace").replace("\n", " ")
    if code // 100 not in (4, 5):
        raise smtplib.SMTPException(f"no answer that makes sense: {code} {text}")
    if everyone:
        raise Unavailable(f"The mail server refuses everything: {code} {text}")
    if code == CLOSING:
        raise HungUp(f"The mail server ends the conversation: {code} {text}")
    raise Refused(code, text)


def dot_stuffed(content: bytes) -> bytes:
    """RFC 5321, 4.5.2: a leading dot is doubled, a lone dot ends the message."""
    stuffed = content.replace(b"\r\n.", b"\r\n..")
    return stuffed + (b".\r\n" if stuffed.endswith(b"\r\n") else b"\r\n.\r\n")


class FinishedMessage(EmailMultiAlternatives):
    """A message whose bytes are final, in the form that Django's mail backends take."""

    def __init__(self, sender: str, recipient: str, content: bytes) -> None:
        super().__init__(from_email=sender, to=[recipient])
        self.content = content
        written = self.message()
        self.subject = str(written["Subject"])
        self.extra_headers = dict(written.items())
        for part in written.walk():
            if part.get_content_type() == "text/plain":
                self.body = part.get_content()
            elif part.get_content_type() == "text/html":
                self.attach_alternative(part.get_content(), "text/html")

    def message(self, **kwargs: object) -> MimeMessage:
        as_it_is = policy.SMTP.clone(refold_source="none")
        return message_from_bytes(self.content, _class=MimeMessage, policy=as_it_is)
