"""What a capsule's link shows where it is shared: its card, and what embeds it."""

from __future__ import annotations

import uuid
from typing import NotRequired, TypedDict
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from capsules.content import BakeContent
from capsules.models import Story
from capsules.templatetags.blobs import blob_url
from publishing.models import Publication
from publishing.pages.link_tags import embed_html
from publishing.pages.reading import Reading, link_picture_of, opening_line, reading_in
from publishing.pages.views import EMBED_SIZE
from publishing.states import publication_target
from publishing.studio.base import story_for, studio_page


class LinkCard(TypedDict):
    """The card as chat apps draw it, from the tags of the page's head."""

    host: str
    title: str
    opening: str
    picture: str  # address
    alt: str
    changes: NotRequired[list[str]]  # for readers, by the publish of a preview
    embed: NotRequired[str]  # HTML, of what is live


@studio_page
@require_safe
def live_card(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    """JSON: the card of the link as it is live, with what embeds it; 404 where nothing is."""
    found = live_reading(story_for(request, story))
    if found is None:
        raise Http404
    return told(live_card_of(found))


def told(card: LinkCard) -> HttpResponse:
    return JsonResponse(card, headers={"Cache-Control": "no-store"})


def card_of(content: BakeContent) -> LinkCard:
    return {
        "host": urlsplit(settings.APP_URL).netloc,
        "title": content["title"],
        "opening": opening_line(content),
        "picture": blob_url(link_picture_of(content)["name"]),
        "alt": content["scenes"][content["cover"]]["alt"],
    }


def live_card_of(reading: Reading) -> LinkCard:
    return {**card_of(reading.content), "embed": str(embed_html(reading, *EMBED_SIZE))}


def live_reading(story: Story) -> Reading | None:
    """What readers get at the link of a story, or of an edition of it; None where it is not live."""
    target = publication_target(story)
    edition = "" if target is story else story.edition_name
    return reading_in(Publication.objects.live().filter(story=target), edition)
