"""Walking the whole feed by cursor while it stands still and while it moves; and cursors nobody gave out."""

from __future__ import annotations

import base64
import random

import pytest
import time_machine

from accounts.models import Workspace
from feed import keyset, lists, ranks
from feed.models import Card
from publishing.models import ViewCount
from tests.support.listing import START, list_capsules

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspace(db) -> Workspace:
    return Workspace.objects.create(name="north-shore", title="North Shore Press")


@pytest.fixture
def endless(settings):
    settings.RATES = {**settings.RATES, "feed": 100_000}


def walk(client, limit=50, between=lambda: None):
    """The ids of all items, page after page."""
    ids, cursor = [], ""
    while cursor is not None:
        answer = client.get("/api/v2/feed", {"limit": limit} | ({"cursor": cursor} if cursor else {})).json()
        ids += [item["id"] for item in answer["items"]]
        cursor = answer["nextCursor"]
        between()
    return ids


def by_rank(cards, views):
    """The ids in the order the contract asks for."""
    order = sorted(cards, key=lambda card: (views[card.pk], card.pk), reverse=True)
    return [str(card.story_id) for card in order]


def test_walking_a_still_feed_of_10_000_meets_each_once_in_order(workspace):
    chance = random.Random(1)
    numbers = [int(chance.paretovariate(0.7)) - 1 for _ in range(10_000)]
    cards = list_capsules(workspace, 10_000, views=numbers.__getitem__)
    views = {card.pk: numbers[index] for index, card in enumerate(cards)}

    ids, page = [], lists.ranked(limit=50)
    while page.next_cursor:
        ids += [str(row.card.story_id) for row in page.rows]
        page = lists.ranked(limit=50, cursor=page.next_cursor)
    assert [*ids, *(str(row.card.story_id) for row in page.rows)] == by_rank(cards, views)


def test_while_views_change_nothing_comes_twice_and_only_climbers_are_missed(client, workspace, endless):
    chance = random.Random(2)
    numbers = [chance.randrange(1000) for _ in range(250)]
    cards = list_capsules(workspace, 250, views=numbers.__getitem__)
    climbed: set[str] = set()

    def read_some():
        read = chance.sample(cards, 20)
        counts = ViewCount.objects.filter(pk__in=[card.pk for card in read])
        for count in counts:
            count.views += chance.randrange(1, 200)
        ViewCount.objects.bulk_update(counts, ["views"])
        climbed.update(str(card.story_id) for card in read)
        ranks.follow_views()

    seen = walk(client, limit=20, between=read_some)
    assert len(seen) == len(set(seen))
    missed = {str(card.story_id) for card in cards} - set(seen)
    assert missed
    assert missed <= climbed


def test_equal_views_and_times_leave_no_gap_and_no_duplicate(client, workspace, endless):
    cards = list_capsules(workspace, 40, views=lambda index: 3, published_at=lambda index: START)
    seen = walk(client, limit=7)
    assert seen == by_rank(cards, {card.pk: 3 for card in cards})

    page, names = lists.listed_in_workspace(workspace, limit=7), []
    while page.next_cursor:
        names += [card.pk for card in page.rows]
        page = lists.listed_in_workspace(workspace, limit=7, cursor=page.next_cursor)
    names += [card.pk for card in page.rows]
    assert names == sorted((card.pk for card in cards), reverse=True)


def test_a_page_that_ends_exactly_with_the_feed_leads_nowhere(client, workspace):
    list_capsules(workspace, 10)
    assert client.get("/api/v2/feed?limit=10").json()["nextCursor"] is None


def test_a_capsule_taken_out_between_two_pages_moves_no_other(client, workspace, endless):
    cards = list_capsules(workspace, 30, views=lambda index: index)
    first = client.get("/api/v2/feed?limit=10").json()
    Card.objects.filter(pk__in=[cards[20].pk, cards[19].pk]).delete()  # the last one shown and the next one

    second = client.get("/api/v2/feed", {"limit": 10, "cursor": first["nextCursor"]}).json()
    assert [item["views"] for item in second["items"]] == list(range(18, 8, -1))


def test_a_cursor_is_short_and_plain_in_an_address(client, workspace):
    list_capsules(workspace, 11)
    cursor = client.get("/api/v2/feed").json()["nextCursor"]
    assert len(cursor) < 50
    assert cursor.replace("-", "").replace("_", "").isalnum()


def test_a_cursor_that_was_not_given_out_is_refused(client, workspace):
    list_capsules(workspace, 11)
    cursor = client.get("/api/v2/feed").json()["nextCursor"]
    for spoilt in (
        "",
        "x",
        cursor[:-1],
        cursor + "A",
        cursor[:-2] + ("AA" if cursor[-2:] != "AA" else "BB"),
        cursor[:12] + ("B" if cursor[12] != "B" else "C") + cursor[13:],
        "é" * 44,
        "\0" * 44,
        base64.urlsafe_b64encode(b"\1" * 33).decode(),
    ):
        answer = client.get("/api/v2/feed", {"cursor": spoilt})
        assert answer.status_code == 400, spoilt
        assert [detail["path"] for detail in answer.json()["details"]] == ["cursor"], spoilt


def test_a_cursor_of_one_list_opens_no_other(client, workspace):
    list_capsules(workspace, 11)
    cursor = lists.listed_in_workspace(workspace, limit=5).next_cursor
    assert client.get("/api/v2/feed", {"cursor": cursor}).status_code == 400


@pytest.mark.parametrize("hours, status", [(23, 200), (26, 400)])
def test_a_cursor_serves_for_a_day(client, workspace, hours, status):
    list_capsules(workspace, 11)
    with time_machine.travel("2026-11-20T10:00:00Z", tick=False):
        cursor = client.get("/api/v2/feed").json()["nextCursor"]
    with time_machine.travel(f"2026-11-{20 + (10 + hours) // 24}T{(10 + hours) % 24:02}:00:00Z", tick=False):
        assert client.get("/api/v2/feed", {"cursor": cursor}).status_code == status


def test_a_cursor_outlives_a_change_of_the_secret_key(settings):
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "old" * 20, []
    cursor = keyset.encode_position("feed", keyset.Position(5, 6))
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new" * 20, ["old" * 20]
    assert keyset.decode_position("feed", cursor) == (5, 6)
