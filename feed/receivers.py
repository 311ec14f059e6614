"""What the lists answer to news of publications."""

from __future__ import annotations

from django.db.models.signals import post_delete
from django.dispatch import receiver

from accounts.signals import workspace_changed
from feed import actions
from feed.models import Card
from publishing.models import Publication
from publishing.signals import publication_changed


@receiver(publication_changed)
def keep_lists_right(publication: Publication, **kwargs: object) -> None:
    """Runs inside the transaction that changes the publication, so that page and lists change together."""
    actions.relist(publication.pk)


@receiver(post_delete, sender=Card)
@receiver(workspace_changed)
def renew_showcase(**kwargs: object) -> None:
    """A card went, with its publication's listing or with its story; or what cards say of their workspace changed."""
    actions.renew_showcase()
