"""The values that go in and out of the media pipeline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capsules.media.probe import Film

Progress = Callable[[int], None]
"""Told the percentage done, 0 to 100, at least once a second. What it raises stops the work and goes on."""


@dataclass(frozen=True)
class Facts:
    """What a source file is, after looking inside it."""

    kind: str  # "picture" or "film"
    media_type: str
    extension: str  # without a dot
    width: int  # as displayed, after rotation
    height: int
    duration: float | None  # seconds, films only
    sound: bool = False  # films are shown without it
    film: Film | None = field(default=None, repr=False, compare=False)  # what more was seen, for `take_still`


@dataclass(frozen=True)
class Rendition:
    """One output file."""

    role: str  # "landscape", "portrait", "film", "card" or "clip"
    format: str  # "avif", "webp", "jpeg", "mp4" or "webm"
    media_type: str  # for <source type>, films with their codecs
    path: Path
    width: int
    height: int
    bytes: int
    duration: float | None = None  # seconds, films only


@dataclass(frozen=True)
class Result:
    """All that one job made."""

    renditions: list[Rendition]
    colour: str | None = None  # "#rrggbb", stills only: dark, white text on it has a contrast of 7:1 or more
