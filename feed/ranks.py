"""Sort keys of the feed, and how they follow the views that were counted and the pins that begin and end."""

from __future__ import annotations

from django.db import connection, transaction

from feed.models import FeedRank, Pin
from publishing.models import ViewCount

WEIGHTS = {tier: weight for weight, tier in FeedRank.TIERS.items()}
PLACES = 256
BATCH = 50_000  # ranks looked at in one transaction

# Writes only ranks whose views differ. Both sides keep tier and place, the bits above the views. What somebody else is
# writing is left for the next time, and nobody waited for: a suspension takes many cards out of the lists, one by one.
FOLLOW_VIEWS = f"""
    UPDATE {FeedRank._meta.db_table} SET sort_key = sort_key - (sort_key & %(mask)s) + counted.views
    FROM (
        SELECT rank.publication_id AS ranked, seen.views AS views
        FROM {FeedRank._meta.db_table} AS rank
        JOIN {ViewCount._meta.db_table} AS seen ON seen.publication_id = rank.publication_id
        WHERE rank.publication_id > %(first)s AND rank.publication_id <= %(last)s
          AND seen.publication_id > %(first)s AND seen.publication_id <= %(last)s
          AND (rank.sort_key & %(mask)s) <> seen.views
        {{lock}}
    ) AS counted
    WHERE counted.ranked = {FeedRank._meta.db_table}.publication_id
"""  # noqa: S608  (names of our own tables)
SKIP_LOCKED = "FOR NO KEY UPDATE OF rank SKIP LOCKED"


def sort_key(views: int, pin: Pin | None) -> int:
    """tier << 56 | place << 48 | views. In a tier, those with a place come first, the rest by views."""
    if pin is None:
        return views
    place = PLACES - pin.place if pin.place else 0
    return WEIGHTS[Pin.Tier(pin.tier)] << 56 | place << 48 | views


def place_card(publication_id: int) -> None:
    """Writes the rank of a card by its views and its running pin. The card must be there."""
    views = ViewCount.objects.filter(pk=publication_id).values_list("views", flat=True).first()
    pin = Pin.objects.running().filter(publication=publication_id).first()
    FeedRank.objects.bulk_create(
        [FeedRank(card_id=publication_id, sort_key=sort_key(views or 0, pin))],
        update_conflicts=True,
        unique_fields=["card"],
        update_fields=["sort_key"],
    )


def follow_views() -> int:
    """Brings every rank up to the views counted by now, in batches; returns how many changed."""
    changed, last = 0, 0
    lock = SKIP_LOCKED if connection.features.has_select_for_update_skip_locked else ""
    while bound := end_of_batch(last):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                FOLLOW_VIEWS.format(lock=lock), {"mask": FeedRank.VIEWS, "first": last, "last": bound}
            )
            changed += cursor.rowcount
        last = bound
    return changed


def end_of_batch(last: int) -> int | None:
    """The id that ends the batch of ranks behind the id `last`; None where there are none."""
    # By counting rows, not by adding to the id: ids have gaps.
    ids = FeedRank.objects.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)
    return ids[BATCH - 1 : BATCH].first() or ids.last()


def follow_pins() -> None:
    """Applies the pins that began or ended since the last time."""
    # Whatever has bits above the views had a pin the last time, also where that has ended since.
    pinned = FeedRank.objects.filter(sort_key__gt=FeedRank.VIEWS).values_list("pk", flat=True)
    beginning = Pin.objects.running().filter(publication__card__isnull=False)
    for publication_id in {*pinned, *beginning.values_list("publication", flat=True)}:
        with transaction.atomic():
            # Unpublished meanwhile: then it gets no rank again.
            if FeedRank.objects.select_for_update().filter(pk=publication_id).exists():
                place_card(publication_id)
