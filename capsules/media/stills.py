"""Pictures made of pictures: the renditions of a still, and the link-preview picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from capsules.media.facts import Focus, Progress, Rendition, Result
from capsules.media.inspection import picture_type
from capsules.media.painting import paint


def make_still(source: Path, folder: Path, *, focus: Focus, progress: Progress) -> Result:
    """Draw all sizes and formats of a still into `folder`, with its ambient colour.

    Raises MediaRefused, EncodeFailed, and what `progress` raises.
    """
    media_type = picture_type(source)
    made = paint(
        "stills", progress, source=str(source), media_type=media_type, focus=focus, folder=str(folder)
    )
    progress(100)
    return Result([_rendition(**one) for one in made["renditions"]], made["colour"])


def make_card(source: Path, folder: Path, *, focus: Focus, progress: Progress) -> Result:
    """Draw the link-preview picture, 1200 x 630, into `folder`. Raises as `make_still` does."""
    path = str(folder / "card.jpeg")
    media_type = picture_type(source)
    made = paint("card", progress, source=str(source), media_type=media_type, focus=focus, path=path)
    progress(100)
    return Result([_rendition("card", "jpeg", path, made["size"])])


def _rendition(role: str, format: str, path: str, size: Any) -> Rendition:
    width, height = size
    return Rendition(role, format, f"image/{format}", Path(path), width, height, Path(path).stat().st_size)
