"""What follows when publications become dark, or light again: lists, pages and mails are told as by an unpublish."""

from __future__ import annotations

from itertools import islice

from django.db.models import Exists, OuterRef, Q

from publishing.models import Bake, Publication
from publishing.models.publications import PublicationQuerySet
from publishing.moderation import blobs
from publishing.premieres import arming
from publishing.signals import publication_changed

TOGETHER = 20  # publications whose files are looked at together


def carry_out(publications: PublicationQuerySet) -> None:
    """Call it in the transaction that took these down or ended it."""
    # Before their premieres, as an unpublish locks them.
    ordered = publications.capsules_first()
    list(ordered.select_for_update(of=("self",)).values_list("pk"))
    arming.stop_for_case(publications.dark())
    # What readers got before has its pictures under their names still, until bakes are forgotten.
    had_readers = Q(published_at__isnull=False) | Exists(Bake.objects.filter(story=OuterRef("story")))
    rows = ordered.filter(had_readers).select_related("story__workspace").iterator()
    while some := list(islice(rows, TOGETHER)):
        for publication in some:
            publication_changed.send(Publication, publication=publication, follows_blobs=False)
        blobs.follow(some)
