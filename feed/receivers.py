"""What the lists answer to news of publications."""

from __future__ import annotations

from django.db.models.signals import post_delete
from django.dispatch import receiver

from accounts.signals import workspace_changed
from capsules.signals import blobs_in_use
from feed import actions
from feed.models import Card, SitemapChange, SitemapSection
from publishing.models import Publication
from publishing.signals import publication_changed


@receiver(publication_changed)
def keep_lists_right(publication: Publication, **kwargs: object) -> None:
    """Runs inside the transaction that changes the publication, so that page and lists change together."""
    actions.relist(publication.pk)


@receiver(post_delete, sender=Card)
def leave_sitemap(instance: Card, **kwargs: object) -> None:
    """Runs for a publication that left the lists, and for one whose story was deleted."""
    SitemapChange.objects.create(publication_id=instance.pk)
    actions.renew_showcase()


@receiver(workspace_changed)
def renew_showcase(**kwargs: object) -> None:
    """Cards name their workspace and show its picture."""
    actions.renew_showcase()


@receiver(blobs_in_use)
def blobs_of_sitemap(**kwargs: object) -> set[str]:
    return set(SitemapSection.objects.exclude(name="").values_list("name", flat=True))
