"""Sending: claim a batch of deliveries, then one message after the other, each recorded before and after.

A message is handed over only after its delivery was committed as `submitting`. Whoever dies between that and the
record of the answer leaves the delivery to become `uncertain`, which no program sends again.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import OuterRef, Subquery
from django.db.models.functions import Now

from capsules.encoding import release_connection
from publishing.models import Delivery, Premiere, Publication, Suppression
from publishing.premieres import arming, gate, statements
from publishing.premieres.letters import Letter, message_id
from publishing.premieres.rendering import render
from publishing.premieres.statements import Go
from publishing.premieres.transport import AnswerLost, Connection, HungUp, Refused, Unavailable

logger = logging.getLogger(__name__)

stopping = threading.Event()  # set where this process ends: the message under way is the last
State = Delivery.State
BATCH = 50
RETRIES = [timedelta(minutes=m) for m in (1, 5, 30, 120, 360)]
#: So many different addresses refused in a row mean that the server refuses everything; fewer will do in a run in which
#: it took nothing at all.
REFUSALS_IN_A_ROW, REFUSALS_AND_NOTHING_TAKEN = 10, 3
LOST_IN_A_ROW = 3  # answers
NOT_HELD = {"next_try_at": None, "lease_token": None, "lease_until": None}
SENT = {**NOT_HELD, "state": State.SENT, "finished_at": Now(), "error": ""}


@dataclass(frozen=True)
class Recipient:
    delivery_id: int
    subscriber_id: int
    email: str
    token: str
    refusals: int

    @property
    def is_at_last_try(self) -> bool:
        return self.refusals >= len(RETRIES)


@dataclass
class Batch:
    """Deliveries of one premiere that this worker holds under `lease`."""

    premiere: Premiere
    lease: uuid.UUID
    recipients: list[Recipient]
    renewed: float = field(default_factory=time.monotonic)

    def held(self, *recipients: Recipient) -> Any:
        """The deliveries of these recipients, as far as the lease on them still holds."""
        return Delivery.objects.filter(pk__in=[r.delivery_id for r in recipients], lease_token=self.lease)


@dataclass
class Courier:
    """One worker's run: its connection to the mail server, and the letter that it carries."""

    connection: Connection
    handed_over: int = 0
    letter: Letter | None = None
    letter_key: tuple[Any, ...] = ()
    refused_in_a_row: list[tuple[Recipient, Refused]] = field(default_factory=list)
    lost_in_a_row: int = 0
    #: Premieres with a row of dead addresses: not in this run any more.
    set_aside: set[int] = field(default_factory=set)

    @property
    def loses_answers(self) -> bool:
        return self.lost_in_a_row >= LOST_IN_A_ROW

    @property
    def has_enough(self) -> bool:
        """Whether refusals or lost answers in a row ask for a decision."""
        return len(self.refused_in_a_row) >= REFUSALS_IN_A_ROW or self.loses_answers

    @property
    def blames_addresses(self) -> bool:
        """The server names the addresses; the mail of another premiere will show whether it is right."""
        return not self.loses_answers and all(r.address_is_dead for _, r in self.refused_in_a_row)


def send_due() -> int:
    """Sends until no delivery is due or the mail server refuses everything; returns how many were handed over."""
    with Connection() as connection:
        courier = Courier(connection)
        try:
            while not stopping.is_set() and not gate.is_closed() and book(courier):
                batch = claim_next(courier)
                if batch is None or not send_batch(courier, batch):
                    break
        finally:
            if courier.handed_over and not courier.has_enough:
                suppress_dead(courier)
            elif len(courier.refused_in_a_row) >= REFUSALS_AND_NOTHING_TAKEN:
                pause(courier)
        return courier.handed_over


# --- Claiming --------------------------------------------------------------------------------------------------


def book(courier: Courier) -> bool:
    """Waits for this worker's share of the rate; False where nothing is due."""
    if settings.MAIL_RATE and not due_premieres(courier).exists():
        return False
    wait(gate.reserve(batch_size()))
    return True


def due_premieres(courier: Courier) -> Any:
    """Premieres with deliveries that are due now, in random order, so that a long one does not hold up a short one."""
    waiting = Delivery.objects.filter(premiere=OuterRef("pk"), next_try_at__isnull=False)
    first_try = Subquery(waiting.order_by("next_try_at").values("next_try_at")[:1])  # one look into the index
    open_ones = Premiere.objects.sending().filter(publication__story__workspace__suspended_at__isnull=True)
    others = open_ones.exclude(pk__in=courier.set_aside)
    return others.alias(first_try_at=first_try).filter(first_try_at__lte=Now()).order_by("?")


def batch_size() -> int:
    """At most BATCH, and no more than MAIL_RATE lets through in a quarter of the lease."""
    if not settings.MAIL_RATE:
        return BATCH
    return min(BATCH, max(1, int(settings.MAIL_RATE * settings.PREMIERE_LEASE / 4)))


