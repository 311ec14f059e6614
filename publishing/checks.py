"""What must hold before the service starts."""

from __future__ import annotations

import re
from email.utils import parseaddr

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.core.mail import EmailMessage

from publishing.statistics import marks

SENDER = re.compile("[!-?A-~]+@[!-?A-~]+")  # printable ASCII with one @ in it


@register
def readers_are_marked_in_memory(**kwargs: object) -> list[CheckMessage]:
    """What tells today's readers apart must be on no disk, nor in what is copied from one."""
    if settings.REDIS_URL or marks.is_memory_there():
        return []
    return [
        Warning(
            f"Nothing can be written to {marks.MEMORY}, so the marks of today's readers are on a disk.",
            hint=f"Give the service {marks.MEMORY}, or REDIS_URL. See docs/operations.md.",
            id="publishing.W001",
        )
    ]


@register
def mails_have_a_sender(**kwargs: object) -> list[CheckMessage]:
    """Mails that cannot be written are dropped, and with a sender that is no address that would be all of them."""
    sender = settings.DEFAULT_FROM_EMAIL
    try:
        EmailMessage(from_email=sender).message()
    except ValueError:
        can_be_written = False
    else:
        can_be_written = bool(SENDER.fullmatch(parseaddr(sender)[1]))
    if can_be_written:
        return []
    return [
        Error(
            f"No mail can be from {sender!r}.",
            hint="Set DEFAULT_FROM_EMAIL to an address in ASCII: capsules@example.com.",
            id="publishing.E001",
        )
    ]


@register
def bounces_have_an_address(**kwargs: object) -> list[CheckMessage]:
    """It stands alone in `MAIL FROM`, without a name; a server refuses every premiere that has another one there."""
    if not settings.BOUNCE_EMAIL or SENDER.fullmatch(settings.BOUNCE_EMAIL):
        return []
    return [
        Error(
            f"No mail can return to {settings.BOUNCE_EMAIL!r}.",
            hint="Set BOUNCE_EMAIL to an address in ASCII without a name, bounces@example.com, or leave it out.",
            id="publishing.E002",
        )
    ]
