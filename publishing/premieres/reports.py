"""Delivery reports and complaints that come back by mail (RFC 3464, RFC 5965): what they close.

Anybody can write to our return address, so a report counts only if it quotes the Message-ID of a premiere, which
nobody but its recipient and the servers between can know.
"""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from email.message import EmailMessage

from publishing.models import Delivery, Suppression
from publishing.premieres.letters import message_id

MESSAGE_ID = re.compile(rb"<premiere\.(\d{1,18})\.(\d{1,18})\.[0-9a-f]{20}@[^>\s]+>")
DEAD = re.compile(r"5\.1\.(1|2|3|6|10)\b")


def take_in(raw: bytes) -> Suppression | None:
    """The suppression that a report brings about; None where it is no report, or about no mail of ours."""
    message = message_from_bytes(raw, _class=EmailMessage, policy=policy.default)
    reason = reason_of(message)
    delivery = delivery_of(raw) if reason else None
    if reason is None or delivery is None:
        return None
    suppression, _ = Suppression.objects.get_or_create(
        email=delivery.email, defaults={"reason": reason[0], "detail": reason[1][:1000]}
    )
    if reason[0] == Suppression.Reason.BOUNCE:
        Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.SENT).update(
            state=Delivery.State.FAILED, error=f"It came back: {reason[1][:300]}"
        )
    return suppression


def reason_of(message: EmailMessage) -> tuple[str, str] | None:
    """Why the address must be closed, and the words of the report; None where it must not."""
    for part in message.walk():
        kind = part.get_content_type()
        if kind == "message/feedback-report" and not re.search(
            r"^feedback-type:\s*not-spam", str(part), re.I | re.M
        ):
            return Suppression.Reason.COMPLAINT, "Reported as unwanted."
        if kind == "message/delivery-status":
            fields = " ".join(str(block).strip() for block in part.iter_parts())
            if re.search(r"^action:\s*failed", fields, re.I | re.M) and DEAD.search(fields):
                return Suppression.Reason.BOUNCE, " ".join(fields.split())
    return None


def delivery_of(raw: bytes) -> Delivery | None:
    """The delivery whose Message-ID stands in the report."""
    for found in MESSAGE_ID.finditer(raw):
        premiere, subscriber = int(found[1]), int(found[2])
        if message_id(premiere, subscriber).encode() == found[0]:
            return Delivery.objects.filter(premiere=premiere, subscriber=subscriber).first()
    return None
