"""Atom feeds of the newest capsules: of all, and of one workspace. An entry keeps its id for ever."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.feedgenerator import Atom1Feed
from django.views.decorators.http import conditional_page, require_safe

from feed.models import Card, CardQuerySet
from feed.pages import CACHE_CONTROL, published_workspace
from feed.sitemap_xml import absolute

LENGTH = 50  # entries


@conditional_page
@require_safe
def showcase(request: HttpRequest) -> HttpResponse:
    return atom(request, title="Capsules", link="/", cards=Card.objects.all())


@conditional_page
@require_safe
def profile(request: HttpRequest, workspace: str) -> HttpResponse:
    owner = published_workspace(workspace)
    cards = Card.objects.filter(workspace=owner)
    return atom(request, title=owner.title, link=f"/{owner.name}", cards=cards)


def atom(request: HttpRequest, *, title: str, link: str, cards: CardQuerySet) -> HttpResponse:
    """The newest of `cards`. Ids are made from the story, so they survive a republish and another slug."""
    feed = Atom1Feed(title=title, link=absolute(link), description="", feed_url=absolute(request.path))
    for card in cards.newest_first().select_related("workspace")[:LENGTH]:
        feed.add_item(
            title=card.title,
            link=absolute(card.path),
            description=card.excerpt,
            unique_id=card.story_id.urn,
            pubdate=card.published_at,
            updateddate=card.updated_at,
            author_name=card.author,
        )
    response = HttpResponse(feed.writeString("utf-8"), content_type=feed.content_type)
    response["Cache-Control"] = CACHE_CONTROL
    return response
