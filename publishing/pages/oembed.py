"""GET /oembed (oembed.com): from the link of a capsule to the frame that shows it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qs, urlsplit
from xml.etree import ElementTree

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from capsules.content import BakeContent
from capsules.templatetags.blobs import blob_url
from config.links import absolute
from publishing.models.publications import PUBLIC_PATH
from publishing.pages import reading
from publishing.pages.link_tags import LEAST_HEIGHT, embed_html
from publishing.pages.reading import Reading, link_picture_of
from publishing.pages.views import CACHE_CONTROL

VERSION = "1.0"
CACHE_AGE = 300  # seconds; soon enough for a capsule that was unpublished
USUAL = (640, 360)
LARGEST = (1280, 720)
NO_CONTROL = re.compile(r"[\x21-\x7e]+")  # urlsplit would quietly drop tabs and line ends
DEFAULT_PORTS = {"http": 80, "https": 443}


Description = dict[str, str | int]
"""The members of an answer, in the names that oEmbed has for them."""


class Box(NamedTuple):
    """The largest size that the consumer has room for, in pixels; None means no limit."""

    width: int | None
    height: int | None

    def admits(self, width: int, height: int) -> bool:
        return width <= (self.width or width) and height <= (self.height or height)

    def frame(self) -> tuple[int, int]:
        """The largest 16:9 frame in it, higher where that is too low; the usual one without any limit."""
        if self.width is None and self.height is None:
            return USUAL
        width = min(self.width or LARGEST[0], LARGEST[0])
        height = min(self.height or LARGEST[1], LARGEST[1])
        scale = min(width / LARGEST[0], height / LARGEST[1])
        return max(1, int(LARGEST[0] * scale)), max(int(LARGEST[1] * scale), min(height, LEAST_HEIGHT))


@csrf_exempt
@require_safe
def oembed(request: HttpRequest) -> HttpResponse:
    """400 without a url, 404 where it opens no live capsule here, 501 for formats other than json and xml."""
    url, format = request.GET.get("url", ""), request.GET.get("format", "json")
    if format not in ("json", "xml"):
        return oembed_response({"error": "The formats are json and xml."}, "json", status=501)
    if not url:
        return oembed_response({"error": "Say which capsule: url is missing."}, format, status=400)
    found = read_at(url)
    if found is None:
        return oembed_response({"error": "This address opens no capsule."}, format, status=404)
    box = Box(pixels(request.GET.get("maxwidth", "")), pixels(request.GET.get("maxheight", "")))
    return oembed_response(description(found, box), format)


def read_at(url: str) -> Reading | None:
    """What a public link of this service opens, page or embed, with or without an edition; None for any other."""
    if not NO_CONTROL.fullmatch(url) or "\\" in url:
        return None
    try:
        parts = urlsplit(url)
        ours = origin(parts) == origin(urlsplit(settings.APP_URL))
    except ValueError:
        return None
    path = PUBLIC_PATH.fullmatch(parts.path.removesuffix("/"))  # whose page leads there
    if not ours or path is None:
        return None
    edition = parse_qs(parts.query).get("edition", [""])[-1]
    return reading.find_reading(path["workspace"], path["slug"], edition)


def origin(parts: SplitResult) -> tuple[str, str, int | None]:
    """Scheme, host and port. Raises ValueError for a link with a login or a broken port."""
    if "@" in parts.netloc:
        raise ValueError("a link with a login in it is not a public link")
    return parts.scheme, (parts.hostname or ""), parts.port or DEFAULT_PORTS.get(parts.scheme)


def pixels(text: str) -> int | None:
    """A limit in pixels; None for anything but a positive whole number."""
    digits = text.lstrip("0")
    return int(digits) if re.fullmatch(r"[1-9][0-9]{0,8}", digits, re.ASCII) else None


def description(found: Reading, box: Box) -> Description:
    width, height = box.frame()
    workspace = found.publication.story.workspace
    return {
        "version": VERSION,
        "type": "video",
        "title": found.content["title"],
        **({"author_name": found.content["author"]} if found.content["author"] else {}),
        "provider_name": found.site_name,
        **(
            {"provider_url": settings.APP_URL, "author_url": f"{settings.APP_URL}/{workspace.name}"}
            if found.service
            else {}
        ),
        "cache_age": CACHE_AGE,
        "width": width,
        "height": height,
        "html": str(embed_html(found, width, height, most_height=box.height)),
        **thumbnail(found.content, box),
    }


def thumbnail(content: BakeContent, box: Box) -> Description:
    """The link-preview picture, or the largest of the cover's pictures that the consumer has room for; {} for none."""
    still = content["scenes"][content["cover"]]["still"]
    smaller = sorted(still["landscape"]["jpeg"], key=lambda picture: -int(picture["width"]))
    for picture in (link_picture_of(content), *smaller):
        if box.admits(picture["width"], picture["height"]):
            url = absolute(blob_url(picture["name"]))
            return {
                "thumbnail_url": url,
                "thumbnail_width": picture["width"],
                "thumbnail_height": picture["height"],
            }
    return {}


def oembed_response(body: Mapping[str, str | int], format: str, *, status: int = 200) -> HttpResponse:
    response: HttpResponse = JsonResponse(body, status=status)
    if format == "xml":
        response = HttpResponse(xml(body), status=status, content_type="text/xml; charset=utf-8")
    response["Access-Control-Allow-Origin"] = "*"
    if status == 200:
        response["Cache-Control"] = CACHE_CONTROL
    return response


def xml(body: Mapping[str, str | int]) -> bytes:
    root = ElementTree.Element("oembed")
    for name, value in body.items():
        ElementTree.SubElement(root, name).text = xml_text(str(value))
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def xml_text(text: str) -> str:
    """The text without the characters that XML cannot contain."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)
