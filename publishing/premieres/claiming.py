"""Which deliveries a worker takes next, and how it keeps them its own while it sends them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from django.conf import settings
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Now

from config.database import release_connection
from publishing.mail import pauses
from publishing.models import Delivery, Premiere, Publication
from publishing.models.deliveries import DeliveryQuerySet

BATCH = 50


@dataclass
class Batch:
    """Deliveries of one premiere that this worker holds under `lease`."""

    premiere: Premiere
    lease: uuid.UUID
    recipients: list[Delivery]
    renewed: float = field(default_factory=time.monotonic)

    def held(self, *recipients: Delivery) -> DeliveryQuerySet:
        """The deliveries of these recipients, as far as the lease on them still holds."""
        return Delivery.objects.filter(pk__in=[r.pk for r in recipients]).held_by(self.lease)

    def renew(self) -> None:
        """Keeps the batch this worker's own while a slow server takes its time."""
        if time.monotonic() - self.renewed >= settings.PREMIERE_LEASE / 4:
            self.held(*self.recipients).renew()
            self.renewed = time.monotonic()

    def let_go(self) -> None:
        """Gives back what it still holds and has not touched."""
        self.held(*self.recipients).claimed().give_back()

    def paced(self) -> Iterator[Delivery]:
        """One recipient after the other, each when the rate allows it."""
        started = time.monotonic()
        for position, recipient in enumerate(self.recipients):
            self.renew()
            if settings.MAIL_RATE:
                wait(started + position / settings.MAIL_RATE - time.monotonic())
            yield recipient


def claim_next(set_aside: Collection[int] = ()) -> Batch | None:
    """A batch of any premiere that is due and not set aside; None where nothing is due, or others were quicker."""
    if not book(set_aside):
        return None
    for premiere in due_premieres(set_aside):
        lease = uuid.uuid4()
        recipients = premiere.deliveries.claim(batch_size(), lease)
        if recipients:
            return Batch(premiere, lease, recipients)
    return None


def book(set_aside: Collection[int]) -> bool:
    """Waits for this worker's share of the rate; False where nothing is due."""
    if settings.MAIL_RATE and not due_premieres(set_aside).exists():
        return False
    wait(pauses.reserve(batch_size()))
    return True


def due_premieres(set_aside: Collection[int]) -> QuerySet[Premiere]:
    """Premieres with deliveries that are due now, in random order, so that a long one does not hold up a short one."""
    waiting = Delivery.objects.filter(premiere=OuterRef("pk"), next_try_at__isnull=False)
    first_try = Subquery(waiting.order_by("next_try_at").values("next_try_at")[:1])  # one index lookup
    open_ones = Premiere.objects.sending().exclude(publication__in=Publication.objects.dark())
    others = open_ones.exclude(pk__in=set_aside)
    return others.alias(first_try_at=first_try).filter(first_try_at__lte=Now()).order_by("?")


def batch_size() -> int:
    """At most BATCH, and no more than MAIL_RATE lets through in a quarter of the lease."""
    if not settings.MAIL_RATE:
        return BATCH
    return min(BATCH, max(1, int(settings.MAIL_RATE * settings.PREMIERE_LEASE / 4)))


def wait(seconds: float) -> None:
    """Sleeps without holding a database connection for long."""
    if seconds > 1:
        release_connection()
    if seconds > 0:
        time.sleep(seconds)