def claim_next(courier: Courier) -> Batch | None:
    """A batch of any premiere that is due; None where others were quicker."""
    return next(filter(None, map(claim, due_premieres(courier))), None)


def claim(premiere: Premiere) -> Batch | None:
    """Takes up to `batch_size()` due deliveries for this worker alone; None when nothing is due."""
    lease = uuid.uuid4()
    with transaction.atomic():
        due = premiere.deliveries.due().order_by("next_try_at", "pk").select_for_update(skip_locked=True)
        chosen = list(due.values_list("pk", flat=True)[: batch_size()])
        Delivery.objects.filter(pk__in=chosen).update(
            state=State.CLAIMED, next_try_at=None, lease_token=lease, lease_until=lease_end()
        )
    held = Delivery.objects.filter(pk__in=chosen, lease_token=lease).order_by("pk")
    columns = ("pk", "subscriber_id", "email", "subscriber__token", "refusals")
    recipients = [Recipient(*row) for row in held.values_list(*columns)]
    return Batch(premiere, lease, recipients) if recipients else None


def renew(batch: Batch) -> None:
    """Keeps the batch this worker's own while a slow server takes its time."""
    if time.monotonic() - batch.renewed < settings.PREMIERE_LEASE / 4:
        return
    batch.held(*batch.recipients).filter(lease_until__isnull=False).update(lease_until=lease_end())
    batch.renewed = time.monotonic()


def lease_end() -> Any:
    return Now() + timedelta(seconds=settings.PREMIERE_LEASE)


def let_go(batch: Batch) -> None:
    """Gives back what the batch still holds and has not touched."""
    untouched = batch.held(*batch.recipients).filter(state=State.CLAIMED)
    untouched.update(**{**NOT_HELD, "state": State.PENDING, "next_try_at": Now()})


# --- One batch -------------------------------------------------------------------------------------------------


def send_batch(courier: Courier, batch: Batch) -> bool:
    """Sends a batch; False where this run should end. Every delivery is either recorded or given back."""
    letter = letter_for(courier, batch)
    if letter is None:
        let_go(batch)
        return True
    last: Recipient | None = None
    unrecorded: dict[str, Any] | None = None  # what became of the last, written together with the next look
    started = time.monotonic()
    try:
        for position, recipient in enumerate(batch.recipients):
            renew(batch)
            if settings.MAIL_RATE:
                wait(started + position / settings.MAIL_RATE - time.monotonic())
            courier.connection.announce(letter.sender)
            go = look(batch, last, unrecorded, recipient)
            last, unrecorded = recipient, None
            if go is Go.STOP:
                break
            if go is Go.SEND:
                unrecorded = hand_over(courier, batch, recipient, letter)
            if stopping.is_set() or courier.has_enough:
                break
    except Unavailable as error:
        gate.close(str(error))
        logger.warning("Premieres pause: %s", error)
        if last is not None:
            unrecorded = not_taken(last, error)
        return False
    finally:
        record(batch, last, unrecorded)
        let_go(batch)
    if not courier.has_enough:
        return True
    if courier.blames_addresses:
        courier.set_aside.add(batch.premiere.pk)
        return True
    pause(courier)
    return False


def wait(seconds: float) -> None:
    """Sleeps without holding a database connection for long."""
    if seconds > 1:
        release_connection()
    if seconds > 0:
        time.sleep(seconds)


def look(batch: Batch, last: Recipient | None, outcome: dict[str, Any] | None, recipient: Recipient) -> Go:
    """Records the last message and takes the last look before the next one; a sent one in the same transaction."""
    sent = last.delivery_id if last is not None and outcome is SENT else None
    if sent is None:
        record(batch, last, outcome)
    go = statements.step(batch.premiere, batch.lease, sent, recipient.delivery_id)
    if go is Go.SKIP:
        batch.held(recipient).filter(state=State.CLAIMED).update(
            **NOT_HELD,
            state=State.CANCELLED,
            finished_at=Now(),
            error="No longer subscribed, or the address is closed.",
        )
    return go


def hand_over(courier: Courier, batch: Batch, recipient: Recipient, letter: Letter) -> dict[str, Any]:
    """Hands one message over and returns what to record of it. Raises Unavailable where nobody gets any."""
    ident = message_id(batch.premiere.pk, recipient.subscriber_id)
    content = letter.for_recipient(recipient.email, recipient.token, ident)
    try:
        courier.connection.submit(letter.sender, recipient.email, content)
    except Refused as refusal:
        courier.refused_in_a_row.append((recipient, refusal))
        return refused(recipient, refusal)
    except AnswerLost as error:
        courier.lost_in_a_row += 1
        return {**NOT_HELD, "state": State.UNCERTAIN, "finished_at": Now(), "error": str(error)}
    if not courier.handed_over:
        gate.open_again()
    courier.handed_over += 1
    courier.lost_in_a_row = 0
    suppress_dead(courier)
    return SENT


