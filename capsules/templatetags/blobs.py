"""Addresses of blobs in templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import template

from capsules import storage

register = template.Library()


@register.filter
def blob_url(name: str) -> str:
    """Where readers get a blob."""
    return storage.blobs().url(name)


@register.filter
def srcset(pictures: list[dict[str, Any]]) -> str:
    """The srcset of pictures {name, width}."""
    return ", ".join(f"{blob_url(picture['name'])} {picture['width']}w" for picture in pictures)


@register.filter
def largest(pictures: list[dict[str, Any]]) -> dict[str, Any]:
    return max(pictures, key=lambda picture: picture["width"])


@register.filter
def focus(point: Sequence[float]) -> str:
    """The classes (static/looks.css) that tell crops of a picture where to look."""
    x, y = (round(100 * float(part)) for part in point)
    return f"x{x} y{y}"


@register.filter
def colour(value: str) -> str:
    """The classes (static/looks.css) of a colour "#rrggbb", to the nearest that they know."""
    red, green, blue = (part // 8 for part in bytes.fromhex(value.removeprefix("#")))
    return f"r{red} g{green} b{blue}"
