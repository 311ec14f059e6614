"""What must hold before the service starts."""

from __future__ import annotations

from django.conf import settings
from django.core.checks import CheckMessage, Warning, register

from publishing.statistics import marks


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
