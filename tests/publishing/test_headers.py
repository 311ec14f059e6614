"""What each public address says about itself: status, kind, caches, frames and search engines."""

from __future__ import annotations

import itertools

import pytest
from django.conf import settings
from django.utils import timezone

from capsules.models import Story
from publishing.models import Publication
from tests.support import factories
from tests.support.sitemaps import whole_sitemap

pytestmark = pytest.mark.django_db

CAPSULE = "/north-shore/small-voyages"
PAGE = "public, max-age=0, s-maxage=30, stale-while-revalidate=30"
HTML, MARKDOWN = "text/html; charset=utf-8", "text/markdown; charset=utf-8"
ATOM, JSON_FEED = "application/atom+xml; charset=utf-8", "application/feed+json; charset=utf-8"
JSON, XML, TEXT = "application/json", "application/xml", "text/plain; charset=utf-8"
FOUND = f"/oembed?url={settings.APP_URL}{CAPSULE}"
LESS_THAN_ELSEWHERE = "strict-origin-when-cross-origin"
#: Address → status, type of content, Cache-Control, and by a letter what else: e it has an ETag, n no search engine
#: lists it and no link gives it away, f any site may frame it, o a page of any origin may read it.
TOLD = {
    CAPSULE: (200, HTML, PAGE, ""),
    f"{CAPSULE}/embed": (200, HTML, PAGE, "f"),
    f"{CAPSULE}.md": (200, MARKDOWN, PAGE, "e"),
    FOUND: (200, JSON, None, "o"),
    f"{FOUND}&format=xml": (200, "text/xml; charset=utf-8", None, "o"),
    "/oembed": (400, JSON, "no-store", "o"),
    "/oembed?url=x": (404, JSON, "no-store", "o"),
    f"{FOUND}&format=yaml": (501, JSON, "no-store", "o"),
    "/north-shore/none": (404, HTML, "no-cache", ""),
    "/north-shore/none/embed": (404, HTML, "no-cache", "f"),
    "/north-shore/none.md": (404, HTML, "no-cache", "e"),
    "/nobody-here/none": (404, HTML, "no-store", ""),
    "/north-shore": (200, HTML, PAGE, "e"),
    "/": (200, HTML, PAGE, "e"),
    "/feed.atom": (200, ATOM, PAGE, "e"),
    "/feed.json": (200, JSON_FEED, PAGE, "e"),
    "/north-shore/feed.atom": (200, ATOM, PAGE, "e"),
    "/north-shore/feed.json": (200, JSON_FEED, PAGE, "e"),
    "/llms.txt": (200, MARKDOWN, PAGE, "e"),
    "/sitemap.xml": (200, XML, "public, max-age=60", "e"),
    "/sitemaps/0.xml": (200, XML, "public, max-age=60", "e"),
    "/robots.txt": (200, TEXT, "public, max-age=3600", ""),
    "/privacy": (200, HTML, "public, max-age=60", ""),
    "/api/v2/feed": (200, JSON, "public, max-age=10, s-maxage=30", "e"),
    "/api/v2/health": (200, JSON, "no-store", ""),
    "/api/v2/me": (401, JSON, "no-store", ""),
    "/api/v2/nothing": (404, JSON, "no-store", ""),
    "/report": (200, HTML, "no-store", "n"),
    "/subscribe/north-shore": (200, HTML, "no-store", "n"),
    "/confirm/x": (404, HTML, "no-store", "n"),
    "/unsubscribe/x": (404, HTML, "no-store", "n"),
    "/studio/up/x": (410, HTML, "no-store", "n"),
    "/metrics": (404, HTML, "no-store", ""),
    "/media/x": (404, HTML, "no-store", ""),
    "/.well-known/oauth-authorization-server": (200, JSON, "public, max-age=300", ""),
    "/.well-known/jwks.json": (200, JSON, "public, max-age=300", ""),
    "/.well-known/oauth-protected-resource/api/v2": (200, JSON, "public, max-age=300", ""),
    "/favicon.ico": (302, HTML, "no-store", ""),
}


