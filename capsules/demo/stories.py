"""The capsules of the demo, as `stories.toml` tells them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from config.json_types import JsonObject


class Look(TypedDict, total=False):
    """Columns of a story: see `capsules.fields`."""

    theme: str
    accent: str
    face: str


@dataclass(frozen=True)
class DemoScene:
    """One scene; `picture` is a name in `pictures.FOCUS`, a finale is shown as a still."""

    title: str
    text: str
    alt: str
    picture: str
    finale: bool = False


@dataclass(frozen=True)
class DemoStory:
    """One capsule of the demo; `language` is a BCP 47 code, `look` what differs from the usual one."""

    title: str
    summary: str
    language: str
    author: str
    scenes: tuple[DemoScene, ...]
    look: Look | None = None

    @classmethod
    def read(cls, told: JsonObject) -> DemoStory:
        last = len(told["scenes"]) - 1
        return cls(
            title=told["title"],
            summary=told["summary"],
            language=told.get("language", "en"),
            author=told["author"],
            scenes=tuple(
                DemoScene(**{"alt": TOLD["alts"][scene["picture"]], **scene}, finale=number == last)
                for number, scene in enumerate(told["scenes"])
            ),
            look=told.get("look"),
        )


TOLD = tomllib.loads(Path(__file__).with_name("stories.toml").read_bytes().decode())
LIVE, READY, HARBOUR = (tuple(map(DemoStory.read, TOLD[group])) for group in ("live", "ready", "harbour"))
#: Editions of the first story: name, label and words.
EDITIONS = tuple((told["name"], told["label"], DemoStory.read(told)) for told in TOLD["editions"])
