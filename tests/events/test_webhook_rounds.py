"""The sender of a process: whoever is slow, dead or broken costs the others nothing."""

from __future__ import annotations

import json
import threading
import time
from contextlib import ExitStack, contextmanager
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.actors import Actor
from accounts.events import numbering
from accounts.events.types import sample
from accounts.models import Webhook, WebhookDelivery, WorkspaceEvent
from accounts.webhooks import actions, calling, rounds, sending, signing
from accounts.webhooks.dispatching import dispatch
from config.leases import lease_end
from tests.publishing.test_races import at_once
from tests.support.locks import noted_locks
from tests.support.receiver import receiver


def make(workspace, url: str, **more) -> Webhook:
    hook = Webhook(workspace=workspace, url=url, **more)
    signing.give_keys(hook)
    hook.save()
    return hook


def tell(workspace, count: int = 1) -> None:
    WorkspaceEvent.objects.bulk_create(
        WorkspaceEvent(workspace=workspace, type="story.restored", data=sample("story.restored"))
        for _ in range(count)
    )


@contextmanager
def running():
    """The sender, as a worker runs it."""
    own, over = rounds.Rounds(), threading.Event()

    def forever() -> None:
        while not over.is_set():
            own.run(1.0)

    thread = threading.Thread(target=forever)
    thread.start()
    try:
        yield own
    finally:
        over.set()
        own.look.set()
        thread.join()
        until = time.monotonic() + 30
        while own.turns and time.monotonic() < until:
            time.sleep(0.05)


def seconds_until(there, count: int = 1, *, within: float = 20) -> float:
    begun = time.monotonic()
    while len(there.got) < count and time.monotonic() - begun < within:
        time.sleep(0.02)
    return time.monotonic() - begun


def slowly(seconds: float, is_over: threading.Event | None = None):
    """Answers after so long, or at once when it is over."""

    def answer(handler) -> None:
        (is_over or threading.Event()).wait(seconds)
        handler.send_response(204)
        handler.end_headers()

    return answer


@pytest.mark.django_db(transaction=True)
def test_who_is_dead_costs_the_others_nothing(north_shore, harbour, monkeypatch):
    """Others of the same workspace, and of other ones; also while nobody knows yet who is dead."""
    monkeypatch.setattr(calling, "EXCHANGE", 50)  # so that whoever waits for the dead waits too long
    with ExitStack() as stack:
        dead, own, other = (stack.enter_context(receiver()) for _ in range(3))
        dead.answer = slowly(55, is_over := threading.Event())
        for number in range(9):
            make(north_shore, f"{dead.url}/{number}")
        make(north_shore, own.url)
        make(harbour, other.url)
        tell(north_shore, 30)
        with running() as sender:
            assert seconds_until(own, 30, within=40) < 40, "in the same workspace, while it finds out"
            tell(harbour)
            sender.look.set()
            assert seconds_until(other) < 20, "in another workspace"
            tell(north_shore)
            sender.look.set()
            assert seconds_until(own, 31) < 20, "in the same workspace"
            numbers = [json.loads(got.body)["sequence"] for got in own.got]
            assert numbers == list(range(1, 32)) and len(dead.got) >= 9
            Webhook.objects.filter(url__startswith=dead.url).update(is_on=False)
            is_over.set()


@pytest.mark.django_db
def test_who_was_slow_the_last_time_begins_where_the_slow_are(north_shore, monkeypatch):
    begun = []

    def serve(pk, turn) -> None:
        begun.append(turn.is_slow)
        turn.longest = 2 * sending.SLOW if len(begun) == 1 else 0.0

    monkeypatch.setattr(rounds, "serve_webhook", serve)
    make(north_shore, "http://127.0.0.1:9/", next_at=timezone.now())
    own = rounds.Rounds()
    for _ in range(3):
        own.look.clear()
        own.begin()
        assert own.look.wait(30)
    assert begun == [False, True, False]


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_quick_webhooks_take_turns_where_there_is_no_room_for_all(north_shore, harbour, monkeypatch):
    monkeypatch.setattr(rounds, "ROOM", {False: 1, True: 1})
    monkeypatch.setattr(sending, "TURN", 60)
    with receiver() as busy, receiver() as other:
        busy.answer = slowly(0.05)
        make(north_shore, busy.url)
        make(harbour, other.url)
        tell(north_shore, 300)
        with running() as sender:
            seconds_until(busy)
            tell(harbour)
            sender.look.set()
            assert seconds_until(other, within=40) < 30 < sending.TURN
            assert len(busy.got) < 80, "four seconds of its calls"
            Webhook.objects.update(is_on=False)


