"""What is done to the lists: keep them right when a publication changes, pin, end a pin."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction
from django.utils import timezone

from config.celery import wake
from config.database import only
from feed import hub, ranks
from feed.cards import make_card
from feed.models import Card, Pin, may_be_pinned
from publishing.models import Publication
from publishing.pages import changes
from publishing.pages.files import SHOWCASE


@transaction.atomic(savepoint=False)
def relist(publication_id: int) -> None:
    """Makes card, rank and pin agree with the publication as this transaction sees it."""
    # Two changes of one publication come one after the other: the second then reads what the first one wrote.
    hold_capsule(publication_id)
    publication = only(Publication.objects.live().listed().with_bake().filter(pk=publication_id))
    if publication is None or not may_be_pinned(publication):
        Pin.objects.filter(publication=publication_id, ended_at__isnull=True).update(ended_at=timezone.now())
    if publication is None:
        Card.objects.filter(pk=publication_id).delete()
    else:
        show_in_lists(publication)
        hub.note_change(f"/{publication.story.workspace.name}")
        wake("feed.tasks.tell_hub")


def show_in_lists(publication: Publication) -> None:
    """Writes card and rank of a listed publication."""
    Card.objects.bulk_create(
        [make_card(publication)],
        update_conflicts=True,
        unique_fields=["publication"],
        update_fields=[f.name for f in Card._meta.concrete_fields if not f.primary_key],
    )
    ranks.place_card(publication.pk)
    renew_showcase()


def renew_showcase() -> None:
    """Has every machine render the front page anew; what views move in it is seen within LIST_MAX_AGE."""
    changes.renew(SHOWCASE)


@transaction.atomic
def save_pin(pin: Pin, write: Callable[[Pin], None] = Pin.save) -> None:
    """Saves a pin and applies it at once. Where the capsule has just lost Featured, the pin ends at once."""
    hold_capsule(pin.publication_id)
    write(pin)
    relist(pin.publication_id)


@transaction.atomic
def remove_pin(pin: Pin) -> None:
    hold_capsule(pin.publication_id)
    pin.delete()
    relist(pin.publication_id)


def hold_capsule(publication_id: int) -> None:
    """Before a pin of it is written: whoever unpublishes holds it, and then ends the pin."""
    Publication.objects.select_for_update().values_list("pk").get(pk=publication_id)
