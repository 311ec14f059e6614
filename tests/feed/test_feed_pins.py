"""Pins: what staff show above the rest, and when it ends."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import User
from capsules.models import Story
from feed import ranks
from feed.actions import save_pin
from feed.models import Pin
from publishing import actions
from tests.support.forms import sent_by
from tests.support.listing import list_capsules
from tests.support.markup import parsed

pytestmark = pytest.mark.django_db


@pytest.fixture
def cards(north_shore):
    """Six Featured capsules with 0, 10 … 50 views."""
    cards = list_capsules(north_shore, 6, views=lambda index: index * 10)
    Story.objects.update(visibility="featured")
    return cards


def pin(card, tier="featured", **fields) -> Pin:
    """The rank of an existing card follows; its card is left as it is."""
    made = Pin.objects.create(publication=card.publication, tier=tier, **fields)
    ranks.follow_pins()
    return made


def feed(client):
    return [(item["views"], item["pinTier"]) for item in client.get("/api/v2/feed").json()["items"]]


def test_headline_stands_above_featured_above_the_rest(client, cards):
    pin(cards[0], "headline")
    pin(cards[1])
    pin(cards[4], "headline")

    assert feed(client) == [
        (40, "headline"),
        (0, "headline"),
        (10, "featured"),
        (50, None),
        (30, None),
        (20, None),
    ]


@pytest.mark.both_databases
def test_in_a_tier_those_with_a_place_come_first_in_their_order(client, cards):
    pin(cards[0], place=2)
    pin(cards[1], place=1)
    pin(cards[5])

    assert feed(client)[:3] == [(10, "featured"), (0, "featured"), (50, "featured")]


@pytest.fixture
def featured(live_story, owner):
    actions.set_visibility(live_story, "featured", by=Actor.by_token(owner))
    return live_story


def test_a_republish_keeps_the_pin(client, api, featured):
    save_pin(Pin(publication=featured.publication, tier="headline"))
    api.publish(featured, slug="another")
    assert client.get("/api/v2/feed").json()["items"][0]["pinTier"] == "headline"


def test_a_pin_that_comes_too_late_ends_at_once(live_story):
    save_pin(Pin(publication=live_story.publication, tier="headline"))
    assert Pin.objects.get().ended_at is not None


@pytest.fixture
def staff(client):
    client.force_login(User.objects.create_superuser("staff@capsules.example", "demo-only"))
    return client


def fill_in(staff, publication, **fields):
    values = {
        "publication": publication.pk,
        "tier": "headline",
        "starts_at_0": "2026-01-01",
        "starts_at_1": "00:00",
    }
    return staff.post("/admin/feed/pin/add/", {**values, **fields})


@pytest.mark.both_databases
def test_staff_pin_in_the_admin(staff, featured):
    assert fill_in(staff, featured.publication, place="1").status_code == 302

    made = Pin.objects.get()
    assert (made.tier, made.place, made.created_by.email) == ("headline", 1, "staff@capsules.example")
    assert staff.get("/api/v2/feed").json()["items"][0]["pinTier"] == "headline"
    assert staff.get("/admin/feed/pin/").status_code == 200
    assert "Small voyages" in staff.get("/admin/feed/card/?q=small").content.decode()

    assert staff.post(f"/admin/feed/pin/{made.pk}/delete/", {"post": "yes"}).status_code == 302
    assert staff.get("/api/v2/feed").json()["items"][0]["pinTier"] is None


def test_a_form_that_was_open_for_long_leaves_what_somebody_else_set_meanwhile(staff, featured):
    fill_in(staff, featured.publication, place="1")
    made = Pin.objects.get()
    address = f"/admin/feed/pin/{made.pk}/change/"
    (form,) = [each for each in parsed(staff.get(address)).iter("form") if each.get("id") == "pin_form"]
    opened = sent_by(form, next(each for each in form.iter("input") if each.get("name") == "_save"))
    ends_at = timezone.now() + timedelta(days=1)
    Pin.objects.update(ends_at=ends_at, place=2)
    assert staff.post(address, {**opened, "tier": "featured"}).status_code == 302
    made.refresh_from_db()
    assert (made.tier, made.place, made.ends_at) == ("featured", 2, ends_at)
    assert staff.get("/api/v2/feed").json()["items"][0]["pinTier"] == "featured"


@pytest.mark.both_databases
def test_a_start_after_the_end_that_somebody_else_set_meanwhile_is_refused_at_its_field(staff, featured):
    fill_in(staff, featured.publication)
    made = Pin.objects.get()
    address = f"/admin/feed/pin/{made.pk}/change/"
    (form,) = [each for each in parsed(staff.get(address)).iter("form") if each.get("id") == "pin_form"]
    opened = sent_by(form, next(each for each in form.iter("input") if each.get("name") == "_save"))
    Pin.objects.update(ends_at=made.starts_at + timedelta(days=1))
    answer = staff.post(address, {**opened, "starts_at_0": "2026-01-03"})
    assert "must come after the start" in answer.context["adminform"].errors["starts_at"][0]
    made.refresh_from_db()
    assert made.starts_at.day == 1
    assert (
        staff.post(
            address, {**opened, "starts_at_0": "2026-01-03", "ends_at_0": "2026-01-04", "ends_at_1": "00:00"}
        ).status_code
        == 302
    )


def test_staff_cannot_pin_what_is_not_featured(staff, live_story):
    assert fill_in(staff, live_story.publication).status_code == 200  # the form again
    assert not Pin.objects.exists()


@pytest.mark.both_databases
def test_a_capsule_has_one_pin_at_a_time(staff, featured):
    fill_in(staff, featured.publication)
    again = fill_in(staff, featured.publication, tier="featured")
    assert "This capsule has a pin already" in again.content.decode()
    assert Pin.objects.count() == 1
