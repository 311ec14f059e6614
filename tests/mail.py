"""A real SMTP server for tests, and short words for what premieres are tested with."""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller
from django.db.models.functions import Now

from accounts.models import Workspace
from publishing import subscriptions
from publishing.models import Premiere
from publishing.premieres import sweeping


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Mailbox:
    """What an SMTP server on this machine took in. `answer` may refuse: (stage, address, count so far) → reply."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, bytes]] = []
        self.answer: Callable[[str, str, int], str | None] = lambda stage, address, count: None
        self.delay = 0.0  # seconds before the answer to a message
        self.sessions = 0
        self.lock = threading.Lock()
        self.controller = Controller(self, hostname="127.0.0.1", port=free_port())

    # --- aiosmtpd's hooks
    async def handle_EHLO(self, server: Any, session: Any, envelope: Any, host: str, answers: Any) -> Any:
        self.sessions += 1
        session.host_name = host
        return answers

    async def handle_MAIL(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        envelope.mail_from = address
        return self.answer("MAIL", address, len(self.taken)) or "250 OK"

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        refusal = self.answer("RCPT", address, len(self.taken))
        if refusal is None:
            envelope.rcpt_tos.append(address)
        return refusal or "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        address = envelope.rcpt_tos[0]
        refusal = self.answer("DATA", address, len(self.taken))
        if refusal is None or refusal == "hang up":
            with self.lock:
                self.taken.append((address, envelope.content))
        if self.delay:
            time.sleep(self.delay)
        if refusal == "hang up":
            server.transport.abort()
            return ""
        return refusal or "250 taken"

    # --- what tests ask
    @property
    def addresses(self) -> list[str]:
        return sorted(address for address, _ in self.taken)

    def twice(self) -> list[str]:
        """Addresses with more than one mail."""
        return [address for address, count in Counter(self.addresses).items() if count > 1]

    def mail(self, address: str) -> EmailMessage:
        """The one mail to an address."""
        (raw,) = [raw for to, raw in self.taken if to == address]
        return message_from_bytes(raw, _class=EmailMessage, policy=policy.default)


def use(settings: Any, mailbox: Mailbox) -> None:
    """Sends through the mailbox, without a limit of rate."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_PORT = mailbox.controller.port
    settings.EMAIL_TIMEOUT = 5
    settings.MAIL_RATE = 0


def subscribe(workspace: Workspace, count: int) -> list[str]:
    """So many confirmed subscribers."""
    emails = [f"reader-{n}@readers.example" for n in range(1, count + 1)]
    subscriptions.import_confirmed(workspace, [(email, "Signed at the counter.") for email in emails])
    return sorted(emails)


def sweep_at(late: timedelta = timedelta(seconds=1)) -> Premiere:
    """Makes the only premiere that much overdue by the database's clock, sweeps once, and returns it."""
    Premiere.objects.filter(state=Premiere.State.SCHEDULED).update(due_at=Now() - late)
    sweeping.run()
    return Premiere.objects.get()
