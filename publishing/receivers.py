"""What publishing answers to the apps below it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import Q
from django.dispatch import receiver
from django.utils import timezone

from capsules import signals
from publishing.models import Bake, Premiere


@receiver(signals.blobs_in_use)
def blobs_of_bakes(**kwargs: Any) -> set[str]:
    """Blobs of every bake that readers get or got within BLOB_RETENTION."""
    recent = Q(replaced_at__isnull=True) | Q(replaced_at__gt=timezone.now() - settings.BLOB_RETENTION)
    return {name for bake in Bake.objects.filter(recent).iterator() for name in bake.blobs()}


@receiver(signals.blobs_in_use)
def blobs_of_premieres(**kwargs: Any) -> set[str]:
    """Pictures that lie in inboxes, for as long as the capsule can be read."""
    mailed = Premiere.objects.filter(bake__isnull=False, publication__published_at__isnull=False)
    return {
        name for premiere in mailed.select_related("bake") if premiere.bake for name in premiere.bake.blobs()
    }
