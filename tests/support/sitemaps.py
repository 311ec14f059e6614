"""A strict reader of sitemaps: elements, their order and values as the published schemas have them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

from django.test import Client

SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
IMAGE = "{http://www.google.com/schemas/sitemap-image/1.1}"
VIDEO = "{http://www.google.com/schemas/sitemap-video/1.1}"
XHTML = "{http://www.w3.org/1999/xhtml}"
VIDEO_ORDER = ["thumbnail_loc", "title", "description", "content_loc"]


def whole_sitemap(client: Client) -> str:
    """Every section of it, as crawlers come by them."""
    index = client.get("/sitemap.xml").content.decode()
    sections = re.findall(r"<loc>https?://[^/]+([^<]+)</loc>", index)
    return "".join(client.get(section).content.decode() for section in sections)


@dataclass
class Entry:
    lastmod: datetime | None = None
    images: list[str] = field(default_factory=list)
    videos: list[dict[str, str]] = field(default_factory=list)
    alternates: dict[str, str] = field(default_factory=dict)


def check_index(root: Element) -> list[str]:
    """The addresses of a sitemap index."""
    assert root.tag == f"{SITEMAP}sitemapindex"
    assert 1 <= len(root) <= 50_000
    found = []
    for section in root:
        own = [child.tag for child in section]
        assert own in ([f"{SITEMAP}loc"], [f"{SITEMAP}loc", f"{SITEMAP}lastmod"])
        assert len(own) == 1 or moment(section[1].text)
        found.append(location(section[0].text))
    return found


def check_urlset(root: Element) -> dict[str, Entry]:
    assert root.tag == f"{SITEMAP}urlset"
    assert 1 <= len(root) <= 50_000
    entries = dict(map(check_url, root))
    assert len(entries) == len(root)
    return entries


def check_url(url: Element) -> tuple[str, Entry]:
    assert url.tag == f"{SITEMAP}url"
    own = [child.tag for child in url if child.tag.startswith(SITEMAP)]
    assert own in ([f"{SITEMAP}loc"], [f"{SITEMAP}loc", f"{SITEMAP}lastmod"])
    assert [child.tag for child in url][: len(own)] == own
    entry = Entry(lastmod=moment(url[1].text) if len(own) > 1 else None)
    for child in url[len(own) :]:
        read_extension(child, entry)
    return location(url[0].text), entry


def read_extension(child: Element, entry: Entry) -> None:
    if child.tag == f"{IMAGE}image":
        assert [part.tag for part in child] == [f"{IMAGE}loc"]
        entry.images.append(location(child[0].text))
    elif child.tag == f"{VIDEO}video":
        video = {part.tag.removeprefix(VIDEO): part.text or "" for part in child}
        assert list(video) == VIDEO_ORDER
        assert 1 <= len(video["title"]) <= 100
        assert 1 <= len(video["description"]) <= 2048
        assert location(video["thumbnail_loc"])
        assert location(video["content_loc"])
        entry.videos.append(video)
    else:
        assert child.tag == f"{XHTML}link"
        assert child.get("rel") == "alternate"
        assert child.attrib["hreflang"] not in entry.alternates
        entry.alternates[child.attrib["hreflang"]] = location(child.get("href"))


def location(text: str | None) -> str:
    assert text
    assert 12 <= len(text) <= 2048
    assert urlsplit(text).scheme in ("http", "https")
    assert urlsplit(text).netloc
    return text


def moment(text: str | None) -> datetime:
    parsed = datetime.fromisoformat(text or "")
    assert parsed.tzinfo
    return parsed
