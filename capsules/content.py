"""The shapes of the JSON that is kept of a story: what encodes made, what a preview froze, what a bake shows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NotRequired, TypedDict, cast

from django.db.models import Model

from capsules.fields import SCENE, STORY, Field, row_json


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


class SceneFields(TypedDict):
    """Those of `fields.SCENE.shown` that code reads; templates find every one."""

    title: str
    text: str
    alt: str
    focus: list[float]  # two fractions that crops keep
    fit: str
    place: str
    size: str
    finale: bool
    #: Left, top, right, bottom of the faces that its focus stands for, as fractions of its still.
    subject: NotRequired[list[float]]


class FrozenScene(SceneFields):
    """A scene of a preview, with the keys of the encodes that render it."""

    still: int | None
    animation: int | None


class Movement(TypedDict):
    """What moves in a scene."""

    camera: bool  # the browser moves the still, as capsules/painter/camera.py says
    film: dict[str, Film] | None  # by format; beside `camera` one of an old bake, which pages do not show


class BakedScene(SceneFields, Movement):
    """A scene as readers get it."""

    colour: str
    still: Still


class Look(TypedDict):
    theme: str
    accent: str | None  # "#rrggbb"
    face: str


class StoryFields(TypedDict):
    """Those of `fields.STORY.shown` that code reads."""

    title: str
    summary: str
    author: str
    language: str
    look: Look


class Head(StoryFields):
    cover: int  # position of the scene whose still is the chosen image


class PreviewContent(Head):
    card: int | None  # key of the encode of the link-preview picture
    scenes: list[FrozenScene]


class BakeContent(Head):
    card: Picture | None
    scenes: list[BakedScene]


def story_fields(story: Model | Mapping[str, object]) -> StoryFields:
    """What readers get of a story's own fields: of its row, or of what is kept of it."""
    return cast(StoryFields, json_of(story, STORY.shown))


def scene_fields(scene: Model | Mapping[str, object]) -> SceneFields:
    """What readers get of a scene's fields: of its row, or of what is kept of it."""
    subject = scene.get("subject") if isinstance(scene, Mapping) else getattr(scene, "subject", None)
    return cast(SceneFields, json_of(scene, SCENE.shown) | ({"subject": subject} if subject else {}))


def json_of(of: Model | Mapping[str, object], fields: Collection[Field]) -> dict[str, object]:
    return (
        {field.name: of[field.name] for field in fields} if isinstance(of, Mapping) else row_json(of, fields)
    )


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
