"""A real SMTP server for tests. It needs no settings, so that a script can start it first."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller

from tests.support.ports import free_port

CODE = re.compile(r"^([A-Z0-9]{4}-?[A-Z0-9]{4}|[A-Z0-9]{6})\r?$", re.MULTILINE)


def code_in(letter: str) -> str | None:
    """The code that a letter brings to who signs up or changes an address."""
    found = CODE.search(letter)
    return found[1] if found else None


class Mailbox:
    """What an SMTP server on this machine took in. `answer` may refuse: (stage, address, count so far) → reply."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, bytes]] = []
        self.answer: Callable[[str, str, int], str | None] = lambda stage, address, count: None
        self.delay = 0.0  # seconds before the answer to a message
        self.sessions = 0
        self.lock = threading.Lock()
        self.controller = Controller(self, hostname="127.0.0.1", port=free_port())

    def code_for(self, email: str, patience: float) -> str:
        """The code that comes to this address; it is waited for so many seconds."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            for to, raw in list(self.taken):
                letter = message_from_bytes(raw, _class=EmailMessage, policy=policy.default)
                body = letter.get_body(("plain",))
                code = code_in(body.get_content()) if body else None
                if to == email and code:
                    return code
            time.sleep(0.1)
        raise AssertionError(f"No code came to {email}: {[to for to, _ in self.taken]}")

    # --- aiosmtpd's hooks
    async def handle_EHLO(self, server: Any, session: Any, envelope: Any, host: str, answers: Any) -> Any:
        self.sessions += 1
        session.host_name = host
        return answers

    async def handle_MAIL(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        envelope.mail_from = address
        return await self.reply(server, self.answer("MAIL", address, len(self.taken)), "250 OK")

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        refusal = self.answer("RCPT", address, len(self.taken))
        if refusal is None:
            envelope.rcpt_tos.append(address)
        return await self.reply(server, refusal, "250 OK")

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        address = envelope.rcpt_tos[0]
        refusal = self.answer("DATA", address, len(self.taken))
        if refusal is None or refusal == "hang up" or refusal[0] not in "45":
            with self.lock:
                self.taken.append((address, envelope.content))
        if self.delay:
            await asyncio.sleep(self.delay)
        return await self.reply(server, refusal, "250 taken")

    async def reply(self, server: Any, refusal: str | None, usual: str) -> str:
        """What to answer; "hang up" sends no answer, and "554 … and hang up" the last one."""
        if refusal == "hang up":
            server.transport.abort()
            return ""
        if refusal and refusal.endswith(" and hang up"):
            await server.push(refusal.removesuffix(" and hang up"))
            server.transport.close()
            return ""
        return refusal or usual

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
