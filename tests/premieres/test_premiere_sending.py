"""Sending against a real SMTP server: what each of its answers, and its silence, leads to."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from config.settings import mail_server
from publishing.mail import pauses
from publishing.models import Delivery, MailServer, Premiere, Publication, Subscriber, Suppression
from publishing.premieres import arming, claiming, sweeping, verdicts
from publishing.subscribers import actions as subscriptions
from tests.support import factories
from tests.support.mail import subscribe, sweep_at

pytestmark = pytest.mark.django_db


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
    sweeping.send_due_premieres()


def retry_at_a_mended_server(mailbox) -> None:
    mailbox.answer = lambda *args: None
    retry_now()


def oldest_first(monkeypatch) -> None:
    """Premieres are sent in the order in which they were made, not in a random one."""
    at_random = claiming.due_premieres
    monkeypatch.setattr(claiming, "due_premieres", lambda aside: at_random(aside).order_by("pk"))


@pytest.mark.both_databases
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


def test_a_refusal_counts_also_where_the_server_goes_away_after_it(armed, mailbox):
    mailbox.answer = only(armed[0], "DATA", "554 5.7.1 no and hang up")
    sweep_at()
    assert delivery(armed[0]).state == "failed"
    assert mailbox.addresses == armed[1:]
    assert not pauses.is_closed()


def test_only_what_a_server_refused_is_sent_again(armed, mailbox):
    mailbox.answer = only(armed[0], "DATA", "hello there")
    sweep_at()
    retry_now()
    assert delivery(armed[0]).state == "uncertain"
    assert mailbox.addresses == armed


def test_a_server_that_takes_a_few_messages_a_conversation_pauses_nothing(live_story, north_shore, mailbox):
    emails = subscribe(north_shore, 10)
    taken: dict[int, int] = {}

    def enough(stage: str, to: str, count: int) -> str | None:
        if stage == "DATA":
            taken[mailbox.sessions] = taken.get(mailbox.sessions, 0) + 1
        return "hang up" if stage == "MAIL" and taken.get(mailbox.sessions, 0) >= 3 else None

    mailbox.answer = enough
    sweep_at()
    assert mailbox.addresses == emails
    assert mailbox.sessions == 4
    assert not pauses.is_closed()


@pytest.mark.both_databases
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
    assert sweeping.send_due_premieres() == 30
    assert mailbox.addresses == sorted(alive)
    assert not pauses.is_closed()
    assert Suppression.objects.count() == 10, "those of this run"


@pytest.mark.both_databases
def test_an_address_that_does_not_exist_fails_at_once_and_is_closed_for_everybody(armed, mailbox, harbour):
    mailbox.answer = only(armed[0], "RCPT", "550 5.1.1 no such user")
    sweep_at()
    assert delivery(armed[0]).state == "failed"
    assert Suppression.objects.get().email == armed[0]
    subscribe(harbour, 3)
    assert Subscriber.objects.filter(workspace=harbour).reachable().count() == 2


@pytest.mark.both_databases
def test_a_second_chance_makes_a_premiere_go_on_that_another_worker_took_for_done(armed, mailbox):
    mailbox.answer = lambda stage, to, count: "554 5.7.1 no relaying" if stage == "RCPT" else None
    pause = verdicts.Tally.pause

    def late(tally):
        sweeping.close_finished()
        assert Premiere.objects.get().state == "done"
        pause(tally)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(verdicts.Tally, "pause", late)
        sweep_at()
    assert Premiere.objects.get().state == "sending"
    retry_at_a_mended_server(mailbox)
    assert mailbox.addresses == armed
    assert Premiere.objects.get().state == "done"


def test_a_lost_answer_is_uncertain_and_never_sent_again(armed, mailbox):
    mailbox.answer = lambda stage, to, count: "hang up" if (stage, to) == ("DATA", armed[0]) else None
    sweep_at()
    retry_now()
    assert delivery(armed[0]).state == "uncertain"
    assert mailbox.addresses == armed, "the server had it, and the others got theirs"
    assert Premiere.objects.get().state == "done"


def test_a_server_that_refuses_everything_pauses_all_sending_and_costs_nobody_a_try(armed, mailbox):
    mailbox.answer = lambda stage, to, count: "454 4.7.0 not you" if stage == "MAIL" else None
    sweep_at()
    assert pauses.is_closed()
    mailbox.answer = lambda *args: None
    assert sweeping.send_due_premieres() == 0 and mailbox.taken == [], "it waits for the end of the pause"
    assert Delivery.objects.filter(state="pending", refusals=0).count() == 3
    retry_at_a_mended_server(mailbox)
    assert mailbox.addresses == armed
    assert MailServer.objects.get().failures == 0


def test_who_makes_the_server_leave_waits_behind_all_others(armed, mailbox):
    mailbox.answer = only(armed[0], "RCPT", "hang up")
    sweep_at()
    assert pauses.is_closed()
    reopen()
    sweeping.send_due_premieres()
    assert mailbox.addresses == armed[1:]
    assert (delivery(armed[0]).state, delivery(armed[0]).refusals) == ("pending", 1)
    retry_at_a_mended_server(mailbox)
    assert mailbox.addresses == armed


def test_ten_refusals_in_a_row_are_the_servers_fault_and_close_no_address(live_story, north_shore, mailbox):
    emails = subscribe(north_shore, 12)
    mailbox.answer = lambda stage, to, count: "550 5.1.1 relay lost its list" if stage == "RCPT" else None
    sweep_at()
    assert pauses.is_closed()
    assert not Suppression.objects.exists()
    assert Delivery.objects.filter(state="failed").count() == 0
    retry_at_a_mended_server(mailbox)
    assert mailbox.addresses == emails


@pytest.mark.both_databases
def test_dead_addresses_in_a_row_are_closed_after_their_last_try(live_story, north_shore, mailbox):
    emails = subscribe(north_shore, 14)
    dead = [f"reader-{n}@readers.example" for n in range(1, 13)]
    mailbox.answer = lambda stage, to, n: "550 5.1.1 no such user" if stage == "RCPT" and to in dead else None
    sweep_at()
    assert mailbox.taken == []
    reopen()
    sweeping.send_due_premieres()
    assert mailbox.addresses == sorted(set(emails) - set(dead))
    assert set(Suppression.objects.values_list("email", flat=True)) == set(dead[10:])
    for _ in range(5):
        retry_now()
    assert Premiere.objects.get().counts() == {"sent": 2, "failed": 12}
    assert Premiere.objects.get().state == "done"
    assert set(Suppression.objects.values_list("email", flat=True)) == set(dead)


def test_a_bounce_comes_back_to_the_sender_of_the_settings(armed, mailbox, settings):
    settings.DEFAULT_FROM_EMAIL = "Capsules <mail@capsules.example>"
    froms = set()
    mailbox.answer = lambda stage, address, count: froms.add(address) if stage == "MAIL" else None
    sweep_at()
    assert froms == {"mail@capsules.example"}


def test_without_a_mail_server_every_mail_becomes_a_readable_file(armed, settings, tmp_path):
    settings.EMAIL_BACKEND = "config.outbox.OutboxBackend"
    settings.OUTBOX_DIR = tmp_path / "outbox"
    sweep_at()
    files = sorted(settings.OUTBOX_DIR.glob("*.eml"))
    assert len(files) == 3
    assert "This is scene 1 of Small voyages." in files[0].read_text()


@pytest.mark.both_databases
def test_a_premiere_that_cannot_be_made_is_held_with_its_error_and_stops_no_other(
    armed, mailbox, live_story, north_shore, rendered, api, monkeypatch, caplog
):
    oldest_first(monkeypatch)
    broken = Publication.objects.get(story=live_story).live_bake
    cover = broken.content.pop("cover")
    broken.save()
    api.publish(factories.make_story(north_shore, rendered, title="Far shores"))
    Premiere.objects.update(due_at=Now())
    sweeping.send_due_premieres()
    held = Premiere.objects.get(publication__story=live_story)
    assert (held.state, held.note) == ("held", "The email could not be made (KeyError: 'cover').")
    assert "The premiere of Publication of Small voyages is held" in caplog.messages
    assert mailbox.addresses == armed
    assert mailbox.mail(armed[0])["Subject"] == "Far shores"

    broken.content["cover"] = cover
    broken.save()
    arming.release_premiere(held)
    sweeping.send_due_premieres()
    assert mailbox.addresses == sorted(armed * 2)
    assert not Premiere.objects.exclude(state="done").exists()


@pytest.mark.parametrize("scheme, ssl, starttls", [("smtp", 0, 0), ("smtp+tls", 0, 1), ("smtps", 1, 0)])
def test_the_scheme_of_the_mail_server_says_how_it_is_reached(scheme, ssl, starttls):
    told = mail_server(f"{scheme}://user:password@mail.example:465")
    assert [bool(told.get(f"EMAIL_USE_{way}")) for way in ("SSL", "TLS")] == [ssl, starttls]
