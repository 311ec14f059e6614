"""What follows when publications become dark, or light again: lists, pages and mails are told as by an unpublish."""

from __future__ import annotations

from django.db.models import F

from publishing.models import Publication
from publishing.models.publications import PublicationQuerySet
from publishing.premieres import arming
from publishing.signals import publication_changed


def tell(publications: PublicationQuerySet) -> None:
    """Call it in the transaction that took these down or ended it."""
    arming.stop_for_case(publications.dark())
    published = publications.published().select_related("story__workspace")
    # In the order in which they are locked where a capsule goes to the trash.
    first_capsules = (F("story__capsule").asc(nulls_first=True), "-story__created_at")
    for publication in published.order_by(*first_capsules).iterator():
        publication_changed.send(Publication, publication=publication)
