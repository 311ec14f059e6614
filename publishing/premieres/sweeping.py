"""The sweep: everything about premieres that is due by the database's clock. Running it twice changes nothing."""

from __future__ import annotations

import logging

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from config import stopping
from publishing.models import Delivery, Premiere, Publication, Subscriber
from publishing.models.premieres import NEWS_FOR
from publishing.premieres import arming, sending

logger = logging.getLogger(__name__)

ENROL_CHUNK = 2000  # subscribers a transaction


def send_due_premieres() -> int:
    """Begins, sends and finishes what is due; returns how many messages this run handed over."""
    reap()
    arming.go_on_after_cases()
    for pk in Premiere.objects.due().values_list("pk", flat=True):
        start_premiere(pk)
    if enrol():
        refresh_statistics()
    sent = sending.send_due()
    close_finished()
    return sent


def reap() -> None:
    """Gives back what dead workers had claimed. What they were handing over is uncertain from now on, and stays so."""
    lapsed = Delivery.objects.lease_lapsed()
    lapsed.claimed().give_back()
    lapsed.submitting().mark_uncertain(
        "The sender stopped while it handed the message over; nobody knows whether it arrived."
    )


@transaction.atomic
def start_premiere(pk: int) -> None:
    """Starts the sending of a due premiere, or says why it does not start."""
    premiere = Premiere.objects.select_for_update(of=("self",)).due().filter(pk=pk).first()
    if premiere is None:
        return
    is_dark = Publication.objects.dark().filter(pk=premiere.publication_id).exists()
    if not is_dark and not Publication.objects.live().filter(pk=premiere.publication_id).exists():
        arming.call_off(premiere, arming.UNPUBLISHED)
        return
    late = Premiere.objects.filter(pk=pk, due_at__lt=Now() - NEWS_FOR).exists()
    if late or is_dark:
        premiere.state = Premiere.State.HELD
        premiere.note = arming.TAKEN_DOWN if is_dark else arming.TOO_LATE
    else:
        premiere.state, premiere.started_at = Premiere.State.SENDING, Now()
    premiere.save(update_fields=["state", "note", "started_at"])
    if premiere.state == Premiere.State.HELD:
        arming.tell_premiere(premiere, "held", reason=premiere.note)


def enrol() -> bool:
    """Makes the deliveries of premieres that have begun; returns whether there are many."""
    many = False
    for pk in Premiere.objects.enrolling().values_list("pk", flat=True):
        while enrol_chunk(pk):
            many = True
    return many


@transaction.atomic
def enrol_chunk(pk: int) -> bool:
    """Makes deliveries for the next subscribers of a premiere; returns whether there may be more."""
    premiere = (
        Premiere.objects.select_for_update(of=("self",))
        .enrolling()
        .select_related("publication__story")
        .filter(pk=pk)
        .first()
    )
    if premiere is None:
        return False
    subscribers = Subscriber.objects.filter(
        workspace=premiere.publication.story.workspace_id,
        confirmed_at__lte=premiere.started_at,
        pk__gt=premiere.enrolled_to,
    ).reachable()
    chunk = list(subscribers.order_by("pk").values_list("pk", "email")[:ENROL_CHUNK])
    Delivery.objects.bulk_create(
        [
            Delivery(premiere=premiere, subscriber_id=pk, email=email, next_try_at=premiere.started_at)
            for pk, email in chunk
        ],
        ignore_conflicts=True,
    )
    if len(chunk) < ENROL_CHUNK:
        premiere.enrolled_at = Now()
    else:
        premiere.enrolled_to = chunk[-1][0]
    premiere.save(update_fields=["enrolled_at", "enrolled_to"])
    return len(chunk) == ENROL_CHUNK


def refresh_statistics() -> None:
    """Has PostgreSQL count the new rows; until then it would sort all due ones for each batch."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {Delivery._meta.db_table}")


def close_finished() -> None:
    """Closes premieres with nothing left to send, and tidies up after cancelled ones."""
    unfinished = Delivery.objects.open().filter(premiere=OuterRef("pk"))
    done = Premiere.objects.sending().filter(~Exists(unfinished), enrolled_at__isnull=False)
    for pk in done.values_list("pk", flat=True):
        close_premiere(pk)
    leftover = Delivery.objects.pending().filter(premiere=OuterRef("pk"))
    for pk in Premiere.objects.cancelled().filter(Exists(leftover)).values_list("pk", flat=True):
        tidy(pk)


@transaction.atomic
def close_premiere(pk: int) -> None:
    """Marks a premiere as sent, if that is still so now that its row is locked."""
    premiere = Premiere.objects.select_for_update().sending().filter(pk=pk).first()
    if premiere and premiere.enrolled_at and not premiere.deliveries.open().exists():
        premiere.state, premiere.finished_at = Premiere.State.DONE, Now()
        premiere.save(update_fields=["state", "finished_at"])
        arming.tell_premiere(premiere, "sent", mode=premiere.mode)


@transaction.atomic
def tidy(pk: int) -> None:
    """Ends the waiting deliveries of a cancelled premiere. Where nothing was sent they go, and may come again."""
    premiere = Premiere.objects.select_for_update().cancelled().filter(pk=pk).first()
    if premiere is None:
        return
    if premiere.state == Premiere.State.CANCELLED:
        premiere.deliveries.all().delete()
    else:
        premiere.deliveries.pending().cancel()


def run_forever() -> None:
    """Sweeps every SWEEP_INTERVAL until the worker stops, whatever the broker does; an error ends its round only."""
    while not stopping.has_begun():
        try:
            send_due_premieres()
        except Exception:
            logger.exception(
                "A sweep of the premieres failed; the next one follows in %s s", settings.SWEEP_INTERVAL
            )
        connection.close()
        stopping.rest(settings.SWEEP_INTERVAL)
