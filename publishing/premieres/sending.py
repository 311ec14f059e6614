"""Sending: claim a batch of deliveries, then one message after the other, each recorded before and after.

A message is handed over only after its delivery was committed as `submitting`. Whoever dies between that and the
record of the answer leaves the delivery to become `uncertain`, which no program sends again.
"""

from __future__ import annotations

import logging
from contextlib import closing
from dataclasses import dataclass, field
from enum import Enum, auto

from django.db import DatabaseError, transaction

from config import stopping
from config.slots import in_one_thread
from publishing.mail import pauses
from publishing.mail.letters import Letter, message_id
from publishing.mail.transport import AnswerLost, Connection, Refused, Unavailable
from publishing.models import Delivery, Outcome, Premiere, Publication
from publishing.premieres import arming, verdicts
from publishing.premieres.claiming import Batch, claim_next
from publishing.premieres.rendering import render

logger = logging.getLogger(__name__)


class Go(Enum):
    """What the last look before a message says."""

    SEND = auto()
    SKIP = auto()  # this one: it left, or was taken over
    STOP = auto()  # the whole batch: the premiere was called off


@dataclass(frozen=True)
class Attempt:
    """A message that was or should have been handed to the mail server, and what became of it."""

    recipient: Delivery
    outcome: Outcome


@dataclass
class Courier:
    """One worker's run: its connection to the mail server, the letter that it carries, and what the server did."""

    connection: Connection
    letter: Letter | None = None
    letter_key: tuple[object, ...] = ()
    tally: verdicts.Tally = field(default_factory=verdicts.Tally)
    #: Premieres with a row of dead addresses: not in this run any more.
    set_aside: set[int] = field(default_factory=set)


@in_one_thread
def send_due() -> int:
    """Sends until no delivery is due or the mail server refuses everything; returns how many were handed over."""
    with closing(Connection()) as connection:
        courier = Courier(connection)
        try:
            while not stopping.has_begun() and not pauses.is_closed():
                batch = claim_next(courier.set_aside)
                if batch is None or not send_batch(courier, batch):
                    break
        finally:
            courier.tally.finish()
        return courier.tally.taken


def send_batch(courier: Courier, batch: Batch) -> bool:
    """Sends a batch; False where this run should end. Every delivery is either recorded or given back."""
    letter = letter_for(courier, batch)
    if letter is None:
        batch.let_go()
        return True
    attempt: Attempt | None = None  # the last one, until it is recorded
    try:
        for recipient in batch.paced():
            # What became of one message and the look before the next are one transaction: two would halve the rate.
            go = mark_next(batch, attempt, recipient)
            attempt = None
            if go is Go.STOP:
                break
            if go is Go.SEND:
                attempt = Attempt(recipient, hand_over(courier, recipient, letter))
            if stopping.has_begun() or courier.tally.has_enough:
                break
    finally:
        record_attempt(batch, attempt)
        batch.let_go()
    return may_go_on(courier, batch)


def may_go_on(courier: Courier, batch: Batch) -> bool:
    """Decides who is to blame for failures in a row; returns whether this run may send other batches."""
    if not courier.tally.has_enough:
        return True
    if courier.tally.blames_addresses:
        courier.set_aside.add(batch.premiere.pk)
        return True
    courier.tally.pause()
    return False


@transaction.atomic
def mark_next(batch: Batch, attempt: Attempt | None, recipient: Delivery) -> Go:
    """Records the last attempt, then marks the next delivery as being handed over if that may still happen.

    It locks the premiere's row, so an unpublish is either seen here or waits until the message counts as handed over.
    """
    row = Premiere.objects.select_for_update().filter(pk=batch.premiere.pk)
    # Called off and armed again in between is another premiere: its count says so.
    now = row.values_list("state", "armings").first()
    record_attempt(batch, attempt)
    if now != (Premiere.State.SENDING, batch.premiere.armings):
        return Go.STOP
    # Before the message leaves: after a crash here it counts as perhaps sent, and is never sent twice.
    if batch.held(recipient).submit():
        return Go.SEND
    batch.held(recipient).claimed().cancel("No longer subscribed, or the address is closed.")
    return Go.SKIP


def record_attempt(batch: Batch, attempt: Attempt | None) -> None:
    """Writes what became of an attempt of this worker, also where the sweep already gave it up."""
    if attempt is not None:
        batch.held(attempt.recipient).attempted().record(attempt.outcome)


def hand_over(courier: Courier, recipient: Delivery, letter: Letter) -> Outcome:
    """Hands one message over and returns what to record of it."""
    assert recipient.subscriber is not None  # noqa: S101  # `mark_next` asked whether the reader is subscribed
    ident = message_id(recipient.premiere_id, recipient.subscriber.pk)
    content = letter.for_recipient(recipient.email, recipient.subscriber.token, ident)
    try:
        courier.connection.submit(letter.sender, recipient.email, content)
    except (Refused, Unavailable, AnswerLost) as error:
        courier.tally.note(recipient, error)
        return verdicts.outcome_of(recipient, error)
    courier.tally.note_taken(recipient)
    return Outcome(Delivery.State.SENT)


def letter_for(courier: Courier, batch: Batch) -> Letter | None:
    """The message of the live bake, built again only when that changed; None where there is nothing to send."""
    publication = Publication.objects.live().with_bake().filter(pk=batch.premiere.publication_id).first()
    if publication is None and Publication.objects.dark().filter(pk=batch.premiere.publication_id).exists():
        return None  # it goes on where it stopped if the case ends well
    if publication is None or publication.is_white_label:
        with transaction.atomic():
            arming.cancel(batch.premiere.publication_id)  # which may have been deleted meanwhile
        return None
    # All that the letter shows: to render it for each batch would take longer than to send one.
    key = (batch.premiere.pk, batch.premiere.mode, publication.live_bake_id, publication.updated_at)
    if courier.letter is None or key != courier.letter_key:
        try:
            courier.letter, courier.letter_key = Letter(render(publication, batch.premiere.mode)), key
        except (DatabaseError, OSError):  # which may pass: the next sweep tries again
            batch.let_go()
            raise
        except Exception as error:  # whatever it is, staff decide about this one, and the others go on
            logger.exception("The premiere of %s is held", publication)
            this = Premiere.objects.sending().filter(pk=batch.premiere.pk)
            arming.put_on_hold(this, f"The email could not be made ({type(error).__name__}: {error}).")
            return None
        Premiere.objects.filter(pk=batch.premiere.pk).update(bake=publication.live_bake_id)
    return courier.letter
