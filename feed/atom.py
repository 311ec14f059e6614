"""Atom feeds of the newest capsules. An entry keeps its id forever."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.templatetags.static import static
from django.utils.feedgenerator import Atom1Feed

from config.links import absolute
from feed import entries
from feed.models import Card
from publishing.pages.views import CACHE_CONTROL

MEDIA = "http://search.yahoo.com/mrss/"  # the vocabulary in which feed readers look for pictures


class CapsuleFeed(Atom1Feed):
    """Django's Atom with summaries that are text, which Django labels HTML, and with a picture for each entry."""

    def root_attributes(self) -> dict[str, str]:
        return {**super().root_attributes(), "xmlns:media": MEDIA}

    def add_root_elements(self, handler: Any) -> None:
        super().add_root_elements(handler)
        handler.addQuickElement("icon", absolute(static("favicon.svg")))
        if settings.WEBSUB_HUB:
            handler.addQuickElement("link", "", {"rel": "hub", "href": settings.WEBSUB_HUB})

    def add_item_elements(self, handler: Any, item: dict[str, object]) -> None:
        super().add_item_elements(handler, {**item, "description": None})
        handler.addQuickElement("summary", item["description"], {"type": "text"})
        if item["picture"]:
            handler.addQuickElement("media:thumbnail", "", item["picture"])


def atom(newest: entries.Newest) -> HttpResponse:
    """Ids are made from the story, so they survive a republish and another slug."""
    address = newest.address("atom")
    feed = CapsuleFeed(title=newest.title, link=newest.link, description="", feed_url=address)
    for card in newest.entries():
        feed.add_item(
            title=card.title,
            link=absolute(card.path),
            description=card.excerpt,
            unique_id=card.story_id.urn,
            pubdate=card.published_at,
            updateddate=card.updated_at,
            author_name=card.author,
            picture=media_thumbnail(card),
        )
    headers = {"Cache-Control": CACHE_CONTROL, **newest.links("atom")}
    return HttpResponse(feed.writeString("utf-8"), content_type=feed.content_type, headers=headers)


def media_thumbnail(card: Card) -> dict[str, str]:
    """The attributes of its media:thumbnail; {} without a cover."""
    if not card.cover_url:
        return {}
    width, height = card.cover["width"], card.cover["height"]
    return {"url": absolute(card.cover_url), "width": str(width), "height": str(height)}
