"""Who sends, and when: workers that die, rounds, rates, and what is called off or left out when its turn comes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now

from accounts.actions import erasing
from config import stopping
from publishing.mail import pauses
from publishing.mail.letters import message_id
from publishing.mail.transport import Connection
from publishing.models import Delivery, Premiere, Publication, Subscriber, Suppression
from publishing.premieres import claiming, sending, sweeping
from publishing.premieres.rendering import render
from publishing.subscribers import actions as subscriptions
from tests.support import factories
from tests.support.mail import begin, subscribe, sweep_at

pytestmark = pytest.mark.django_db


def leave(email: str) -> None:
    Subscriber.objects.filter(email=email).update(unsubscribed_at=Now())


def close(email: str) -> None:
    Suppression.objects.create(email=email, reason=Suppression.Reason.COMPLAINT)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("ends", [leave, close])
def test_who_left_or_was_closed_between_enrolment_and_their_turn_gets_nothing(ends, armed, mailbox):
    def end_after_the_first(stage: str, to: str, count: int) -> None:
        if stage == "DATA" and count == 0:
            gone.append(next(email for email in armed if email != to))
            in_a_thread(ends, gone[0])

    gone: list[str] = []
    mailbox.answer = end_after_the_first
    sweep_at()
    assert mailbox.addresses == sorted(set(armed) - set(gone))
    assert Delivery.objects.get(email=gone[0]).state == "cancelled"


def in_a_thread(call: Callable[..., Any], *arguments: Any) -> None:
    """Runs the call by a connection of its own, and waits for it."""

    def run() -> None:
        call(*arguments)
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


@pytest.mark.both_databases
def test_what_a_dead_worker_was_handing_over_stays_uncertain(armed, mailbox, settings):
    settings.PREMIERE_LEASE = -1  # over before the next look, however quick
    begin(Premiere.objects.get())
    batch = claiming.claim_next()
    assert sending.mark_next(batch, None, batch.recipients[0]) is sending.Go.SEND
    settings.PREMIERE_LEASE = 120
    sweeping.send_due_premieres()
    assert Premiere.objects.get().counts() == {"sent": 2, "uncertain": 1}
    assert Premiere.objects.get().state == "done"


def test_a_sender_of_an_earlier_round_stops_although_the_premiere_is_being_sent_again(
    api, live_story, north_shore, mailbox
):
    """Of two rounds only the later one sends: the number of the round tells them apart."""
    subscribe(north_shore, 3)
    premiere = begin(Premiere.objects.get())
    old = claiming.claim_next()
    api.unpublish(live_story)
    api.publish(live_story)
    begin(premiere)
    assert Premiere.objects.get().state == "sending"
    assert sending.mark_next(old, None, old.recipients[0]) is sending.Go.STOP
    assert sending.send_batch(sending.Courier(Connection()), old)
    assert mailbox.taken == []
    sweeping.send_due_premieres()
    assert len(mailbox.taken) == 3


def test_the_round_goes_on_where_a_workspace_was_deleted_meanwhile(armed, mailbox, north_shore, owner):
    begin(Premiere.objects.get())
    batch = claiming.claim_next()
    erasing.erase_workspace(north_shore, by=owner)
    assert sending.send_batch(sending.Courier(Connection()), batch)
    assert mailbox.taken == []


@pytest.mark.parametrize("change", [{"mode": "WHITE_LABEL"}, {"published_at": None}])
def test_what_is_not_announced_any_more_when_its_turn_comes_is_called_off(change, armed, mailbox):
    begin(Premiere.objects.get())
    Publication.objects.update(**change)
    assert sweeping.send_due_premieres() == 0
    premiere = Premiere.objects.get()
    assert premiere.state == "cancelled" and premiere.may_be_armed_again
    assert mailbox.taken == []


def test_what_is_not_live_when_it_is_due_is_called_off_and_may_come_again(armed, mailbox):
    Publication.objects.update(published_at=None)
    premiere = sweep_at()
    assert (premiere.state, premiere.note) == ("cancelled", "The capsule was unpublished.")
    assert premiere.may_be_armed_again
    assert mailbox.taken == []


def test_each_premiere_of_a_run_has_its_own_letter_mode_and_bake(
    live_story, north_shore, mailbox, rendered, api
):
    (address,) = subscribe(north_shore, 1)
    api.publish(factories.make_story(north_shore, rendered, title="Another"), premiereEmailMode="FULL")
    Premiere.objects.update(due_at=Now())
    assert sweeping.send_due_premieres() == 2
    for subject, is_whole in (("Small voyages", False), ("Another", True)):
        raw = next(raw for to, raw in mailbox.taken if f"Subject: {subject}".encode() in raw)
        assert (f"This is scene 3 of {subject}".encode() in raw) is is_whole
        premiere = Premiere.objects.get(publication__story__title=subject)
        assert premiere.bake == premiere.publication.live_bake
        ident = message_id(premiere.pk, Subscriber.objects.get(email=address).pk)
        assert f"Message-ID: {ident}".encode() in raw


def test_the_letter_of_a_round_is_made_once(live_story, north_shore, mailbox, monkeypatch):
    made = []
    monkeypatch.setattr(sending, "render", lambda *args: made.append(args) or render(*args))
    monkeypatch.setattr(claiming, "BATCH", 2)
    subscribe(north_shore, 5)
    sweep_at()
    assert (len(mailbox.taken), len(made)) == (5, 1)


@pytest.mark.django_db(transaction=True)
def test_a_process_sends_by_one_connection_at_a_time(armed, mailbox, monkeypatch):
    begin(Premiere.objects.get())
    runs: list[int] = []

    def after_another_run(set_aside: set[int]) -> claiming.Batch | None:
        second = threading.Thread(target=lambda: runs.append(sending.send_due()), daemon=True)
        second.start()
        second.join(20)
        return claiming.claim_next(set_aside)

    monkeypatch.setattr(sending, "claim_next", after_another_run)
    assert sending.send_due() == 3
    assert set(runs) == {0}


def test_one_connection_carries_many_messages(live_story, north_shore, mailbox, monkeypatch):
    monkeypatch.setattr(claiming, "BATCH", 4)
    subscribe(north_shore, 12)
    sweep_at()
    assert len(mailbox.taken) == 12
    assert mailbox.sessions == 1


def test_the_rate_is_kept(live_story, north_shore, mailbox, settings):
    settings.MAIL_RATE = 20
    subscribe(north_shore, 9)
    started = time.monotonic()
    sweep_at()
    assert time.monotonic() - started >= 0.4
    assert len(mailbox.taken) == 9


def test_two_rounds_share_the_rate(north_shore, settings):
    settings.MAIL_RATE = 1
    assert pauses.reserve(20) == 0
    assert 15 < pauses.reserve(20) <= 20


def test_a_sweep_that_fails_ends_its_round_only(monkeypatch, settings, caplog):
    settings.SWEEP_INTERVAL = 0.1
    rounds = []

    def sweep() -> None:
        rounds.append(time.monotonic())
        if len(rounds) == 1:
            raise OSError("The disk is full.")
        if len(rounds) == 3:
            stopping.begin()

    monkeypatch.setattr(stopping, "_ends_at", None)
    monkeypatch.setattr(stopping, "_told", threading.Event())
    monkeypatch.setattr(sweeping, "send_due_premieres", sweep)
    worker = threading.Thread(target=sweeping.run_forever, daemon=True)
    worker.start()
    worker.join(10)
    assert not worker.is_alive() and len(rounds) == 3
    assert min(later - earlier for earlier, later in pairwise(rounds)) >= 0.1
    assert caplog.messages == ["A sweep of the premieres failed; the next one follows in 0.1 s"]


@pytest.mark.both_databases
def test_who_subscribes_while_a_premiere_is_enrolled_gets_the_next_one(
    live_story, north_shore, mailbox, monkeypatch
):
    monkeypatch.setattr(sweeping, "ENROL_CHUNK", 2)
    early = subscribe(north_shore, 3)
    real = sweeping.enrol_chunk

    def one_more(pk: int) -> bool:
        is_more = real(pk)
        subscriptions.import_confirmed(north_shore, [("late@readers.example", "Signed at the counter.")])
        return is_more

    monkeypatch.setattr(sweeping, "enrol_chunk", one_more)
    sweep_at()
    assert mailbox.addresses == early


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_an_unpublish_stops_a_premiere_between_two_messages(api, live_story, north_shore, mailbox):
    subscribe(north_shore, 8)
    answered: list[int] = []

    def unpublish_at_the_third(stage: str, to: str, count: int) -> None:
        if stage == "DATA" and count == 2:
            in_a_thread(lambda: answered.append(api.unpublish(live_story).status_code))

    mailbox.answer = unpublish_at_the_third
    sweep_at()
    assert answered == [200]
    assert len(mailbox.taken) == 3, "the message in flight, and none after it"
    sweeping.send_due_premieres()
    assert Premiere.objects.get().counts() == {"sent": 3, "cancelled": 5}
