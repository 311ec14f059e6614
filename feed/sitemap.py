"""The sitemap, read from the cards: an index of sections, each of which is a range of publication ids.

A range is found by the primary key, so a section costs the same however many capsules there are. Elements are in the
order of the published schemas: sitemaps.org 0.9, xhtml:link, Google's image 1.1 and video 1.1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from django.db.models import F, Max
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from config.links import absolute, by_language
from feed.models import Card
from publishing.models import Publication

MOST = 10**18  # no database counts further
IDS = 1000  # in one section; the protocol allows 50,000 addresses, and each capsule has one for each edition, too


@gzip_page  # it holds nothing secret that the length of the packed bytes could give away
@conditional_page  # beneath it, because packed bytes differ each time
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The sections that hold a capsule, each with its latest change."""
    first = F("publication__pk") - F("publication__pk") % IDS
    modified = dict(Card.objects.order_by().values_list(first).annotate(Max("updated_at")))
    sections = {absolute(f"/sitemaps/{first}.xml"): modified.get(first) for first in sorted({0, *modified})}
    return as_xml("feed/sitemap_index.xml", {"sections": sections})


@gzip_page
@conditional_page
@require_safe
def section(request: HttpRequest, first: int) -> HttpResponse:
    """The capsules whose publications have the ids from `first` on. The first section has the showcase, too."""
    cards = Card.objects.filter(pk__gte=first, pk__lt=first + IDS).order_by("pk").select_related("workspace")
    if first % IDS or first > MOST or (first and not cards):
        raise Http404
    return as_xml("feed/sitemap.xml", {"showcase": "" if first else absolute("/"), "urls": urls(list(cards))})


def as_xml(template: str, context: dict[str, object]) -> HttpResponse:
    response = render(None, template, context, content_type="application/xml")
    response["Cache-Control"] = "public, max-age=60"
    return response


def urls(cards: list[Card]) -> Iterator[dict[str, object]]:
    """What the template shows: of each capsule the default edition, then the others."""
    editions = editions_by_story(cards)
    for card in cards:
        default = absolute(card.path)
        others = {f"{default}?edition={each.name}": each for each in editions[card.story_id]}
        languages = [(each.language, address) for address, each in others.items()]
        links = by_language(default, [(card.language, default), *languages])
        yield {
            "address": default,
            "updated_at": card.updated_at,
            "links": links,
            "card": card,
            "cover": absolute(card.cover_url),
            "film": absolute(card.video_url),
        }
        for address, edition in others.items():
            yield {"address": address, "updated_at": edition.updated_at, "links": links}


class Edition(NamedTuple):
    """An edition that readers can switch to."""

    name: str
    language: str
    updated_at: datetime


def editions_by_story(cards: list[Card]) -> dict[object, list[Edition]]:
    """By story: the shown editions that were baked."""
    found: dict[object, list[Edition]] = defaultdict(list)
    shown = Publication.objects.shown_editions_of([card.story_id for card in cards])
    fields = ("story__edition_name", "live_bake__content__language", "live_bake__created_at")
    for story, *edition in shown.values_list("story__capsule", *fields):
        found[story].append(Edition(*edition))
    return found
