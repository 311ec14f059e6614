"""The premiere of what was taken down waits. It goes out when readers can see the capsule again, at most a day late."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from publishing.models import Premiere
from publishing.moderation import actions as moderation
from publishing.premieres import sweeping
from tests.support.forms import press
from tests.support.mail import begin, subscribe, sweep_at

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.both_databases,
]


def state() -> str:
    return Premiere.objects.get().state


def test_it_is_held_and_goes_out_at_the_next_sweep(live_story, north_shore, freeze, staff, mailbox):
    subscribe(north_shore, 2)
    case = freeze(live_story)
    assert sweep_at().state == "held" and not mailbox.taken
    Premiere.objects.update(due_at=Now() - timedelta(hours=1))
    sweeping.send_due_premieres()
    assert state() == "held" and not mailbox.taken
    moderation.lift(case, by=staff)
    sweeping.send_due_premieres()
    assert len(mailbox.taken) == 2


def test_one_that_is_being_sent_stops_at_once_and_goes_on_where_it_stopped(
    live_story, north_shore, freeze, staff, mailbox
):
    emails = subscribe(north_shore, 4)
    begin(Premiere.objects.get())
    case = freeze(live_story)
    sweeping.send_due_premieres()
    assert state() == "held" and not mailbox.taken
    moderation.lift(case, by=staff)
    sweeping.send_due_premieres()
    assert sorted(mailbox.addresses) == sorted(emails)
    sweeping.send_due_premieres()
    assert state() == "done" and len(mailbox.taken) == 4


def test_its_owner_calls_it_off_while_the_capsule_is_taken_down(live_story, freeze, owner, client):
    freeze(live_story)
    Premiere.objects.update(state="held")
    client.force_login(owner)
    page = client.get(f"/studio/stories/{live_story.pk}/publish")
    press(client, page, "Cancel the email, forever")
    assert state() == "cancelled"
