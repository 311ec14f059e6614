"""Delivery reports and complaints that come back by mail (RFC 3464, RFC 5965): what they close.

Anybody can write to our return address, so a report counts only if it quotes the Message-ID of a premiere, which
nobody but its recipient and the servers between can know.
"""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import NamedTuple

from publishing.mail.letters import message_id
from publishing.mail.transport import DEAD_ADDRESS
from publishing.models import Delivery, Outcome, Suppression

MESSAGE_ID = re.compile(rb"<premiere\.(\d{1,18})\.(\d{1,18})\.[0-9a-f]{20}@[^>\s]+>")


class Reason(NamedTuple):
    """Why an address must be closed, and the words of the report."""

    kind: Suppression.Reason
    words: str


def take_report(raw: bytes) -> Suppression | None:
    """The suppression that a report leads to; None where it is not a report, or not about one of our mails."""
    reason = reason_of(message_from_bytes(raw, policy=policy.default))
    if reason is None:
        return None
    delivery = delivery_of(raw)
    if delivery is None:
        return None
    suppression, _ = Suppression.objects.get_or_create(
        email=delivery.email, defaults={"reason": reason.kind, "detail": reason.words[:1000]}
    )
    if reason.kind == Suppression.Reason.BOUNCE:
        sent = Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.SENT)
        sent.record(Outcome(Delivery.State.FAILED, f"It came back: {reason.words[:300]}"))
    return suppression


def reason_of(message: EmailMessage) -> Reason | None:
    """Why the address must be closed; None where it must not."""
    for part in message.walk():
        kind = part.get_content_type()
        if kind == "message/feedback-report" and not re.search(
            r"^feedback-type:\s*not-spam", str(part), re.I | re.M
        ):
            return Reason(Suppression.Reason.COMPLAINT, "Reported as unwanted.")
        if kind == "message/delivery-status":
            fields = " ".join(str(block).strip() for block in part.iter_parts())
            if re.search(r"^action:\s*failed", fields, re.I | re.M) and DEAD_ADDRESS.search(fields):
                return Reason(Suppression.Reason.BOUNCE, " ".join(fields.split()))
    return None


def delivery_of(raw: bytes) -> Delivery | None:
    """The delivery whose Message-ID the report quotes."""
    for found in MESSAGE_ID.finditer(raw):
        premiere, subscriber = int(found[1]), int(found[2])
        if message_id(premiere, subscriber).encode() == found[0]:
            return Delivery.objects.filter(premiere=premiere, subscriber=subscriber).first()
    return None
