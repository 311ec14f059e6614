"""Sending against a real SMTP server: what each of its answers, and its silence, leads to."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now

from config import stopping
from publishing.mail import pauses
from publishing.mail.letters import message_id
from publishing.mail.transport import Connection
from publishing.models import Delivery, MailServer, Premiere, Publication, Subscriber, Suppression
from publishing.premieres import arming, claiming, sending, sweeping, verdicts
from publishing.premieres.rendering import render
from publishing.subscribers import actions as subscriptions
from tests.support import factories
from tests.support.mail import begin, subscribe, sweep_at
from tests.support.running import ROOT

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def armed(live_story, north_shore):
    """A live capsule with a premiere, and three subscribers."""
    return subscribe(north_shore, 3)


def only(address: str, stage: str, reply: str):
    """A server that answers `reply` to one address and takes all others."""
    return lambda at, to, count: reply if (at, to) == (stage, address) else None


def delivery(address: str) -> Delivery:
    return Delivery.objects.get(email=address)


def reopen() -> None:
    MailServer.objects.update(paused_until=None)


def retry_now() -> None:
    Delivery.objects.filter(state="pending").update(next_try_at=Now())
    reopen()
    sweeping.run()


def retry_at_a_mended_server(mailbox) -> None:
    mailbox.answer = lambda *args: None
    retry_now()


def oldest_first(monkeypatch) -> None:
    """Premieres are sent in the order in which they were made, not in a random one."""
    at_random = claiming.due_premieres
    monkeypatch.setattr(claiming, "due_premieres", lambda aside: at_random(aside).order_by("pk"))


def test_a_temporary_refusal_is_tried_again_after_a_minute_and_then_arrives_once(armed, mailbox):
    mailbox.answer = only(armed[0], "RCPT", "451 4.3.0 come back")
    sweep_at()
    waiting = delivery(armed[0])
    assert (waiting.state, waiting.refusals) == ("pending", 1)
    assert "come back" in waiting.error
    soon = Delivery.objects.filter(
        pk=waiting.pk, next_try_at__range=(Now() + timedelta(seconds=50), Now() + timedelta(seconds=61))
    )
    assert soon.exists()
    assert Premiere.objects.get().state == "sending"

    retry_at_a_mended_server(mailbox)
    assert mailbox.addresses == armed
    assert Premiere.objects.get().state == "done"


@pytest.mark.parametrize("answer, state", [("554 5.7.1 no", "failed"), ("451 4.3.0 later", "pending")])
def test_a_refusal_counts_also_where_the_server_goes_away_after_it(answer, state, armed, mailbox):
    mailbox.answer = only(armed[0], "DATA", f"{answer} and hang up")
    sweep_at()
    assert delivery(armed[0]).state == state
    assert mailbox.addresses == armed[1:]
    assert not pauses.is_closed()


@pytest.mark.parametrize("answer, state", [("252 queued", "sent"), ("hello there", "uncertain")])
def test_only_what_a_server_refused_is_sent_again(answer, state, armed, mailbox):
    mailbox.answer = only(armed[0], "DATA", answer)
    sweep_at()
    retry_now()
    assert delivery(armed[0]).state == state
    assert mailbox.addresses == armed


@pytest.mark.parametrize("leaving", ["421 4.7.0 enough for one conversation", "hang up"])
def test_a_server_that_takes_a_few_messages_a_conversation_pauses_nothing(
    leaving, live_story, north_shore, mailbox
):
    emails = subscribe(north_shore, 10)
    taken: dict[int, int] = {}

    def enough(stage: str, to: str, count: int) -> str | None:
        if stage == "DATA":
            taken[mailbox.sessions] = taken.get(mailbox.sessions, 0) + 1
        return leaving if stage == "MAIL" and taken.get(mailbox.sessions, 0) >= 3 else None

    mailbox.answer = enough
    sweep_at()
    assert mailbox.addresses == emails
    assert mailbox.sessions == 4
    assert not pauses.is_closed()


def test_dead_addresses_of_one_workspace_hold_up_no_other(
    live_story, north_shore, harbour, rendered, api, mailbox, person, monkeypatch
):
    dead = subscribe(north_shore, 30)
    alive = [f"living-{n}@readers.example" for n in range(30)]
    subscriptions.import_confirmed(harbour, [(email, "Counter.") for email in alive])
    other = factories.make_story(harbour, rendered, title="Far shores")
    assert api.as_(person("stranger")).publish(other).status_code == 200
    mailbox.answer = lambda stage, to, n: "550 5.1.1 no such user" if stage == "RCPT" and to in dead else None
    Premiere.objects.update(due_at=Now())
    oldest_first(monkeypatch)
    assert sweeping.run() == 30
    assert mailbox.addresses == sorted(alive)
    assert not pauses.is_closed()
    assert Suppression.objects.count() == 10, "those of this run"


def test_five_retries_are_all(armed, mailbox):
    mailbox.answer = only(armed[0], "DATA", "452 4.2.2 mailbox full")
    sweep_at()
    for _ in range(5):
        retry_now()
    assert delivery(armed[0]).state == "failed"
    assert Premiere.objects.get().counts() == {"sent": 2, "failed": 1}


def test_an_address_that_does_not_exist_fails_at_once_and_is_closed_for_everybody(armed, mailbox, harbour):
    mailbox.answer = only(armed[0], "RCPT", "550 5.1.1 no such user")
    sweep_at()
    assert delivery(armed[0]).state == "failed"
    assert Suppression.objects.get().email == armed[0]
    subscribe(harbour, 3)
    assert Subscriber.objects.filter(workspace=harbour).reachable().count() == 2


def test_a_server_that_took_nothing_at_all_closes_no_address(armed, mailbox):
    mailbox.answer = lambda stage, to, count: "550 5.1.1 relay lost its list" if stage == "RCPT" else None
    sweep_at()
    assert pauses.is_closed()
    assert not Suppression.objects.exists()
    assert Delivery.objects.filter(state="pending", refusals=1).count() == 3
    retry_at_a_mended_server(mailbox)
    assert mailbox.addresses == armed


def test_a_server_that_refuses_a_short_list_for_good_ends_it_after_the_last_try(armed, mailbox):
    mailbox.answer = lambda stage, to, count: "554 5.7.1 no relaying" if stage == "RCPT" else None
    sweep_at()
    for _ in range(5):
        retry_now()
    assert Premiere.objects.get().counts() == {"failed": 3}
    assert Premiere.objects.get().state == "done"


def test_a_second_chance_makes_a_premiere_go_on_that_another_worker_took_for_done(armed, mailbox):
    mailbox.answer = lambda stage, to, count: "554 5.7.1 no relaying" if stage == "RCPT" else None
    pause = verdicts.Tally.pause

    def late(tally):
        sweeping.finish()
        assert Premiere.objects.get().state == "done"
        pause(tally)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(verdicts.Tally, "pause", late)
        sweep_at()
    assert Premiere.objects.get().state == "sending"
    retry_at_a_mended_server(mailbox)
    assert mailbox.addresses == armed
    assert Premiere.objects.get().state == "done"


def test_a_server_that_never_answers_pauses_all_sending_after_three_messages(
    live_story, north_shore, mailbox
):
    emails = subscribe(north_shore, 8)
    mailbox.answer = lambda stage, to, count: "hang up" if stage == "DATA" else None
    sweep_at()
    assert pauses.is_closed()
    assert "without an answer" in MailServer.objects.get().reason
    assert Premiere.objects.get().counts() == {"uncertain": 3, "pending": 5}
    retry_at_a_mended_server(mailbox)
    assert mailbox.addresses == emails


def test_a_refusal_for_another_reason_closes_no_address(armed, mailbox):
    mailbox.answer = only(armed[0], "RCPT", "554 5.7.1 not today")
    sweep_at()
    assert delivery(armed[0]).state == "failed"
    assert not Suppression.objects.exists()


def test_a_lost_answer_is_uncertain_and_never_sent_again(armed, mailbox):
    mailbox.answer = lambda stage, to, count: "hang up" if (stage, to) == ("DATA", armed[0]) else None
    sweep_at()
    retry_now()
    assert delivery(armed[0]).state == "uncertain"
    assert mailbox.addresses == armed, "the server had it, and the others got theirs"
    assert Premiere.objects.get().state == "done"


def test_staff_can_send_uncertain_ones_again(armed, mailbox):
    mailbox.answer = lambda stage, to, count: "hang up" if (stage, to) == ("DATA", armed[0]) else None
    sweep_at()
    mailbox.answer = lambda *args: None
    assert arming.resend_uncertain(Premiere.objects.get()) == 1
    sweeping.run()
    assert mailbox.twice() == [armed[0]]
    assert Premiere.objects.get().counts() == {"sent": 3}


def test_a_server_that_refuses_everything_pauses_all_sending_and_costs_nobody_a_try(armed, mailbox):
    mailbox.answer = lambda stage, to, count: "454 4.7.0 not you" if stage == "MAIL" else None
    sweep_at()
    assert pauses.is_closed()
    mailbox.answer = lambda *args: None
    assert sweeping.run() == 0 and mailbox.taken == [], "it waits for the end of the pause"
    assert Delivery.objects.filter(state="pending", refusals=0).count() == 3
    retry_at_a_mended_server(mailbox)
    assert mailbox.addresses == armed
    assert MailServer.objects.get().failures == 0


@pytest.mark.parametrize("leaving", ["421 4.3.2 not for this one", "hang up"])
def test_who_makes_the_server_leave_waits_behind_all_others(leaving, armed, mailbox):
    mailbox.answer = only(armed[0], "RCPT", leaving)
    sweep_at()
    assert pauses.is_closed()
    reopen()
    sweeping.run()
    assert mailbox.addresses == armed[1:]
    assert (delivery(armed[0]).state, delivery(armed[0]).refusals) == ("pending", 1)
    retry_at_a_mended_server(mailbox)
    assert mailbox.addresses == armed


def test_who_makes_the_server_leave_at_the_last_try_too_has_failed(armed, mailbox):
    mailbox.answer = only(armed[0], "RCPT", "hang up")
    sweep_at()
    reopen()
    sweeping.run()
    for _ in range(5):
        assert delivery(armed[0]).state == "pending"
        retry_now()
    assert Premiere.objects.get().counts() == {"sent": 2, "failed": 1}
    assert Premiere.objects.get().state == "done"


def test_an_unreachable_server_pauses_twice_as_long_each_time(armed, mailbox, settings):
    settings.EMAIL_PORT = 1
    minutes = []
    for _ in range(3):
        sweep_at()
        assert pauses.is_closed()
        row = MailServer.objects.annotate(now=Now()).get()
        minutes.append(round((row.paused_until - row.now).total_seconds() / 60))
        reopen()
    assert minutes == [1, 2, 4]


def test_ten_refusals_in_a_row_are_the_servers_fault_and_close_no_address(live_story, north_shore, mailbox):
    emails = subscribe(north_shore, 30)
    mailbox.answer = lambda stage, to, count: "550 5.1.1 relay lost its list" if stage == "RCPT" else None
    sweep_at()
    assert pauses.is_closed()
    assert not Suppression.objects.exists()
    assert Delivery.objects.filter(state="failed").count() == 0
    retry_at_a_mended_server(mailbox)
    assert mailbox.addresses == emails


def test_dead_addresses_in_a_row_are_closed_after_their_last_try(live_story, north_shore, mailbox):
    emails = subscribe(north_shore, 30)
    dead = [f"reader-{n}@readers.example" for n in range(1, 13)]
    mailbox.answer = lambda stage, to, n: "550 5.1.1 no such user" if stage == "RCPT" and to in dead else None
    sweep_at()
    assert mailbox.taken == []
    reopen()
    sweeping.run()
    assert mailbox.addresses == sorted(set(emails) - set(dead))
    assert set(Suppression.objects.values_list("email", flat=True)) == set(dead[10:])
    for _ in range(5):
        retry_now()
    assert Premiere.objects.get().counts() == {"sent": 18, "failed": 12}
    assert set(Suppression.objects.values_list("email", flat=True)) == set(dead)


def leave(email: str) -> None:
    Subscriber.objects.filter(email=email).update(unsubscribed_at=Now())


def close(email: str) -> None:
    Suppression.objects.create(email=email, reason=Suppression.Reason.COMPLAINT)


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
    assert delivery(gone[0]).state == "cancelled"


def in_a_thread(call: Callable[..., Any], *arguments: Any) -> None:
    """Runs the call by a connection of its own, and waits for it."""

    def run() -> None:
        call(*arguments)
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def test_who_confirms_after_sending_began_waits_for_the_next_premiere(armed, mailbox, north_shore):
    mailbox.answer = lambda stage, to, count: "421 later" if stage == "MAIL" else None
    sweep_at()
    subscribe(north_shore, 4)
    retry_at_a_mended_server(mailbox)
    assert mailbox.addresses == armed


def test_what_a_dead_worker_had_only_claimed_is_sent_by_the_next(armed, mailbox, settings):
    settings.PREMIERE_LEASE = -1  # over before the next look, however quick
    begin(Premiere.objects.get())
    assert claiming.claim_next() is not None
    settings.PREMIERE_LEASE = 120
    sweeping.run()
    assert mailbox.addresses == armed


def test_what_a_dead_worker_was_handing_over_stays_uncertain(armed, mailbox, settings):
    settings.PREMIERE_LEASE = -1  # over before the next look, however quick
    begin(Premiere.objects.get())
    batch = claiming.claim_next()
    assert sending.look(batch, None, batch.recipients[0]) is sending.Go.SEND
    settings.PREMIERE_LEASE = 120
    sweeping.run()
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
    assert sending.look(old, None, old.recipients[0]) is sending.Go.STOP
    assert sending.send_batch(sending.Courier(Connection()), old)
    assert mailbox.taken == []
    sweeping.run()
    assert len(mailbox.taken) == 3


@pytest.mark.parametrize("change", [{"mode": "WHITE_LABEL"}, {"published_at": None}])
def test_what_is_not_announced_any_more_when_its_turn_comes_is_called_off(change, armed, mailbox):
    begin(Premiere.objects.get())
    Publication.objects.update(**change)
    assert sweeping.run() == 0
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
    assert sweeping.run() == 2
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


def test_a_bounce_comes_back_to_the_sender_of_the_settings(armed, mailbox, settings):
    settings.DEFAULT_FROM_EMAIL = "Capsules <mail@capsules.example>"
    froms = set()
    mailbox.answer = lambda stage, address, count: froms.add(address) if stage == "MAIL" else None
    sweep_at()
    assert froms == {"mail@capsules.example"}


def test_a_process_sends_by_one_connection_at_a_time(armed, mailbox):
    begin(Premiere.objects.get())
    with sweeping._sender:
        assert sweeping.send() == 0
    assert sweeping.send() == 3


def test_one_connection_carries_many_messages(live_story, north_shore, mailbox):
    subscribe(north_shore, 60)
    sweep_at()
    assert len(mailbox.taken) == 60
    assert mailbox.sessions == 1


def test_the_rate_is_kept(live_story, north_shore, mailbox, settings):
    settings.MAIL_RATE = 20
    subscribe(north_shore, 21)
    started = time.monotonic()
    sweep_at()
    assert time.monotonic() - started >= 1
    assert len(mailbox.taken) == 21


def test_two_rounds_share_the_rate(north_shore, settings):
    settings.MAIL_RATE = 10
    assert pauses.reserve(20) == 0
    assert 1.5 < pauses.reserve(20) <= 2


def test_without_a_mail_server_every_mail_becomes_a_readable_file(armed, settings, tmp_path):
    settings.EMAIL_BACKEND = "config.outbox.OutboxBackend"
    settings.OUTBOX_DIR = tmp_path / "outbox"
    sweep_at()
    files = sorted(settings.OUTBOX_DIR.glob("*.eml"))
    assert len(files) == 3
    assert "This is scene 1 of Small voyages." in files[0].read_text()


def test_a_premiere_that_cannot_be_made_is_held_with_its_error_and_stops_no_other(
    armed, mailbox, live_story, north_shore, rendered, api, monkeypatch, caplog
):
    oldest_first(monkeypatch)
    broken = Publication.objects.get(story=live_story).live_bake
    author = broken.content.pop("author")
    broken.save()
    api.publish(factories.make_story(north_shore, rendered, title="Far shores"))
    Premiere.objects.update(due_at=Now())
    sweeping.run()
    held = Premiere.objects.get(publication__story=live_story)
    assert (held.state, held.note) == ("held", "The email could not be made (KeyError: 'author').")
    assert "The premiere of Publication of Small voyages is held" in caplog.messages
    assert mailbox.addresses == armed
    assert mailbox.mail(armed[0])["Subject"] == "Far shores"

    broken.content["author"] = author
    broken.save()
    arming.release(held)
    sweeping.run()
    assert mailbox.addresses == sorted(armed * 2)
    assert not Premiere.objects.exclude(state="done").exists()


def test_a_held_premiere_goes_out_when_staff_release_it(armed, mailbox):
    sweep_at(timedelta(hours=25))
    arming.release(Premiere.objects.get())
    sweeping.run()
    assert mailbox.addresses == armed


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
    monkeypatch.setattr(sweeping, "run", sweep)
    worker = threading.Thread(target=sweeping.run_forever, daemon=True)
    worker.start()
    worker.join(10)
    assert not worker.is_alive() and len(rounds) == 3
    assert min(later - earlier for earlier, later in pairwise(rounds)) >= 0.1
    assert caplog.messages == ["A sweep of the premieres failed; the next one follows in 0.1 s"]


def test_subscribers_are_enrolled_in_chunks(live_story, north_shore, mailbox, monkeypatch):
    monkeypatch.setattr(sweeping, "ENROL_CHUNK", 4)
    emails = subscribe(north_shore, 10)
    sweep_at()
    assert mailbox.addresses == emails


def test_an_unpublish_stops_a_premiere_between_two_messages(api, live_story, north_shore, mailbox):
    subscribe(north_shore, 20)
    answered: list[int] = []

    def unpublish_at_the_fifth(stage: str, to: str, count: int) -> None:
        if stage == "DATA" and count == 4:
            in_a_thread(lambda: answered.append(api.unpublish(live_story).status_code))

    mailbox.answer = unpublish_at_the_fifth
    sweep_at()
    assert answered == [200]
    assert len(mailbox.taken) == 5, "the message in flight, and none after it"
    sweeping.run()
    assert Premiere.objects.get().counts() == {"sent": 5, "cancelled": 15}


@pytest.mark.parametrize("scheme, ssl, starttls", [("smtp", 0, 0), ("smtp+tls", 0, 1), ("smtps", 1, 0)])
def test_the_scheme_of_the_mail_server_says_how_it_is_reached(scheme, ssl, starttls):
    told = "import config.settings as s; print(*(int(getattr(s, f'EMAIL_USE_{way}', 0)) for way in ('SSL', 'TLS')))"
    env = {**os.environ, "EMAIL_URL": f"{scheme}://user:password@mail.example:465"}
    run = subprocess.run(
        [sys.executable, "-c", told], cwd=ROOT, env=env, check=True, capture_output=True, text=True
    )
    assert run.stdout == f"{ssl} {starttls}\n"
