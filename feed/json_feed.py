"""The same feeds as JSON Feed 1.1 (jsonfeed.org). An item has the id that its Atom entry has."""

from __future__ import annotations

from django.conf import settings
from django.http import JsonResponse
from django.templatetags.static import static

from config.links import absolute
from feed import entries
from feed.models import Card
from publishing.pages.views import CACHE_CONTROL


def json_feed(newest: entries.Newest) -> JsonResponse:
    feed: dict[str, object] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": newest.title,
        "home_page_url": newest.link,
        "feed_url": newest.address("json"),
        "favicon": absolute(static("favicon.ico")),
        "items": [item(card) for card in newest.entries()],
    }
    if settings.WEBSUB_HUB:
        feed["hubs"] = [{"type": "WebSub", "url": settings.WEBSUB_HUB}]
    headers = {"Cache-Control": CACHE_CONTROL, **newest.links("json")}
    return JsonResponse(
        feed,
        json_dumps_params={"ensure_ascii": False},
        headers=headers,
        content_type="application/feed+json; charset=utf-8",
    )


def item(card: Card) -> dict[str, object]:
    picture = {"image": absolute(card.cover_url)} if card.cover_url else {}
    return {
        "id": card.story_id.urn,
        "url": absolute(card.path),
        "title": card.title,
        "content_text": card.excerpt,
        "date_published": card.published_at.isoformat(timespec="seconds"),
        "date_modified": card.updated_at.isoformat(timespec="seconds"),
        "authors": [{"name": card.author}],
        "language": card.language,
        **picture,
    }
