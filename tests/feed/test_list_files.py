"""First pages of lists come from files, and never show what is gone."""

from __future__ import annotations

import gzip
import time

import pytest

from accounts.actions import workspaces
from capsules.models import Story
from feed import actions, ranks
from feed.models import Pin
from publishing.models import Publication, ViewCount
from tests.support import factories
from tests.support.pages import Site

pytestmark = pytest.mark.django_db(transaction=True)  # changes are announced after commit
LISTS = ["/", "/north-shore"]


@pytest.fixture
def site(live_story) -> Site:
    return Site()


@pytest.fixture
def other_story(rendered, north_shore, api):
    story = factories.make_story(north_shore, rendered, title="The second one")
    api.publish(story, slug="second-one")
    return story


@pytest.mark.parametrize("path", LISTS)
def test_the_first_page_is_rendered_once_and_then_served_without_the_database(
    path, site, client, django_assert_num_queries
):
    status, headers, body = site.ask(path)
    assert status == 200 and body == client.get(path).content
    with django_assert_num_queries(0):
        again = site.ask(path)
        zipped = site.ask(path, accept_encoding="gzip")
        known = site.ask(path, if_none_match=headers["ETag"])
        head = site.ask(path, method="HEAD")
        tracked = site.ask(f"{path}?utm_source=mail")
    assert again == (200, headers, body) and tracked[2] == body
    assert gzip.decompress(zipped[2]) == body and zipped[1]["Content-Encoding"] == "gzip"
    assert known[0] == 304 and head[2] == b"" and head[1]["Content-Length"] == str(len(body))


def test_further_pages_are_always_asked_of_django(site):
    path = "/north-shore"
    first, django, asked = site.ask(path), site.pages.django, []
    site.pages.django = lambda environ, start: asked.append(environ["QUERY_STRING"]) or django(environ, start)
    for query in ("after=", "x=1&after=abc"):
        for _ in range(2):
            assert site.ask(f"{path}?{query}")[0] in (200, 302)
        assert asked == [query, query]
        asked.clear()
    assert site.ask(path) == first


def lists_with(words: bytes, site) -> list[str]:
    return [path for path in LISTS if words in site.ask(path)[2]]


def test_a_capsule_that_leaves_the_lists_is_gone_at_once(site, live_story, other_story, api):
    assert lists_with(b"Small voyages", site) == lists_with(b"The second one", site) == LISTS
    assert api.unpublish(live_story).status_code == 200
    assert lists_with(b"Small voyages", site) == []
    assert lists_with(b"The second one", site) == LISTS


def test_what_is_published_and_another_name_of_the_workspace_are_there_at_once(
    site, api, rendered, north_shore, owner
):
    assert lists_with(b"The third one", site) == lists_with(b"South Shore", site) == []
    api.publish(factories.make_story(north_shore, rendered, title="The third one"), slug="third-one")
    assert lists_with(b"The third one", site) == LISTS
    workspaces.change_title(north_shore, "South Shore", by=owner)
    assert lists_with(b"South Shore", site) == LISTS


def test_a_pin_moves_the_showcase_at_once(site, live_story, other_story):
    assert b"Featured" not in site.ask("/")[2]
    for story in (live_story, other_story):
        Story.objects.filter(pk=story.pk).update(visibility=Story.Visibility.FEATURED)
        publication = Publication.objects.get(story=story)
        actions.save_pin(Pin(publication=publication))
    assert b"Featured" in site.ask("/")[2]


def test_views_are_followed_after_a_while(site, settings, live_story):
    settings.LIST_MAX_AGE = 0.2
    assert b"1,234 views" not in site.ask("/")[2]
    ViewCount.objects.create(publication=live_story.publication, views=1234)
    ranks.follow_views()
    time.sleep(0.3)
    assert b"1,234 views" in site.ask("/")[2]
