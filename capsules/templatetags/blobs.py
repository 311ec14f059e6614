"""Addresses of blobs in templates."""

from __future__ import annotations

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
