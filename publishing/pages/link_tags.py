"""What a link to a capsule says of itself: to chat apps, search engines and embedding sites."""

from __future__ import annotations

import json
from datetime import datetime
from urllib.parse import urlencode

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import to_locale

from capsules.content import Film
from capsules.templatetags.blobs import blob_url
from config.links import absolute, by_language
from publishing import clips
from publishing.pages.plain_text import markdown_url
from publishing.pages.reading import Reading, link_picture_of, opening_line

LEAST_HEIGHT = 350  # pixels of a frame; lower ones have no room for a picture above the words
LEAST_HEIGHT_ON_A_PHONE = 420
PHONE = 480  # pixels; the widest window of a phone
#: A "</script>" in a title must not end the script element around it.
JSON_IN_HTML = {
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}


class LinkedFilm(Film):
    url: str  # absolute


def link_tags(reading: Reading) -> dict[str, object]:
    """Everything that the head of a page needs beyond its title; addresses are absolute."""
    content = reading.content
    card = link_picture_of(content)
    return {
        "description": opening_line(content),
        "locale": locale_of(content["language"]),
        "image": {**card, "url": absolute(blob_url(card["name"]))},
        "image_alt": content["scenes"][content["cover"]]["alt"],
        "video": video_of(reading),
        "alternates": alternates(reading),
        "discovery": discovery(reading),
        "other_forms": other_forms(reading),
        "fediverse": reading.publication.story.workspace.fediverse,
        "json_ld": json_ld(reading),
    }


def locale_of(language: str) -> str:
    """A language as `language_TERRITORY`, the only form that og:locale knows; "" where there is no territory."""
    locale = to_locale(language)
    return locale if "_" in locale else ""


def video_of(reading: Reading) -> LinkedFilm | None:
    """The social clip once it is ready, with its address."""
    clip = clips.clip_of(reading.current)
    if clip is None:
        return None
    plain_type = clip["media_type"].partition(";")[0]  # consumers of tags know no codecs parameter
    return {**clip, "media_type": plain_type, "url": absolute(blob_url(clip["name"]))}


def alternates(reading: Reading) -> list[dict[str, str]]:
    """One link for each language that the capsule can be read in, and the default one; [] for a single language."""
    addresses = ((each.content["language"], each.url) for each in reading.all_editions())
    links = by_language(reading.in_edition(None).url, addresses)
    return [{"language": language, "url": url} for language, url in links.items()]


def discovery(reading: Reading) -> list[dict[str, str]]:
    """The oEmbed links of a capsule that advertises them."""
    if reading.publication.is_white_label:
        return []
    types = {"json": "application/json+oembed", "xml": "text/xml+oembed"}
    return [
        {
            "type": type,
            "url": absolute(f"/oembed?{urlencode({'url': reading.url, 'format': format})}"),
        }
        for format, type in types.items()
    ]


def other_forms(reading: Reading) -> list[dict[str, str]]:
    """The capsule as Markdown, and the feeds of its workspace, which a white-label capsule does not lead to."""
    forms = [{"type": "text/markdown", "url": markdown_url(reading), "title": reading.content["title"]}]
    if reading.publication.is_white_label:
        return forms
    workspace = reading.publication.story.workspace
    feeds = {"application/atom+xml": "feed.atom", "application/feed+json": "feed.json"}
    return forms + [
        {"type": type, "url": absolute(f"/{workspace.name}/{file}"), "title": workspace.title}
        for type, file in feeds.items()
    ]


def embed_html(reading: Reading, width: int, height: int, *, most_height: int | None = None) -> SafeString:
    """The frame that shows a capsule on another site: as wide as its column, and never so low that words fill it."""
    tall = min(LEAST_HEIGHT_ON_A_PHONE, most_height or LEAST_HEIGHT_ON_A_PHONE)
    low = min(LEAST_HEIGHT, tall)
    return format_html(
        '<iframe src="{}" width="{}" height="{}" title="{}" loading="lazy" allow="fullscreen; web-share" '
        'sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" '
        'style="width:100%;max-width:{}px;height:auto;aspect-ratio:{}/{};'
        'min-height:clamp({}px,({}px - 100vw)*999,{}px);border:0;border-radius:12px"></iframe>',
        reading.embed_url,
        width,
        height,
        reading.content["title"],
        width,
        width,
        height,
        low,
        PHONE + 1,
        tall,
    )


def json_ld(reading: Reading) -> SafeString:
    """An Article and, where there is a film to show, a VideoObject, for search engines."""
    video = video_of(reading)
    graph = [article(reading), *([video_object(reading, video)] if video else [])]
    text = json.dumps({"@context": "https://schema.org", "@graph": graph}, ensure_ascii=False)
    return mark_safe(text.translate(JSON_IN_HTML))  # noqa: S308 - no "<" is left in it


def article(reading: Reading) -> dict[str, object]:
    content, publication = reading.content, reading.publication
    workspace = publication.story.workspace.title
    return {
        "@type": "Article",
        "@id": f"{reading.url}#article",
        "mainEntityOfPage": reading.url,
        "headline": content["title"],
        "description": content["summary"] or opening_line(content),
        "inLanguage": content["language"],
        "image": [absolute(blob_url(link_picture_of(content)["name"]))],
        "datePublished": stamp(publication.published_at),
        "dateModified": stamp(publication.updated_at or publication.published_at),
        "author": {"@type": "Person", "name": content["author"]}
        if content["author"]
        else {"@type": "Organization", "name": workspace},
        "publisher": {"@type": "Organization", "name": workspace},
        "articleBody": "\n\n".join(scene["text"] for scene in content["scenes"]),
    }


def video_object(reading: Reading, video: LinkedFilm) -> dict[str, object]:
    return {
        "@type": "VideoObject",
        "@id": f"{reading.url}#video",
        "name": reading.content["title"],
        "description": opening_line(reading.content),
        "thumbnailUrl": [absolute(blob_url(link_picture_of(reading.content)["name"]))],
        "uploadDate": stamp(reading.publication.published_at),
        "duration": f"PT{video['duration']:.0f}S",
        "contentUrl": video["url"],
        "embedUrl": reading.embed_url,
        "width": video["width"],
        "height": video["height"],
    }


def stamp(moment: datetime | None) -> str:
    """A moment as ISO 8601, to the second."""
    return moment.isoformat(timespec="seconds") if moment else ""