def test_what_every_public_address_says_of_itself(live_story, client):
    client.logout()
    for path, (status, kind, caching, letters) in TOLD.items():
        answer = client.get(path)
        said, policy = answer.headers, answer["Content-Security-Policy"]
        assert (answer.status_code, said["Content-Type"]) == (status, kind), path
        assert caching is None or said["Cache-Control"] == caching, path
        assert ("ETag" in said) is ("e" in letters), path
        assert (said.get("X-Robots-Tag") == "noindex") is ("n" in letters), path
        assert said["Referrer-Policy"] == ("no-referrer" if "n" in letters else LESS_THAN_ELSEWHERE), path
        assert (said.get("Access-Control-Allow-Origin") == "*") is ("o" in letters), path
        assert said.get("X-Frame-Options") == (None if "f" in letters else "DENY"), path
        assert ("frame-ancestors *" if "f" in letters else "frame-ancestors 'none'") in policy, path
        assert "default-src 'none'" in policy and "script-src 'self'" in policy, path
        assert "unsafe" not in policy and "camera=()" in said["Permissions-Policy"], path
        assert said["X-Content-Type-Options"] == "nosniff", path
        assert caching != PAGE or "Cookie" not in said.get("Vary", ""), path
        assert said["Cross-Origin-Opener-Policy"] == "same-origin" and not answer.cookies, path
        if "e" in letters and status == 200:
            again = client.get(path, headers={"If-None-Match": said["ETag"]})
            assert again.status_code == 304 and not b"".join(again), path


def test_a_public_address_takes_no_other_method(live_story, client):
    client.logout()
    for path in TOLD:
        if not path.startswith(("/api", "/media")):
            assert client.put(path).status_code in (404, 405), path


@pytest.mark.parametrize("visibility, listed", [("public", True), ("unlisted", False)])
def test_what_is_not_listed_is_in_no_list(visibility, listed, live_story, api, client):
    api.call("PUT", f"/stories/{live_story.pk}/visibility", {"visibility": visibility})
    client.logout()
    assert client.get(f"{CAPSULE}.md").get("X-Robots-Tag") == (None if listed else "noindex")
    lists = [path for path in TOLD if path.endswith(("feed.atom", "feed.json", "llms.txt", "/feed"))]
    for path in [*lists, "/north-shore", "/"]:
        answer = client.get(path)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert (b"small-voyages" in body) is listed, path
    assert ("small-voyages" in whole_sitemap(client)) is listed


# --- What is live, listed, dark -------------------------------------------------------------------------------------


def test_what_readers_get_by_every_mix_of_states(live_story, rendered, api):
    edition = factories.make_edition(live_story, rendered, "short", shown=False)
    assert api.publish(edition).status_code == 200
    workspace, now = live_story.workspace, timezone.now()
    names = ("live", "published", "dark", "listed", "shown")
    states = itertools.product([True, False], repeat=4)
    levels = itertools.cycle(Story.Visibility.values)  # whose rule looks at nothing else
    for (published, frozen, suspended, shown), visibility in zip(states, levels, strict=False):
        Publication.objects.update(published_at=now if published else None, frozen_at=now if frozen else None)
        Story.objects.update(visibility=visibility)
        Story.objects.filter(pk=edition.pk).update(shown=shown)
        type(workspace).objects.filter(pk=workspace.pk).update(suspended_at=now if suspended else None)
        dark = frozen or suspended
        rows = Publication.objects
        found = {
            "live": rows.live(),
            "published": rows.published(),
            "dark": rows.dark(),
            "listed": rows.listed(),
            "shown": rows.shown_editions_of([live_story.pk]),
        }
        both = {live_story.pk, edition.pk}
        expected = {
            "live": set() if dark or not published else both - ({edition.pk} if shown else set()),
            "published": both if published else set(),
            "dark": both if dark else set(),
            "listed": both if visibility in ("public", "featured") else set(),
            "shown": {edition.pk} if shown and not dark else set(),
        }
        told = {name: set(found[name].values_list("story", flat=True)) for name in names}
        assert told == expected, (published, frozen, suspended, shown, visibility)
        one = rows.select_related("story__workspace").get(story=live_story)
        assert (one.is_published, one.is_dark) == (published, dark)
        assert bool(one.get_absolute_url()) is published


def test_an_edition_without_a_bake_is_shown_to_nobody(live_story, rendered):
    edition = factories.make_edition(live_story, rendered, "short")
    Publication.objects.get_or_create(story=edition)
    Publication.objects.filter(story=edition).update(live_bake=None, published_at=None)
    assert not Publication.objects.shown_editions_of([live_story.pk]).exists()
