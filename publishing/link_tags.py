"""What a link to a capsule says of itself: to chat apps, search engines and embedding sites."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import to_locale

from capsules.templatetags.blobs import blob_url
from publishing import clips
from publishing.reading import Reading, absolute, card_of, opening_line

PLAYER = (1280, 720)  # of the Twitter player card
#: A "</script>" in a title must not end the script element that the title stands in.
JSON_IN_HTML = {
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}


def link_tags(reading: Reading) -> dict[str, Any]:
    """Everything that the head of a page needs beyond its title; addresses are absolute."""
    content = reading.content
    card = card_of(content)
    return {
        "description": opening_line(content),
        "locale": to_locale(content["language"]),
        "image": {**card, "url": absolute(blob_url(card["name"]))},
        "image_alt": content["scenes"][content["cover"]]["alt"],
        "video": video_of(reading),
        "player": {"url": reading.embed_url, "width": PLAYER[0], "height": PLAYER[1]},
        "alternates": alternates(reading),
        "discovery": discovery(reading),
        "json_ld": json_ld(reading),
    }


def video_of(reading: Reading) -> dict[str, Any] | None:
    """The social clip once it is ready, with its address."""
    clip = clips.clip_of(reading.shown)
    if clip is None:
        return None
    plain_type = clip["media_type"].partition(";")[0]  # consumers of tags know no codecs parameter
    return {**clip, "media_type": plain_type, "url": absolute(blob_url(clip["name"]))}


def alternates(reading: Reading) -> list[dict[str, str]]:
    """One link for each language that the capsule can be read in, and the default one; [] for a single language."""
    links: dict[str, str] = {}
    for each in reading.all_editions():
        links.setdefault(each.content["language"], each.url)
    if len(links) < 2:
        return []
    default = reading.in_edition(None).url
    return [{"language": k, "url": v} for k, v in [*links.items(), ("x-default", default)]]


def discovery(reading: Reading) -> list[dict[str, str]]:
    """The oEmbed links of a capsule that advertises them."""
    if reading.publication.is_white_label:
        return []
    types = {"json": "application/json+oembed", "xml": "text/xml+oembed"}
    return [
        {
            "type": type,
            "url": f"{settings.APP_URL}/oembed?{urlencode({'url': reading.url, 'format': format})}",
        }
        for format, type in types.items()
    ]


def embed_html(reading: Reading, width: int, height: int) -> SafeString:
    """The frame that shows a capsule on another site."""
    return format_html(
        '<iframe src="{}" width="{}" height="{}" title="{}" loading="lazy" allow="fullscreen; web-share" '
        'sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" '
        'style="width:100%;max-width:{}px;height:auto;aspect-ratio:{}/{};border:0;border-radius:12px"></iframe>',
        reading.embed_url,
        width,
        height,
        reading.content["title"],
        width,
        width,
        height,
    )


def json_ld(reading: Reading) -> SafeString:
    """An Article and, where there is a film to show, a VideoObject, for search engines."""
    graph = [article(reading), *([video_object(reading)] if video_of(reading) else [])]
    text = json.dumps({"@context": "https://schema.org", "@graph": graph}, ensure_ascii=False)
    return mark_safe(text.translate(JSON_IN_HTML))  # noqa: S308 - no "<" is left in it


def article(reading: Reading) -> dict[str, Any]:
    content, publication = reading.content, reading.publication
    workspace = publication.story.workspace.title
    return {
        "@type": "Article",
        "@id": f"{reading.url}#article",
        "mainEntityOfPage": reading.url,
        "headline": content["title"],
        "description": content["summary"] or opening_line(content),
        "inLanguage": content["language"],
        "image": [absolute(blob_url(card_of(content)["name"]))],
        "datePublished": stamp(publication.published_at),
        "dateModified": stamp(publication.updated_at or publication.published_at),
        "author": {"@type": "Person", "name": content["author"]}
        if content["author"]
        else {"@type": "Organization", "name": workspace},
        "publisher": {"@type": "Organization", "name": workspace},
        "articleBody": "\n\n".join(scene["text"] for scene in content["scenes"]),
    }


def video_object(reading: Reading) -> dict[str, Any]:
    content, video = reading.content, video_of(reading)
    assert video is not None  # noqa: S101 - asked before
    return {
        "@type": "VideoObject",
        "@id": f"{reading.url}#video",
        "name": content["title"],
        "description": opening_line(content),
        "thumbnailUrl": [absolute(blob_url(card_of(content)["name"]))],
        "uploadDate": stamp(reading.publication.published_at),
        "duration": f"PT{video['duration']:.0f}S",
        "contentUrl": video["url"],
        "embedUrl": reading.embed_url,
        "width": video["width"],
        "height": video["height"],
    }


def stamp(moment: Any) -> str:
    """A moment as ISO 8601, to the second."""
    return moment.isoformat(timespec="seconds") if moment else ""
