"""What the answers of the mail server mean: for one recipient, and for everybody else's mail."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import timedelta

from django.db.models.functions import Now

from publishing.mail import pauses
from publishing.mail.transport import AnswerLost, Failure, HungUp, Refused, Unavailable
from publishing.models import Delivery, Outcome, Premiere, Suppression
from publishing.premieres import arming

logger = logging.getLogger(__name__)

State = Delivery.State
RETRIES = [timedelta(minutes=m) for m in (1, 5, 30, 120, 360)]
#: So many different addresses refused in a row mean that the server refuses everything; fewer will do in a run in which
#: it took nothing at all.
REFUSALS_IN_A_ROW, REFUSALS_AND_NOTHING_TAKEN = 10, 3
LOST_IN_A_ROW = 3  # answers
#: After a pause the recipients that led to it are asked again before others, at most so often: a server that only
#: takes what comes back is then seen through, and ten bad addresses do not hold up the others for long.
ASKED_FIRST = 3


def outcome_of(recipient: Delivery, error: Failure) -> Outcome:
    """What one recipient's delivery becomes when the server did not say that it has the message."""
    if isinstance(error, AnswerLost):
        return Outcome(State.UNCERTAIN, str(error))
    if isinstance(error, HungUp):  # maybe because of this recipient, who therefore waits behind all others
        return put_off(recipient, str(error))
    if isinstance(error, Unavailable):  # nobody was asked
        return Outcome(State.PENDING, str(error))
    if error.is_final:
        return Outcome(State.FAILED, f"The mail server refused it: {error}")
    return put_off(recipient, f"The mail server said: later. {error}")


def put_off(recipient: Delivery, error: str) -> Outcome:
    """It is tried again by RETRIES; after the last of them it has failed."""
    if is_at_last_try(recipient):
        return Outcome(State.FAILED, error)
    return Outcome(State.PENDING, error, Now() + RETRIES[recipient.refusals], is_refusal=True)


def is_at_last_try(recipient: Delivery) -> bool:
    return recipient.refusals >= len(RETRIES)


@dataclass
class Tally:
    """What the mail server did in one run of a sender, as far as it says something about the server."""

    taken: int = 0
    refused: list[tuple[Delivery, Refused]] = field(default_factory=list)  # in a row
    lost: int = 0  # answers in a row
    unavailable: Unavailable | None = None
    takes_what_comes_back: bool = False  # it took a message that was put off before: it greylists

    def note_taken(self, recipient: Delivery) -> None:
        if not self.taken:
            pauses.open_again()
        self.taken += 1
        self.lost = 0
        self.takes_what_comes_back = self.takes_what_comes_back or recipient.refusals > 0
        self.close_dead()

    def note(self, recipient: Delivery, error: Failure) -> None:
        if isinstance(error, AnswerLost):
            self.lost += 1
        elif isinstance(error, Unavailable):
            self.unavailable = error
        elif not self.is_the_recipients(error):
            self.refused.append((recipient, error))

    def is_the_recipients(self, refusal: Refused) -> bool:
        """Whether it is about this recipient alone, whose mail has to wait."""
        return not refusal.is_final and (refusal.is_of_the_recipient or self.takes_what_comes_back)

    @property
    def loses_answers(self) -> bool:
        return self.lost >= LOST_IN_A_ROW

    @property
    def has_enough(self) -> bool:
        """Whether there are enough failures to decide who is to blame before the next message."""
        return bool(self.unavailable) or self.loses_answers or len(self.refused) >= REFUSALS_IN_A_ROW

    @property
    def blames_addresses(self) -> bool:
        """The server names the addresses; the mail of another premiere will show whether it is right."""
        if self.unavailable or self.loses_answers:
            return False
        return all(refusal.address_is_dead for _, refusal in self.refused)

    def close_dead(self) -> None:
        """Closes addresses that do not exist, once the server has shown by another message that it is not to blame."""
        close_dead(self.refused)
        self.refused.clear()

    def finish(self) -> None:
        """What is left to decide at the end of a run."""
        if self.taken and not self.has_enough:
            self.close_dead()
        elif len(self.refused) >= REFUSALS_AND_NOTHING_TAKEN:
            self.pause()

    def pause(self) -> None:
        """The server is to blame: all sending pauses, and those that it refused get another chance."""
        reason = self.reason()
        pauses.close(reason)
        logger.warning("Premieres pause: %s", reason)
        give_another_chance(self.refused)
        self.refused.clear()

    def reason(self) -> str:
        if self.unavailable:
            return str(self.unavailable)
        if self.loses_answers:
            return "The mail server takes messages and goes away without an answer."
        return f"The mail server refuses everything: {self.refused[-1][1]}"


def give_another_chance(refused: list[tuple[Delivery, Refused]]) -> None:
    """What the server refused before it paused is tried again. Deliveries on their last attempt stay failed.

    If the server took the mail of others of these premieres, the addresses among them that do not exist are closed.
    """
    again = [(recipient, refusal) for recipient, refusal in refused if not is_at_last_try(recipient)]
    final = [(recipient, refusal) for recipient, refusal in again if refusal.is_final]
    arming.retry_failed({r.pk: put_off(r, f"The mail server refused it: {refusal}") for r, refusal in final})
    asked_first = [r.pk for r, refusal in again if not refusal.is_final and r.refusals < ASKED_FIRST]
    Delivery.objects.filter(pk__in=asked_first).ask_first()

    given_up = [(recipient, refusal) for recipient, refusal in refused if is_at_last_try(recipient)]
    theirs = Premiere.objects.filter(deliveries__in=[recipient.pk for recipient, _ in given_up])
    if Delivery.objects.filter(premiere__in=theirs, state=State.SENT).exists():
        close_dead(given_up)


def close_dead(refused: list[tuple[Delivery, Refused]]) -> None:
    """Closes addresses that do not exist, so that no workspace writes to them any more."""
    dead = [(recipient.email, str(refusal)) for recipient, refusal in refused if refusal.address_is_dead]
    if dead:
        bounce = Suppression.Reason.BOUNCE
        Suppression.objects.bulk_create(
            [Suppression(email=email, reason=bounce, detail=detail) for email, detail in dead],
            ignore_conflicts=True,
        )
