"""Handing one finished message to the mail server, so that it is known what the server has and what it has not."""

from __future__ import annotations

import smtplib
from contextlib import suppress
from email import message_from_bytes, policy
from email.message import EmailMessage as MimeMessage
from types import TracebackType
from typing import Any, cast

from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.smtp import EmailBackend

MESSAGES_A_CONNECTION = 500
CLOSING = 421  # the server ends the conversation


class Refused(Exception):
    """The server answered that it does not take this message; it has not got it."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{code} {text}")
        self.code = code
        self.text = text

    @property
    def is_final(self) -> bool:
        return self.code >= 500

    @property
    def address_is_dead(self) -> bool:
        """RFC 3463: 5.1.1, 5.1.2, 5.1.3, 5.1.6, 5.1.10 mean that the address itself does not exist."""
        status = self.text.split(" ", 1)[0]
        return self.is_final and status in ("5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10")


class Unavailable(Exception):
    """The server takes nothing from us at the moment; it has not got the message."""


class HungUp(Unavailable):
    """The server ended the conversation at one recipient, who may be the reason."""


class AnswerLost(Exception):
    """The whole message was handed over, but no answer came: nobody knows whether the server has it."""


class Connection:
    """The mail server that the settings name, for the time of a `with` block; connected when first needed."""

    def __init__(self) -> None:
        self.backend = get_connection()
        self.used = 0
        self.announced = ""  # the sender of a MAIL FROM that is out, its answer not read yet

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.used = 0
        self.announced = ""
        self.backend.close()

    def announce(self, sender: str) -> None:
        """Begins a message, so that the server works on it while the caller looks whether it may go out.

        Nothing is handed over by it. It raises nothing, because what became of the last message is not recorded yet;
        `submit` begins anew and says that no server is there.
        """
        if isinstance(self.backend, EmailBackend):
            with suppress(Unavailable):
                self.begun(self.backend, sender)

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
                self.hand_over(self.begun(backend, sender), recipient, content)
                return
            except Unavailable as error:
                if isinstance(error, HungUp) or not is_used:
                    raise
            # A server may end a conversation after so many messages: a new one shows whether it takes more.

    def hand_over(self, smtp: smtplib.SMTP, recipient: str, content: bytes) -> None:
        self.used += 1
        self.announced = ""
        try:
            talk(smtp, recipient, content)
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

    def begun(self, backend: EmailBackend, sender: str) -> smtplib.SMTP:
        """The open connection, with MAIL FROM sent. Raises Unavailable."""
        if self.announced == sender:
            return cast(smtplib.SMTP, backend.connection)
        if self.announced or self.used >= MESSAGES_A_CONNECTION:
            self.close()
        smtp = self.opened(backend)
        try:
            smtp.putcmd("mail", f"FROM:<{sender}>")
        except (OSError, smtplib.SMTPException) as error:
            self.close()
            raise Unavailable(f"The mail server went away: {error}") from error
        self.announced = sender
        return smtp

    def opened(self, backend: EmailBackend) -> smtplib.SMTP:
        """The open connection. Raises Unavailable where the server cannot be reached or refuses our login."""
        try:
            backend.open()
            smtp = cast(smtplib.SMTP, backend.connection)
            smtp.ehlo_or_helo_if_needed()
        except (OSError, smtplib.SMTPException) as error:
            self.close()
            raise Unavailable(f"The mail server cannot be used: {error}") from error
        return smtp


def talk(smtp: smtplib.SMTP, recipient: str, content: bytes) -> None:
    """The SMTP transaction from the answer to MAIL on. Until its last line, an error means: not taken."""
    failure = Unavailable
    try:
        expect(smtp.getreply(), 250, everyone=True)
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


class FinishedMessage(EmailMessage):
    """A message whose bytes are final, in the form that Django's mail backends take."""

    def __init__(self, sender: str, recipient: str, content: bytes) -> None:
        super().__init__(from_email=sender, to=[recipient])
        self.content = content

    def message(self, **kwargs: Any) -> MimeMessage:
        return message_from_bytes(self.content, _class=MimeMessage, policy=policy.SMTP)
