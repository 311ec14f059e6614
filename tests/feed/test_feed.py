"""GET /feed: which capsules it lists, in what order, and what each item says."""

from __future__ import annotations

import pytest
from django.db import connection
from django.utils.dateparse import parse_datetime

from capsules import storage
from capsules.actions import previews
from config.texts import cut, one_line
from feed import lists, ranks
from publishing.models import Publication, ViewCount
from tests.support import factories
from tests.support.listing import list_capsules
from tests.support.sitemaps import whole_sitemap

pytestmark = pytest.mark.django_db


def items(client, query=""):
    answer = client.get(f"/api/v2/feed{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()["items"]


def views_of(story, views):
    ViewCount.objects.update_or_create(
        publication=Publication.objects.get(story=story), defaults={"views": views}
    )
    ranks.follow_views()


def test_an_item_tells_everything_a_card_shows(client, live_story, settings):
    settings.APP_URL = "https://capsules.example"
    views_of(live_story, 7)

    [item] = items(client)

    bake = Publication.objects.get(story=live_story).live_bake.content
    cover = bake["scenes"][0]["still"]["landscape"]["jpeg"]
    assert parse_datetime(item.pop("publishedAt")) == live_story.publication.published_at
    assert item.pop("coverImageUrl") in {
        "https://capsules.example" + storage.blobs().url(picture["name"]) for picture in cover
    }
    assert item == {
        "id": str(live_story.pk),
        "title": "Small voyages",
        "slug": "small-voyages",
        "path": "/north-shore/small-voyages",
        "excerpt": "This is scene 1 of Small voyages.",
        "sceneCount": 4,
        "views": 7,
        "pinTier": None,
        "posterVideoUrl": None,  # until its hero or its clip is made
        "author": {"name": "Ines Okafor", "username": "north-shore", "avatarUrl": None},
    }


def test_without_an_author_the_workspace_is_named(client, api, north_shore, rendered):
    story = factories.make_story(north_shore, rendered)
    story.author_name = ""
    story.save()
    previews.build_preview(story)
    factories.finish_encodes(rendered)
    api.publish(story)

    assert items(client)[0]["author"]["name"] == "North Shore Press"


def test_readers_get_the_published_words_not_the_draft(client, live_story):
    live_story.title = "A draft title"
    live_story.save()

    assert items(client)[0]["title"] == "Small voyages"


def test_an_empty_feed_has_no_items_and_no_cursor(client, db):
    answer = client.get("/api/v2/feed")
    assert (answer.status_code, answer.json()) == (200, {"items": [], "nextCursor": None})


def test_unpublishing_takes_it_out_and_publishing_brings_it_back_with_its_views(client, api, live_story):
    views_of(live_story, 9)
    api.unpublish(live_story)
    assert items(client) == []

    api.publish(live_story)
    assert [item["views"] for item in items(client)] == [9]


@pytest.mark.both_databases
def test_an_edition_published_alone_is_listed_like_any_capsule_until_its_capsule_shows_it(
    client, api, live_story, rendered
):
    edition = factories.make_edition(live_story, rendered, shown=False)
    url = api.publish(edition).json()["url"]
    both = {str(live_story.pk), str(edition.pk)}
    assert {item["id"] for item in items(client)} == both
    for path in ("/", "/north-shore", "/feed.atom", "/north-shore/feed.atom"):
        assert url in client.get(path).content.decode(), path
    assert url in whole_sitemap(client)
    assert api.call("PATCH", f"/stories/{edition.pk}", {"shown": True}).status_code == 200
    assert {item["id"] for item in items(client)} == {str(live_story.pk)}
    assert f"{url}<" not in whole_sitemap(client)
    assert api.call("PATCH", f"/stories/{edition.pk}", {"shown": False}).status_code == 200
    assert {item["id"] for item in items(client)} == both
    assert api.call("PUT", f"/stories/{edition.pk}/visibility", {"visibility": "unlisted"}).status_code == 200
    assert {item["id"] for item in items(client)} == {str(live_story.pk)}


def test_a_bad_limit_is_told(client, db):
    for limit in ("0", "51", "-1", "ten", "", "5.0", "1e1", " 5", "٥", "99999999999"):
        answer = client.get("/api/v2/feed", {"limit": limit})
        assert answer.status_code == 400, limit
        assert [detail["path"] for detail in answer.json()["details"]] == ["limit"], limit


def test_a_parameter_given_twice_is_told(client, db):
    answer = client.get("/api/v2/feed?limit=5&limit=6")
    assert (answer.status_code, answer.json()["details"][0]["path"]) == (400, "limit")


def test_a_parameter_of_somebody_else_is_ignored(client, db):
    assert client.get("/api/v2/feed?utm_source=mail").status_code == 200


@pytest.mark.parametrize("limit, count", [("", 10), ("?limit=1", 1), ("?limit=50", 50)])
def test_the_limit_says_how_many(client, north_shore, limit, count):
    list_capsules(north_shore, 60)
    assert len(items(client, limit)) == count


def test_a_second_look_at_an_unchanged_feed_costs_no_body(client, live_story):
    first = client.get("/api/v2/feed")
    assert first.headers["Cache-Control"].startswith("public, max-age=")

    second = client.get("/api/v2/feed", headers={"If-None-Match": first.headers["ETag"]})
    assert (second.status_code, second.content) == (304, b"")

    views_of(live_story, 1)
    assert client.get("/api/v2/feed", headers={"If-None-Match": first.headers["ETag"]}).status_code == 200


def test_a_credential_is_neither_needed_nor_looked_at(client, live_story):
    assert client.get("/api/v2/feed", headers={"Authorization": "Bearer nonsense"}).status_code == 200


def test_only_reading_is_possible(client, db):
    answer = client.post("/api/v2/feed", content_type="application/json")
    assert answer.status_code == 405
    assert "GET" in answer.headers["Allow"]


@pytest.mark.usefixtures("clock_stands")
def test_one_address_may_not_read_without_end(client, db, settings):
    settings.RATES = {**settings.RATES, "feed": 3}
    answers = [client.get("/api/v2/feed") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert int(answers[3].headers["Retry-After"]) > 0


def test_a_page_costs_the_same_queries_whatever_its_length(client, north_shore, django_assert_num_queries):
    list_capsules(north_shore, 60)
    with django_assert_num_queries(2):  # the rate, the page
        items(client, "?limit=1")
    with django_assert_num_queries(2):
        items(client, "?limit=50")


@pytest.mark.django_db(transaction=True)
def test_a_failing_query_is_told_in_the_error_body(client, north_shore):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE feed_feedrank RENAME TO feed_lost")
    try:
        answer = client.get("/api/v2/feed")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE feed_lost RENAME TO feed_feedrank")
    assert answer.status_code == 500
    assert set(answer.json()) == {"error"}
    assert "feed_" not in answer.json()["error"]


@pytest.mark.parametrize(
    "text, length, expected",
    [
        ("Short.", 200, "Short."),
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two…"),
        ("one two, three", 10, "one two…"),
        ("one two three", 8, "one two…"),
        ("abcdefghij", 5, "abcd…"),
    ],
)
def test_an_excerpt_is_cut_at_a_word(text, length, expected):
    assert cut(text, length) == expected
    assert len(cut(text, length)) <= length


def test_a_card_has_one_line_without_control_characters():
    assert one_line(" The\n last\x00 ferry\u2028to \x0bAldermoor ") == "The last ferry to Aldermoor"


@pytest.mark.both_databases
def test_a_search_looks_at_so_many_capsules_a_call_and_its_cursor_leads_on(
    north_shore, monkeypatch, django_assert_max_num_queries
):
    monkeypatch.setattr(lists, "SEARCHED", 4)
    list_capsules(north_shore, 12)
    wanted = [
        "Capsule 11",
        "Capsule 10",
        "Capsule 1",
    ]  # the first two in one call, the last one two calls later
    answers, cursor = [], None
    while not answers or cursor is not None:
        with django_assert_max_num_queries(2):
            page = lists.search("CAPSULE 1", limit=2, cursor=cursor)
        answers.append([rank.card.title for rank in page.rows])
        cursor = page.next_cursor
    assert answers == [wanted[:2], [], wanted[2:], []]
