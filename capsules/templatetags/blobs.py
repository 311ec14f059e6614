"""Addresses of blobs in templates."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from django import template

from capsules import storage
from config.json_types import JsonObject

register = template.Library()


@register.filter
def blob_url(name: str) -> str:
    """Where readers get a blob."""
    return storage.blobs().url(name)


@register.filter
def srcset(pictures: list[JsonObject]) -> str:
    """The srcset of pictures {name, width}."""
    return ", ".join(f"{blob_url(picture['name'])} {picture['width']}w" for picture in pictures)


@register.filter
def largest(pictures: list[dict[str, object]]) -> JsonObject:
    return max(pictures, key=lambda picture: picture["width"])


@register.filter
def focus(point: Sequence[float]) -> str:
    """The classes (static/looks.css) that tell crops of a picture where to look."""
    x, y = (round(100 * float(part)) for part in point)
    return f"x{x} y{y}"


@register.filter
def portrait_focus(point: Sequence[float] | None) -> str:
    """The same for the portrait crop, to the nearest twentieth."""
    if point is None:
        return ""
    x, y = (5 * round(20 * float(part)) for part in point)
    return f"px{x} py{y}"


@register.filter
def bottom(part: float) -> str:
    """The class of where a subject ends, to the next lower twentieth of its picture."""
    return f"e{5 * ceil(20 * part)}"


@register.filter
def colour(value: str) -> str:
    """The classes (static/looks.css) of a colour "#rrggbb", to the nearest that they know."""
    red, green, blue = (part // 8 for part in bytes.fromhex(value.removeprefix("#")))
    return f"r{red} g{green} b{blue}"
