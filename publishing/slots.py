"""Publish slots: how many publishes one web process carries out at once, so that readers always find a thread."""

from __future__ import annotations

from contextlib import AbstractContextManager

from django.conf import settings

from config.errors import Throttled
from config.slots import Slots

publishes = Slots(settings.PUBLISH_SLOTS, settings.PUBLISH_SLOTS, settings.PUBLISH_SLOT_WAIT)


def slot() -> AbstractContextManager[None]:
    """Holds a slot for the time of a `with` block. Raises Throttled where none comes free."""
    busy = "Many capsules are being published at the moment. Please try again shortly."
    return publishes.slot(Throttled(busy, retry_after=5))
