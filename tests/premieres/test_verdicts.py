"""What an answer of the mail server means, for one recipient and for everybody else's mail, case by case."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from publishing.mail import pauses
from publishing.mail.transport import AnswerLost, Failure, HungUp, Refused, Unavailable
from publishing.models import Delivery, MailServer, Outcome, Premiere, Suppression
from publishing.premieres import verdicts
from tests.support import factories
from tests.support.mail import begin, subscribe

pytestmark = pytest.mark.django_db

BUSY = Refused(451, "4.3.0 busy")
DEAD = Refused(550, "5.1.1 no such user")
MINUTES = [1, 5, 30, 120, 360]


@pytest.mark.parametrize(
    "error, refusals, state, words, minutes",
    [
        (AnswerLost("It went away."), 0, "uncertain", "It went away.", None),
        (Unavailable("It is down."), 0, "pending", "It is down.", None),
        (HungUp("It left."), 0, "pending", "It left.", 1),
        (HungUp("It left."), 5, "failed", "It left.", None),
        (DEAD, 0, "failed", "The mail server refused it: 550 5.1.1 no such user", None),
        *((BUSY, n, "pending", "The mail server said: later. 451 4.3.0 busy", MINUTES[n]) for n in range(5)),
        (BUSY, 5, "failed", "The mail server said: later. 451 4.3.0 busy", None),
    ],
)
def test_what_one_answer_makes_of_a_delivery(error, refusals, state, words, minutes):
    wait = Now() + timedelta(minutes=minutes) if minutes else None
    outcome = verdicts.outcome_of(Delivery(refusals=refusals), error)
    assert outcome == Outcome(Delivery.State(state), words, wait, is_refusal=bool(minutes))


def tally_of(*answers: Failure | int, tally: verdicts.Tally | None = None) -> verdicts.Tally:
    """After these answers, each for another recipient; a number: it took the mail of one put off so often."""
    tally = tally or verdicts.Tally()
    for answer in answers:
        address = f"reader-{len(tally.refused)}@readers.example"
        if isinstance(answer, int):
            tally.note_taken(Delivery(email=address, refusals=answer))
        else:
            tally.note(Delivery(email=address), answer)
    return tally


LOST = AnswerLost("It went away.")


@pytest.mark.parametrize(
    "answers, has_enough, blames_addresses",
    [
        ([LOST] * 2, False, True),
        ([LOST] * 3, True, False),
        ([LOST, LOST, 0, LOST, LOST], False, True),
        ([LOST, LOST, 0, LOST, LOST, LOST], True, False),
        ([BUSY] * 9, False, False),
        ([BUSY] * 10, True, False),
        ([DEAD] * 10, True, True),
        ([DEAD] * 9 + [BUSY], True, False),
        ([BUSY] * 9 + [0, BUSY], False, False),
        ([Unavailable("It is down.")], True, False),
        ([Refused(451, "4.7.1 greylisted")] * 10, False, True),
    ],
)
def test_when_there_is_enough_to_decide_who_is_to_blame(answers, has_enough, blames_addresses):
    tally = tally_of(*answers)
    assert (tally.has_enough, tally.blames_addresses) == (has_enough, blames_addresses)
    assert tally.taken == answers.count(0)


def test_a_server_that_took_what_was_put_off_is_asked_on_whatever_it_puts_off():
    assert len(tally_of(0, BUSY).refused) == 1
    greylisting = tally_of(1, 0, BUSY)
    assert greylisting.refused == []
    assert len(tally_of(DEAD, tally=greylisting).refused) == 1, "it refuses that one for good"


def test_the_first_message_that_it_takes_ends_a_pause():
    pauses.close("It is down.")
    tally_of(0)
    assert (pauses.is_closed(), MailServer.objects.get().failures) == (False, 0)


def closed() -> list[tuple[str, str, str]]:
    return list(Suppression.objects.order_by("email").values_list("email", "reason", "detail"))


def test_at_the_end_of_a_run_dead_addresses_are_closed_if_it_took_anything():
    Suppression.objects.create(email="reader-1@readers.example", reason="complaint", detail="Unwanted.")
    tally_of(0, DEAD, DEAD, DEAD, Refused(554, "5.7.1 not today")).finish()
    assert not pauses.is_closed()
    assert closed() == [
        ("reader-0@readers.example", "bounce", "550 5.1.1 no such user"),
        ("reader-1@readers.example", "complaint", "Unwanted."),
        ("reader-2@readers.example", "bounce", "550 5.1.1 no such user"),
    ]


@pytest.mark.parametrize("refusals, pauses_all", [(2, False), (3, True)])
def test_at_the_end_of_a_run_in_which_it_took_nothing_three_refusals_pause(refusals, pauses_all):
    tally_of(*[DEAD] * refusals).finish()
    assert (pauses.is_closed(), closed()) == (pauses_all, [])


@pytest.mark.parametrize(
    "answers, reason",
    [
        ([BUSY, DEAD, Refused(554, "5.7.1 no")], "The mail server refuses everything: 554 5.7.1 no"),
        ([LOST] * 3, "The mail server takes messages and goes away without an answer."),
        ([BUSY, BUSY, Unavailable("It is down.")], "It is down."),
    ],
)
def test_a_pause_says_why(answers, reason):
    tally_of(*answers).pause()
    assert MailServer.objects.get().reason == reason


@pytest.mark.parametrize("whose, closes", [("its own", True), ("another premiere", False)])
def test_a_dead_address_is_closed_after_its_last_try_if_the_server_took_others_of_the_premiere(
    whose, closes, api, live_story, north_shore, rendered
):
    subscribe(north_shore, 2)
    api.publish(factories.make_story(north_shore, rendered, title="Another"))
    own, another = (begin(premiere) for premiere in Premiere.objects.order_by("created_at"))
    taken = {"its own": own, "another premiere": another}[whose]
    taken.deliveries.filter(email="reader-2@readers.example").record(Outcome(Delivery.State.SENT))
    given_up = own.deliveries.get(email="reader-1@readers.example")
    given_up.refusals = 5
    verdicts.give_another_chance([(given_up, DEAD)])
    assert [email for email, *_ in closed()] == (["reader-1@readers.example"] if closes else [])


def test_who_was_refused_for_good_before_a_pause_is_tried_again_later_and_the_others_first(
    live_story, north_shore
):
    subscribe(north_shore, 3)
    refused = list(begin(Premiere.objects.get()).deliveries.order_by("email"))
    for recipient, refusal in zip(refused, (DEAD, BUSY, BUSY), strict=True):
        Delivery.objects.filter(pk=recipient.pk).record(verdicts.outcome_of(recipient, refusal))
    refused[2].refusals = verdicts.ASKED_FIRST
    verdicts.give_another_chance(list(zip(refused, (DEAD, BUSY, BUSY), strict=True)))

    final, first, waiting = Delivery.objects.order_by("email")
    assert (final.state, final.refusals) == ("pending", 1)
    assert final.error == "The mail server refused it: 550 5.1.1 no such user"
    soon = timezone.now() + timedelta(seconds=30)
    assert final.next_try_at > soon and waiting.next_try_at > soon
    assert first.next_try_at == Premiere.objects.get().created_at