def refused(recipient: Recipient, refusal: Refused) -> dict[str, Any]:
    """A final refusal ends it, a temporary one puts it off."""
    if refusal.is_final:
        return failed(f"The mail server refused it: {refusal}")
    return put_off(recipient, f"The mail server said: later. {refusal}")


def failed(error: str) -> dict[str, Any]:
    return {**NOT_HELD, "state": State.FAILED, "finished_at": Now(), "error": error}


def not_taken(recipient: Recipient, error: Unavailable) -> dict[str, Any]:
    """Who met a server that takes nothing counts as not tried. At whom it hung up waits behind all others."""
    if isinstance(error, HungUp):
        return put_off(recipient, str(error))
    return {**NOT_HELD, "state": State.PENDING, "next_try_at": Now(), "error": str(error)}


def put_off(recipient: Recipient, error: str) -> dict[str, Any]:
    """It is tried again by RETRIES; after the last of them it has failed."""
    if recipient.is_at_last_try:
        return failed(error)
    return {
        **NOT_HELD,
        "state": State.PENDING,
        "next_try_at": Now() + RETRIES[recipient.refusals],
        "refusals": recipient.refusals + 1,
        "error": error,
    }


def record(batch: Batch, recipient: Recipient | None, outcome: dict[str, Any] | None) -> None:
    """Writes what became of a message that this worker handed over, also where the sweep already gave it up."""
    if recipient is None or outcome is None:
        return
    batch.held(recipient).filter(state__in=[State.SUBMITTING, State.UNCERTAIN]).update(**outcome)


# --- The letter, and what refusals mean ------------------------------------------------------------------------


def letter_for(courier: Courier, batch: Batch) -> Letter | None:
    """The message of the live bake, built again only when that changed; None where there is nothing to send."""
    publication = (
        Publication.objects.live()
        .select_related("story__workspace", "live_bake")
        .filter(pk=batch.premiere.publication_id)
        .first()
    )
    if publication is None or publication.is_white_label:
        withdraw(batch.premiere)
        return None
    key = (batch.premiere.pk, batch.premiere.mode, publication.live_bake_id, publication.updated_at)
    if courier.letter is None or key != courier.letter_key:
        try:
            courier.letter, courier.letter_key = Letter(render(publication, batch.premiere.mode)), key
        except (DatabaseError, OSError):  # which may pass: the next sweep tries again
            let_go(batch)
            raise
        except Exception as error:  # whatever it is, staff decide about this one, and the others go on
            logger.exception("The premiere of %s is held", publication)
            arming.hold(batch.premiere, f"The email could not be made ({type(error).__name__}: {error}).")
            return None
        Premiere.objects.filter(pk=batch.premiere.pk).update(bake=publication.live_bake_id)
    return courier.letter


@transaction.atomic
def withdraw(premiere: Premiere) -> None:
    """Calls off a premiere whose capsule cannot be read at its own link any more."""
    locked = Premiere.objects.select_for_update().get(pk=premiere.pk)
    if locked.is_open:
        arming.call_off(locked, arming.UNPUBLISHED)


def suppress_dead(courier: Courier) -> None:
    """Closes addresses that do not exist, once the server has shown by another message that it is not to blame."""
    if courier.refused_in_a_row:
        close_dead(courier.refused_in_a_row)
        courier.refused_in_a_row.clear()


def close_dead(refusals: list[tuple[Recipient, Refused]]) -> None:
    Suppression.objects.bulk_create(
        [
            Suppression(email=recipient.email, reason=Suppression.Reason.BOUNCE, detail=str(refusal))
            for recipient, refusal in refusals
            if refusal.address_is_dead
        ],
        ignore_conflicts=True,
    )


def pause(courier: Courier) -> None:
    """The server is to blame, not the addresses: all sending pauses, and those it refused get another chance.

    Whom it refused at the last chance, too, while it took the mail to others, is to blame after all.
    """
    if courier.loses_answers:
        reason = "The mail server takes messages and goes away without an answer."
    else:
        reason = f"The mail server refuses everything: {courier.refused_in_a_row[-1][1]}"
    gate.close(reason)
    logger.warning("Premieres pause: %s", reason)
    chances = {
        recipient.delivery_id: put_off(recipient, f"The mail server refused it: {refusal}")
        for recipient, refusal in courier.refused_in_a_row
        if not recipient.is_at_last_try
    }
    arming.retry_failed(chances)
    given_up = [(r, refusal) for r, refusal in courier.refused_in_a_row if r.is_at_last_try]
    of_theirs = Premiere.objects.filter(deliveries__in=[r.delivery_id for r, _ in given_up])
    if Delivery.objects.filter(premiere__in=of_theirs, state=State.SENT).exists():
        close_dead(given_up)
    courier.refused_in_a_row.clear()
