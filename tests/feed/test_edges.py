"""Positions, pins, ranks and the hub of the lists: each rule with its edges."""

from __future__ import annotations

from datetime import timedelta

import pytest
import requests
from django.core.exceptions import ValidationError
from django.utils import timezone

from capsules.models import Story
from feed import actions, hub, lists, ranks
from feed.models import Card, FeedChange, FeedRank, Pin, pinnable
from publishing.models import Publication, ViewCount
from tests.support.rows import taken_back

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
MOST = 2**48 - 1  # views
#: What differs of a pin, and whether it runs.
PINS = [
    ({}, True),
    ({"starts_at": HOUR}, False),
    ({"ends_at": HOUR}, True),
    ({"ends_at": -HOUR, "starts_at": -2 * HOUR}, False),
    ({"ended_at": -HOUR}, False),
]
#: What happens to a featured capsule, and whether it can still be pinned.
CHANGES = [
    ({}, True),
    ({"visibility": "public"}, False),
    ({"visibility": "unlisted"}, False),
    ("unpublished", False),
    ("frozen", False),
]


@pytest.fixture
def publication(live_story) -> Publication:
    Story.objects.update(visibility="featured")
    found = Publication.objects.get()
    actions.relist(found.pk)
    return found


@pytest.mark.parametrize("views, tier, place, key", [
    (7, None, None, 7), (7, "featured", None, 1 << 56 | 7), (7, "featured", 1, 1 << 56 | 255 << 48 | 7),
    (7, "featured", 255, 1 << 56 | 1 << 48 | 7), (7, "headline", None, 2 << 56 | 7),
    (0, "headline", 2, 2 << 56 | 254 << 48), (MOST, "headline", 1, 2 << 56 | 255 << 48 | MOST),
])  # fmt: skip
def test_the_key_of_a_place_in_the_feed(views, tier, place, key):
    assert ranks.sort_key(views, tier and Pin(tier=tier, place=place)) == key
    rank = FeedRank(sort_key=key)
    assert (rank.views, rank.pin_tier) == (views, tier)


def test_which_pins_run_and_move_their_capsule(publication):
    for fields, runs in PINS:
        with taken_back():
            now = timezone.now()
            moments = {"starts_at": now - HOUR} | {name: now + age for name, age in fields.items()}
            Pin.objects.create(publication=publication, **moments)
            assert Pin.objects.running().exists() is runs
            ranks.follow_pins()
            assert FeedRank.objects.get().pin_tier == ("featured" if runs else None)
            Pin.objects.all().delete()
            ranks.follow_pins()
            assert FeedRank.objects.get().pin_tier is None, "what has ended moves nothing"


def test_only_what_is_live_and_featured_can_be_pinned_and_stays_so(publication):
    for change, may in CHANGES:
        with taken_back():
            pin = Pin.objects.create(publication=publication)
            if isinstance(change, dict):
                Story.objects.update(**change)
            elif change == "unpublished":
                Publication.objects.update(published_at=None)
            else:
                Publication.objects.update(frozen_at=timezone.now())
            assert pinnable().exists() is may
            if may:
                pin.clean()
            else:
                with pytest.raises(ValidationError):
                    pin.clean()
            actions.relist(publication.pk)
            assert (Pin.objects.get().ended_at is None) is may
            listed = may or change == {"visibility": "public"}
            assert Card.objects.exists() is FeedRank.objects.exists() is listed


def test_ranks_follow_views_and_keep_their_pin(publication):
    actions.save_pin(Pin(publication=publication, place=3))
    ViewCount.objects.update_or_create(publication=publication, defaults={"views": 41})
    assert ranks.follow_views() == 1 and ranks.follow_views() == 0
    rank = FeedRank.objects.get()
    assert (rank.views, rank.pin_tier) == (41, "featured")
    actions.remove_pin(Pin.objects.get())
    assert (FeedRank.objects.get().views, FeedRank.objects.get().pin_tier) == (41, None)


@pytest.mark.parametrize("words, found", [("VOYAGES", True), ("nothing such", False)])
def test_a_search_looks_at_titles_and_opening_lines(words, found, publication, monkeypatch):
    assert bool(lists.search(words, limit=5).rows) is found
    Card.objects.update(title="x", excerpt="The opening voyages line")
    assert bool(lists.search(words, limit=5).rows) is found
    monkeypatch.setattr(lists, "SEARCHED", 1)
    assert (lists.search("zzz", limit=5).next_cursor is None) is False, "there may be more behind"


# --- The hub --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status, told", [(204, 4), (202, 4), (500, 0), (404, 0), (None, 0)])
def test_a_hub_is_told_once_it_has_taken_it(status, told, settings, monkeypatch):
    settings.WEBSUB_HUB = "https://hub.example/"
    sent: list[dict] = []

    def post(url: str, **asked: object) -> requests.Response:
        sent.append({"url": url, **asked})
        if status is None:
            raise requests.ConnectionError
        answer = requests.Response()
        answer.status_code = status
        FeedChange.objects.create(path="/later")  # which came meanwhile
        FeedChange.objects.create(pk=1, path="/earlier")  # of a transaction that was open for long
        return answer

    monkeypatch.setattr(hub.requests, "post", post)
    FeedChange.objects.bulk_create(
        FeedChange(pk=pk, path=path) for pk, path in [(7, ""), (8, "/north-shore")]
    )
    hub.note_change("/north-shore")
    assert hub.tell_changes() == told
    [asked] = sent
    assert (
        asked["url"] == settings.WEBSUB_HUB and asked["allow_redirects"] is False and asked["timeout"] == 10
    )
    assert asked["data"]["hub.mode"] == "publish"
    paths = [topic.removeprefix(settings.APP_URL) for topic in asked["data"]["hub.url"]]
    assert paths == ["/feed.atom", "/feed.json", "/north-shore/feed.atom", "/north-shore/feed.json"]
    left = set(FeedChange.objects.values_list("path", flat=True))
    meanwhile = {"/later", "/earlier"} if status else set()
    assert left == meanwhile | (set() if told else {"", "/north-shore"})
    settings.WEBSUB_HUB = ""
    FeedChange.objects.all().delete()
    hub.note_change("/north-shore")
    assert not FeedChange.objects.exists()
