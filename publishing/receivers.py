"""What publishing answers to the apps below it, and what it does when something changes there."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.utils import timezone

from accounts.models import Workspace
from accounts.signals import workspace_changed
from capsules import signals
from capsules.models import Encode, Story
from publishing import page_versions, tasks
from publishing.models import Bake, Premiere, Publication
from publishing.signals import publication_changed


def wanted_bakes() -> QuerySet[Bake]:
    """Every bake that readers get or got within BLOB_RETENTION."""
    recent = Q(replaced_at__isnull=True) | Q(replaced_at__gt=timezone.now() - settings.BLOB_RETENTION)
    return Bake.objects.filter(recent)


@receiver(signals.blobs_in_use)
def blobs_of_bakes(**kwargs: Any) -> set[str]:
    return {name for bake in wanted_bakes().iterator() for name in bake.blobs()}


@receiver(signals.blobs_in_use)
def blobs_of_premieres(**kwargs: Any) -> set[str]:
    """Pictures that lie in inboxes, for as long as the capsule can be read."""
    mailed = Premiere.objects.filter(bake__isnull=False, publication__published_at__isnull=False)
    return {
        name for premiere in mailed.select_related("bake") if premiere.bake for name in premiere.bake.blobs()
    }


@receiver(signals.encodes_in_use)
def clips_of_bakes(**kwargs: Any) -> set[int]:
    return set(wanted_bakes().exclude(clip=None).values_list("clip", flat=True))


# --- Pages are rendered anew when something that they show has changed ------------------------------------------


@receiver(publication_changed)
def publication_has_changed(publication: Publication, **kwargs: Any) -> None:
    renew_pages(publication.story.workspace)
    if publication.is_published:
        transaction.on_commit(tasks.request_clips.delay, robust=True)


@receiver(workspace_changed)
def workspace_has_changed(workspace: Workspace, **kwargs: Any) -> None:
    renew_pages(workspace)


@receiver([post_save, post_delete], sender=Story)
def story_was_saved(instance: Story, **kwargs: Any) -> None:
    renew_pages(instance.workspace)


@receiver(signals.encode_done)
def clip_is_ready(encode: Encode, **kwargs: Any) -> None:
    shown = Publication.objects.filter(live_bake__clip=encode)
    for workspace in Workspace.objects.filter(stories__publication__in=shown).distinct():
        renew_pages(workspace)


def renew_pages(workspace: Workspace) -> None:
    transaction.on_commit(lambda: page_versions.change(workspace.name), robust=True)
