"""Mail of the embedded default: nothing leaves the machine, every message becomes a readable file."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Sequence
from email.message import Message
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend


class OutboxBackend(BaseEmailBackend):
    """Writes each message as one .eml file into OUTBOX_DIR, named by its time (UTC), first recipient and content."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        settings.OUTBOX_DIR.mkdir(parents=True, exist_ok=True)
        for message in email_messages:
            write_message(settings.OUTBOX_DIR, message.message(), message.recipients())
        return len(email_messages)


def write_message(folder: Path, message: Message, recipients: list[str]) -> Path:
    """The file of a message; written elsewhere and renamed, so that nobody reads half a mail."""
    content = message.as_bytes()
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    to = re.sub(r"[^a-z0-9@.+-]", "_", recipients[0].lower())[:80] if recipients else "nobody"
    path = folder / f"{stamp}-{to}-{hashlib.sha256(content).hexdigest()[:8]}.eml"
    part = path.with_suffix(".part")
    part.write_bytes(content)
    return part.replace(path)
