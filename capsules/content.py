"""The shapes of the JSON that is kept of a story: what encodes made, what a preview froze, what a bake shows."""

from __future__ import annotations

from typing import TypedDict


class Picture(TypedDict):
    """One file that readers load; `name` names a blob."""

    name: str
    media_type: str
    width: int
    height: int
    bytes: int


class Film(Picture):
    duration: float  # seconds


class Rendition(Film):
    """One output of an encode. A picture has no duration: it is null there."""

    role: str  # "landscape", "portrait", "film", "card" or "clip"
    format: str


class Outputs(TypedDict):
    """What an encode made."""

    colour: str | None  # "#rrggbb", stills only
    renditions: list[Rendition]


Still = dict[str, dict[str, list[Picture]]]
"""Pictures by role and format, the narrowest first."""


class SceneWords(TypedDict):
    title: str
    text: str
    alt: str
    focus: list[float]  # two fractions that crops keep
    finale: bool


class FrozenScene(SceneWords):
    """A scene of a preview, with the keys of the encodes that render it."""

    still: int | None
    animation: int | None


class BakedScene(SceneWords):
    """A scene as readers get it."""

    colour: str
    still: Still
    film: dict[str, Film] | None  # by format


class Head(TypedDict):
    title: str
    summary: str
    author: str
    language: str
    cover: int  # position of the scene whose still is the chosen image


class PreviewContent(Head):
    card: int | None  # key of the encode of the link-preview picture
    scenes: list[FrozenScene]


class BakeContent(Head):
    card: Picture | None
    scenes: list[BakedScene]


def picture_of(rendition: Rendition) -> Picture:
    return {
        "name": rendition["name"],
        "media_type": rendition["media_type"],
        "width": rendition["width"],
        "height": rendition["height"],
        "bytes": rendition["bytes"],
    }


def film_of(rendition: Rendition) -> Film:
    return {**picture_of(rendition), "duration": rendition["duration"]}
