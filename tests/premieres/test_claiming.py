"""How a sender takes hold of deliveries: how many, at which rate, for how long, and of which premieres."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from publishing.models import Delivery, MailServer, Premiere
from publishing.premieres import claiming
from tests.support import factories
from tests.support.mail import begin, subscribe

pytestmark = pytest.mark.django_db


@pytest.fixture
def begun(live_story, north_shore) -> Premiere:
    """A premiere of three deliveries that are due."""
    subscribe(north_shore, 3)
    return begin(Premiere.objects.get())


def lease_ends() -> set[float]:
    """In how many seconds, in tens."""
    ends = Delivery.objects.values_list("lease_until", flat=True)
    return {round((end - timezone.now()).total_seconds(), -1) for end in ends if end}


def test_a_batch_is_renewed_after_a_quarter_of_its_lease_and_not_before(begun, settings):
    settings.PREMIERE_LEASE = 120
    batch = claiming.claim_next()
    assert batch is not None and lease_ends() == {120}
    Delivery.objects.update(lease_until=Now() + timedelta(seconds=60))
    batch.renewed = time.monotonic() - 25
    batch.renew()
    assert lease_ends() == {60}
    batch.renewed = time.monotonic() - 31
    batch.renew()
    assert lease_ends() == {120} and time.monotonic() - batch.renewed < 5
    Delivery.objects.update(lease_until=Now() + timedelta(seconds=60))
    batch.renew()
    assert lease_ends() == {60}


def test_what_was_not_touched_is_given_back_and_no_more(begun):
    batch = claiming.claim_next()
    first, *others = batch.recipients
    batch.held(first).submit()
    batch.let_go()
    assert {row.pk: row.state for row in Delivery.objects.all()} == {
        first.pk: "submitting",
        **{other.pk: "pending" for other in others},
    }
    assert claiming.claim_next().recipients == others


def test_each_recipient_of_a_batch_has_its_own_moment(begun, settings, monkeypatch):
    batch = claiming.claim_next()
    settings.MAIL_RATE = 5
    began = time.monotonic()
    moments = [time.monotonic() - began for _ in batch.paced()]
    assert len(moments) == 3
    assert all(moment >= number / 5 - 0.01 for number, moment in enumerate(moments))
    settings.MAIL_RATE = 0
    monkeypatch.setattr(claiming, "wait", lambda seconds: pytest.fail("without a rate nobody waits"))
    assert list(batch.paced()) == batch.recipients


def test_a_batch_is_no_larger_than_the_rate_lets_through_in_a_quarter_of_the_lease(begun, settings):
    settings.PREMIERE_LEASE = 120
    sizes = []
    for settings.MAIL_RATE in (0, 50, 1, 0.5, 0.001):
        sizes.append(claiming.batch_size())
    assert sizes == [claiming.BATCH, claiming.BATCH, 30, 15, 1]
    settings.MAIL_RATE, settings.PREMIERE_LEASE = 10, 0.8
    assert [len(claiming.claim_next().recipients), len(claiming.claim_next().recipients)] == [2, 1]
    assert claiming.claim_next() is None


def test_where_nothing_is_due_no_share_of_the_rate_is_taken(begun, settings):
    settings.MAIL_RATE = 10
    assert claiming.claim_next([begun.pk]) is None
    Delivery.objects.update(next_try_at=Now() + timedelta(minutes=1))
    assert claiming.claim_next() is None
    assert not MailServer.objects.filter(next_free_at__isnull=False).exists()


def test_each_worker_holds_its_own_and_the_longest_waiting_go_first(begun, settings, monkeypatch):
    monkeypatch.setattr(claiming, "BATCH", 1)
    rows = list(Delivery.objects.order_by("pk"))
    for minutes, row in enumerate(rows):
        Delivery.objects.filter(pk=row.pk).update(next_try_at=Now() - timedelta(minutes=minutes))
    batches = [claiming.claim_next() for _ in rows]
    assert [batch.recipients for batch in batches] == [[row] for row in reversed(rows)]
    assert len({batch.lease for batch in batches}) == 3
    assert [batch.held(*rows).get() for batch in batches] == list(reversed(rows))


def test_only_premieres_with_something_due_of_workspaces_in_good_standing_are_sent(
    begun, api, north_shore, rendered
):
    other = factories.make_story(north_shore, rendered, title="Far shores")
    api.publish(other, premiereEmailMode="FULL")
    later = begin(Premiere.objects.exclude(pk=begun.pk).get())
    later.deliveries.update(next_try_at=Now() + timedelta(minutes=1))
    assert list(claiming.due_premieres([])) == [begun]
    assert list(claiming.due_premieres([begun.pk])) == []
    later.deliveries.update(next_try_at=Now())
    assert set(claiming.due_premieres([])) == {begun, later}
    north_shore.suspended_at = timezone.now()
    north_shore.save()
    assert list(claiming.due_premieres([])) == []