@pytest.mark.django_db
def test_no_connection_of_the_database_is_held_while_a_receiver_is_called(north_shore, monkeypatch):
    held = []
    monkeypatch.setattr(sending, "release_connection", lambda: held.append("released"))
    monkeypatch.setattr(
        calling.Caller, "call", lambda *args: held.append("called") or calling.Outcome(204, None, 1)
    )
    make(north_shore, "http://127.0.0.1:9/")
    tell(north_shore, 2)
    sending.send_due_webhooks()
    assert held == ["released", "called", "called"]


@pytest.mark.django_db
@pytest.mark.parametrize("broken", ["key", "call", "body"])
def test_what_fails_by_a_fault_of_ours_is_noted_and_comes_again(north_shore, settings, monkeypatch, broken):
    with receiver() as there:
        make(north_shore, there.url)
        tell(north_shore)
        if broken == "key":
            settings.SECRET_KEY = "another one of the service, of more than fifty characters"
        elif broken == "call":
            monkeypatch.setattr(calling.Caller, "exchange", lambda *args, **kwargs: 1 / 0)
        else:
            monkeypatch.setattr(sending, "body", lambda event: 1 / 0)
        for _ in range(3):
            sending.send_due_webhooks()
    row = WebhookDelivery.objects.get()
    told = sending.UNSIGNED if broken == "key" else calling.OUR_FAULT
    assert [attempt["error"] for attempt in row.attempts] == [told]
    assert row.next_attempt_at > timezone.now() + timedelta(seconds=3) and Webhook.objects.get().failing_since


@pytest.mark.django_db
def test_a_turn_that_ends_in_an_error_is_followed_by_a_pause(north_shore, monkeypatch):
    with receiver() as there:
        hook = make(north_shore, there.url)
        tell(north_shore)
        monkeypatch.setattr(sending, "record_tries", lambda *args: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            sending.send_due_webhooks()
        assert sending.send_due_webhooks() == 0 and len(there.got) == 1
    hook.refresh_from_db()
    assert hook.lease_token is None and hook.next_at > timezone.now() + timedelta(seconds=3)


@pytest.mark.both_databases
@pytest.mark.django_db
@pytest.mark.parametrize("meanwhile", ["taken over", "deleted"])
def test_who_lost_a_webhook_in_the_middle_stops(north_shore, monkeypatch, meanwhile):
    """What another worker holds by now, or nobody, is neither sent on nor given back."""
    monkeypatch.setattr(sending, "BATCH", 1)
    with receiver() as there:
        hook = make(north_shore, there.url)
        tell(north_shore, 3)
        record = sending.record_tries

        def recorded(*args):
            count = record(*args)
            if meanwhile == "deleted":
                Webhook.objects.filter(pk=hook.pk).delete()
            else:
                Webhook.objects.filter(pk=hook.pk).update(lease_token=None, lease_until=None)
                assert Webhook.objects.lease(hook.pk, 60)
            return count

        monkeypatch.setattr(sending, "record_tries", recorded)
        assert sending.send_due_webhooks() == 1
        assert len(there.got) == 1
    assert meanwhile == "deleted" or Webhook.objects.get().lease_token is not None


@pytest.mark.django_db
def test_the_sender_rests_while_all_that_is_due_is_being_served(north_shore):
    hook = make(north_shore, "http://127.0.0.1:9/", next_at=timezone.now() - timedelta(seconds=5))
    Webhook.objects.update(lease_until=lease_end(60), lease_token="6f1f3b52-6e6e-4a43-8f6f-0d9b0c1d2e3f")
    assert rounds.until_next(timezone.now()) == float("inf")
    Webhook.objects.update(next_at=timezone.now() + timedelta(seconds=30))
    assert 25 < rounds.until_next(timezone.now()) <= 30
    assert hook.pk and connection.vendor


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_whoever_is_deleted_while_events_are_handed_on_costs_the_others_none(north_shore, owner):
    stays, by = make(north_shore, "https://stays.invalid"), Actor.by_token(owner)
    for number in range(20 if connection.vendor == "postgresql" else 2):
        goes = make(north_shore, "https://goes.invalid")
        tell(north_shore)
        at_once([lambda goes=goes: actions.delete_webhook(goes, by=by), lambda: dispatch(north_shore.pk)])
        assert stays.deliveries.count() == number + 1


@pytest.mark.both_databases
@pytest.mark.django_db
def test_events_are_handed_on_to_webhooks_that_nobody_deletes_meanwhile(north_shore, owner):
    hook = make(north_shore, "https://ink.invalid")
    tell(north_shore)
    numbering.number_events(north_shore.pk)
    with noted_locks() as locked:
        dispatch(north_shore.pk)
    assert locked[:2] == ["accounts_workspacelog", "accounts_webhook"]
    with noted_locks() as locked:
        actions.replay(hook, after=0, by=Actor.by_token(owner))
    assert locked == ["accounts_workspacelog", "accounts_webhook"], (
        "the log first, or two wait for each other"
    )
