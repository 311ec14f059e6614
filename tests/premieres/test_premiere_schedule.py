"""Which publish announces a capsule, and what calls it off: subscribers hear of a capsule once or never."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db.models import Sum
from django.db.models.functions import Now
from django.utils import timezone

from publishing.actions import publication_of
from publishing.models import Premiere
from publishing.premieres import arming, sweeping
from tests.support import factories
from tests.support.mail import begin, subscribe, sweep_at

pytestmark = pytest.mark.django_db


def state() -> str:
    return Premiere.objects.get().state


def test_every_confirmed_subscriber_gets_one_mail_when_it_is_due(api, ready_story, north_shore, mailbox):
    emails = subscribe(north_shore, 3)
    api.publish(ready_story)
    assert sweeping.send_due_premieres() == 0, "nothing goes out before it is due"

    Premiere.objects.update(due_at=Now())
    assert sweeping.send_due_premieres() == 3
    assert sweeping.send_due_premieres() == 0

    assert mailbox.addresses == emails
    assert (state(), Premiere.objects.get().mode) == ("done", "TEASER"), "where no mode is given"


@pytest.mark.both_databases
def test_it_is_due_by_the_databases_clock(api, ready_story, settings):
    settings.PREMIERE_DELAY = 300
    api.publish(ready_story)
    soon = Premiere.objects.filter(
        due_at__gt=Now() + timedelta(seconds=290), due_at__lt=Now() + timedelta(seconds=301)
    )
    assert soon.exists()


def test_who_was_refused_before_it_was_called_off_gets_it_when_it_is_armed_again(
    api, live_story, north_shore, mailbox
):
    emails = subscribe(north_shore, 2)
    mailbox.answer = lambda stage, to, n: "554 5.7.1 not today" if stage == "RCPT" else None
    sweep_at()
    assert set(Premiere.objects.get().counts()) == {"failed"}
    Premiere.objects.update(state="sending")  # another worker has not finished it yet
    api.unpublish(live_story)
    mailbox.answer = lambda *args: None
    api.publish(live_story)
    sweep_at()
    assert mailbox.addresses == emails


def taken_back(api, story) -> None:
    api.publish(story)
    api.unpublish(story)


def published_quietly(api, story) -> None:
    api.publish(story, premiereEmailMode="OFF")
    api.unpublish(story)


def announced(api, story) -> None:
    api.publish(story)
    sweep_at()
    api.unpublish(story)


@pytest.mark.parametrize(
    "before, announces",
    [
        (lambda api, story: None, True),
        (taken_back, True),
        (published_quietly, False),
        (announced, False),
    ],
    ids=["never published", "taken back in time", "published quietly", "announced"],
)
def test_it_is_known_beforehand_whether_a_publish_announces(
    before, announces, api, ready_story, north_shore, mailbox
):
    subscribe(north_shore, 1)
    before(api, ready_story)
    foretold = arming.announces(publication_of(ready_story))
    rounds = Premiere.objects.aggregate(rounds=Sum("armings"))["rounds"]
    api.publish(ready_story)
    announced = Premiere.objects.aggregate(rounds=Sum("armings"))["rounds"] != rounds
    assert (foretold, announced) == (announces, announces)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_sender_is_woken_when_it_is_due_and_at_once_when_staff_release_it(
    queue, api, ready_story, settings
):
    settings.PREMIERE_DELAY = 300
    api.publish(ready_story)
    [moment] = queue(arming.SEND_TASK)
    assert abs(moment - timezone.now() - timedelta(seconds=300)) < timedelta(seconds=20)

    sweep_at(timedelta(hours=25))
    arming.release_premiere(Premiere.objects.get())
    assert queue(arming.SEND_TASK) == [None]


def test_operators_hold_what_is_going_out_and_staff_release_it(
    api, live_story, north_shore, rendered, mailbox, capsys
):
    subscribe(north_shore, 1)
    gone = factories.make_story(north_shore, rendered, title="Taken back")
    api.publish(gone)
    api.unpublish(gone)
    begun = factories.make_story(north_shore, rendered, title="Begun")
    api.publish(begun)
    begin(Premiere.objects.get(publication__story=begun))

    call_command("hold_premieres", because="Restored to 03:14.")
    assert capsys.readouterr().out == "2 premieres are held.\n"
    sweeping.send_due_premieres()
    assert mailbox.taken == []
    rows = Premiere.objects.values_list("publication__story__title", "state", "note")
    assert set(rows) == {
        ("Small voyages", "held", "Restored to 03:14."),
        ("Begun", "held", "Restored to 03:14."),
        ("Taken back", "cancelled", "The capsule was unpublished."),
    }


def test_a_capsule_unpublished_in_time_is_never_announced(api, live_story, north_shore, mailbox):
    subscribe(north_shore, 2)
    assert api.unpublish(live_story).status_code == 200
    assert sweep_at().state == "cancelled"
    assert mailbox.taken == []


def test_republishing_or_renaming_never_sends_again(api, live_story, north_shore, mailbox):
    subscribe(north_shore, 2)
    sweep_at()
    api.publish(live_story, premiereEmailMode="FULL")
    api.publish(live_story, slug="another-name", premiereEmailMode="FULL")
    api.unpublish(live_story)
    api.publish(live_story, premiereEmailMode="FULL")
    sweeping.send_due_premieres()
    assert len(mailbox.taken) == 2
    assert Premiere.objects.get().mode == "TEASER"


@pytest.mark.parametrize(
    "body, note",
    [
        ({"premiereEmailMode": "OFF"}, "Published quietly (OFF)."),
        ({"publicationMode": "WHITE_LABEL"}, "A white-label publication sends no premiere email."),
    ],
    ids=["OFF", "WHITE_LABEL"],
)
def test_cancelled_and_then_published_quietly_stays_quiet_and_says_why(body, note, api, live_story):
    api.unpublish(live_story)
    api.publish(live_story, **body)
    api.unpublish(live_story)
    api.publish(live_story, publicationMode="STANDARD", premiereEmailMode="FULL")
    assert (state(), Premiere.objects.get().note) == ("cancelled", note)


@pytest.mark.both_databases
def test_an_armed_premiere_begins_anew(api, live_story, north_shore, mailbox):
    first = Premiere.objects.values().get()
    subscribe(north_shore, 1)
    mailbox.answer = lambda stage, address, count: "421 later" if stage == "MAIL" else None
    sweep_at()
    api.unpublish(live_story)
    assert Premiere.objects.get().finished_at
    api.publish(live_story, premiereEmailMode="FULL")
    again = Premiere.objects.values().get()
    assert {key for key in first if first[key] != again[key]} == {"due_at", "armings", "bake_id", "mode"}
    assert again["mode"] == "FULL"


def test_a_republish_as_white_label_calls_it_off_for_good(api, live_story, north_shore, mailbox):
    subscribe(north_shore, 1)
    api.publish(live_story, publicationMode="WHITE_LABEL")
    assert sweep_at().state == "cancelled"
    assert "white-label" in Premiere.objects.get().note
    api.unpublish(live_story)
    api.publish(live_story, publicationMode="STANDARD", premiereEmailMode="FULL")
    assert sweep_at().state == "cancelled"
    assert mailbox.taken == []


def test_an_edition_shown_through_its_capsule_has_no_premiere_of_its_own(
    api, live_story, rendered, north_shore
):
    edition = factories.make_edition(live_story, rendered)
    assert api.publish(edition, premiereEmailMode="FULL").status_code == 200
    assert Premiere.objects.get().publication.story == live_story


def test_a_shown_edition_that_takes_its_capsule_live_announces_the_capsule(api, ready_story, rendered):
    edition = factories.make_edition(ready_story, rendered)
    api.publish(edition, premiereEmailMode="FULL")
    premiere = Premiere.objects.get()
    assert (premiere.publication.story, premiere.mode) == (ready_story, "FULL")


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_publishing_works_without_a_broker(api, ready_story, north_shore, mailbox, dead_broker):
    subscribe(north_shore, 1)
    assert api.publish(ready_story).status_code == 200
    sweep_at()
    assert len(mailbox.taken) == 1


def test_a_failed_publish_arms_nothing(api, ready_story, north_shore, harbour):
    harbour.name = "north-shore"
    harbour.name_claimed_at = ready_story.created_at
    harbour.save()
    assert api.publish(ready_story).status_code == 409
    assert not Premiere.objects.exists()
