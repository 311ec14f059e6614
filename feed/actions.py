"""The deeds of the lists: keep them right when a publication changes, pin, end a pin."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from capsules.models import Encode
from feed import ranks
from feed.cards import make_card
from feed.models import Card, Pin, SitemapChange, pinnable
from publishing.clips import clip_of
from publishing.models import Publication


@transaction.atomic
def relist(publication_id: int) -> None:
    """Makes card, rank, pin and sitemap agree with the publication as this transaction sees it."""
    # Two changes of one publication come one after the other: the second then reads what the first one wrote.
    Publication.objects.select_for_update().get(pk=publication_id)
    if not pinnable().filter(pk=publication_id).exists():
        Pin.objects.filter(publication=publication_id, ended_at__isnull=True).update(ended_at=timezone.now())
    listed = Publication.objects.live().listed().select_related("story__workspace", "live_bake__clip")
    publication = listed.filter(pk=publication_id).first()
    if publication is None:
        Card.objects.filter(pk=publication_id).delete()
    else:
        show(publication)


def show(publication: Publication) -> None:
    """Writes card and rank of a listed publication, and has its sitemap entry written."""
    Card.objects.bulk_create(
        [make_card(publication)],
        update_conflicts=True,
        unique_fields=["publication"],
        update_fields=[f.name for f in Card._meta.concrete_fields if not f.primary_key],
    )
    ranks.place_card(publication.pk)
    SitemapChange.objects.create(publication_id=publication.pk)


@transaction.atomic
def save_pin(pin: Pin) -> None:
    """Saves a pin and applies it at once. Where the capsule has just lost Featured, the pin ends at once."""
    pin.save()
    relist(pin.publication_id)


@transaction.atomic
def remove_pin(pin: Pin) -> None:
    pin.delete()
    relist(pin.publication_id)


def fill_clips() -> int:
    """Gives cards the social clips that were finished after their publish; returns how many."""
    done = Card.objects.filter(clip="", publication__live_bake__clip__state=Encode.State.DONE)
    cards = done.select_related("publication__live_bake__clip").defer("publication__live_bake__content")
    filled = 0
    for card in cards:
        clip = clip_of(card.publication)
        # Only of the bake that the clip was made of: a republish in between has written the card anew.
        if clip and Card.objects.filter(pk=card.pk, updated_at=card.updated_at).update(clip=clip["name"]):
            SitemapChange.objects.create(publication_id=card.pk)
            filled += 1
    return filled
