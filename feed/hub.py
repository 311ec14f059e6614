"""Telling a WebSub hub which feeds changed, so that subscribers need not ask (WEBSUB_HUB)."""

from __future__ import annotations

import logging

import requests
from django.conf import settings

from feed import entries
from feed.models import FeedChange

PATIENCE = 10  # seconds for the hub to answer
AT_ONCE = 500  # changes in one call
logger = logging.getLogger(__name__)


def note_change(workspace_path: str) -> None:
    """Notes, in the transaction of the change, that a workspace's feeds and those of all changed."""
    if settings.WEBSUB_HUB:
        FeedChange.objects.bulk_create([FeedChange(path=path) for path in ("", workspace_path)])


def tell_changes() -> int:
    """Tells the hub, and forgets, what was noted; returns how many addresses. Where it fails, the next call tells."""
    changes = list(FeedChange.objects.order_by("pk").values_list("pk", "path")[:AT_ONCE])
    if not changes or not settings.WEBSUB_HUB:
        return 0
    topics = [
        entries.feed_address(path, form)
        for path in sorted({path for _, path in changes})
        for form in entries.FORMS
    ]
    try:
        answer = requests.post(
            settings.WEBSUB_HUB,
            data={"hub.mode": "publish", "hub.url": topics},
            timeout=PATIENCE,
            allow_redirects=False,
        )
        answer.raise_for_status()
    except requests.RequestException as error:
        logger.warning("The WebSub hub was not told: %s", type(error).__name__)
        return 0
    # By their keys: one with a lower key may have been committed while the hub was told.
    FeedChange.objects.filter(pk__in=[pk for pk, _ in changes]).delete()
    return len(topics)
