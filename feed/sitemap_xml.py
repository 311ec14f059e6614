"""The sitemap protocol: one capsule's entry with its pictures, film and editions, and the frames around entries.

Elements are in the order of the published schemas: sitemaps.org 0.9, Google's image 1.1 and video 1.1, xhtml:link.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from config.links import absolute, by_language
from feed.models import Card, SitemapSection

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    ' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">\n'
)
FOOT = "</urlset>\n"
VIDEO_TITLE = 100  # characters that the schema allows


class Edition(NamedTuple):
    """An edition that readers can switch to."""

    name: str
    language: str
    updated_at: datetime


def showcase() -> str:
    return f"<url>{element('loc', absolute('/'))}</url>\n"


def capsule(card: Card, editions: Sequence[Edition]) -> str:
    """The <url>s of a capsule: the default edition first."""
    default, cover = absolute(card.path), absolute(card.cover_url)
    addresses = {default: card.language} | {f"{default}?edition={e.name}": e.language for e in editions}
    links = alternates(default, addresses)
    urls = [entry(default, card.updated_at, f"{links}{image(cover)}{video(card, cover)}")]
    for edition, address in zip(editions, list(addresses)[1:], strict=True):
        urls.append(entry(address, edition.updated_at, links))
    return "".join(urls)


def entry(address: str, updated_at: datetime, extensions: str) -> str:
    return f"<url>{element('loc', address)}{lastmod(updated_at)}{extensions}</url>\n"


def alternates(default: str, addresses: dict[str, str]) -> str:
    """hreflang links between the languages of a capsule, the first address of each; "" where it has only one."""
    links = by_language(default, ((language, url) for url, language in addresses.items()))
    return "".join(
        f'<xhtml:link rel="alternate" hreflang={quoteattr(language)} href={quoteattr(url)}/>'
        for language, url in links.items()
    )


def image(cover: str) -> str:
    return f"<image:image>{element('image:loc', cover)}</image:image>" if cover else ""


def video(card: Card, cover: str) -> str:
    """The film of the card; the schema asks for a thumbnail."""
    film = absolute(card.video_url)
    if not film or not cover:
        return ""
    parts = (
        element("video:thumbnail_loc", cover),
        element("video:title", card.title[:VIDEO_TITLE]),
        element("video:description", card.excerpt or card.title),
        element("video:content_loc", film),
    )
    return f"<video:video>{''.join(parts)}</video:video>"


def index(sections: Sequence[SitemapSection]) -> str:
    rows = "".join(
        f"<sitemap>{element('loc', absolute(f'/sitemaps/{section.first}.xml'))}"
        f"{lastmod(section.modified_at) if section.modified_at else ''}</sitemap>\n"
        for section in sections
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</sitemapindex>\n'
    )


def lastmod(moment: datetime) -> str:
    return element("lastmod", moment.isoformat(timespec="seconds"))


def element(name: str, text: str) -> str:
    return f"<{name}>{escape(text)}</{name}>"
