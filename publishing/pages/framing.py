"""How a scene's picture or film stands on a screen: filling it, or whole beside or above the words. A picture far
smaller than a screen stands whole, too, and no larger than twice its pixels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypedDict

from capsules.content import BakedScene, Picture, Still
from capsules.painter.crops import (
    PORTRAIT_RATIO,
    UPRIGHT,
    Focus,
    Size,
    focus_in_crop,
    is_cut_on_phones,
    is_low,
    is_narrow,
)

WIDE_FILM, SQUARE_FILM = 1.0, 1.2
PANORAMA = 2.4
FORMATS = ("avif", "webp", "jpeg")


class Source(TypedDict):
    """One kind of file that a <picture> offers."""

    portrait: bool
    format: str
    pictures: list[Picture]
    sizes: str


@dataclass(frozen=True)
class Framing:
    """How one scene is framed on tall and on wide screens; `classes` for static/scenes.css."""

    ratio: float  # of what is shown, width to height
    whole_tall: bool
    whole_wide: bool
    full: bool  # upright: on a tall screen it goes from edge to edge
    small: int | None  # how wide it is, where it stands whole and is too small to fill its room
    panorama: bool  # on a tall screen a part of it, as wide as the screen, stands above the words
    sources: list[Source]
    portrait_focus: Focus | None  # in the portrait crop, where that is offered

    @property
    def is_whole(self) -> bool:
        return self.whole_tall or self.whole_wide

    @property
    def classes(self) -> str:
        named = {
            "whole-tall": self.whole_tall,
            "whole-wide": self.whole_wide,
            "full": self.full,
            "panorama": self.panorama,
        }
        sizes = [ratio_class(self.ratio), *([f"small{math.ceil(self.small / 40)}"] if self.small else [])]
        return " ".join([*(name for name, holds in named.items() if holds), *sizes])


def framing_of(scene: BakedScene) -> Framing:
    film = scene["film"]["mp4"] if scene["film"] and not scene.get("camera") else None
    whole = next(iter(scene["still"].get("landscape", {}).get("jpeg", [])[-1:]), None)
    shown = film or whole
    ratio = shown["width"] / shown["height"] if shown else 16 / 9
    fit = scene.get("fit", "auto")
    panorama = fit == "auto" and film is None and ratio >= PANORAMA
    is_cut = "subject" in scene and is_cut_on_phones(scene["subject"], ratio)
    is_wide = ratio >= WIDE_FILM if film else panorama or is_cut
    size = None if film or whole is None else size_of(whole)
    low, narrow = size is not None and is_low(size), size is not None and is_narrow(size)
    is_upright = ratio < (SQUARE_FILM if film else UPRIGHT)
    whole_tall = fit == "contain" or (fit == "auto" and (is_wide or low))
    whole_wide = fit == "contain" or (fit == "auto" and (is_upright or narrow))
    small = shown["width"] if shown and is_narrow(size_of(shown)) and (whole_tall or whole_wide) else None
    cropped = film is None and not whole_tall  # what stands for a film is framed as the film is
    return Framing(
        ratio=ratio,
        whole_tall=whole_tall,
        whole_wide=whole_wide,
        full=ratio < UPRIGHT and not whole_tall,
        small=small,
        panorama=panorama,
        sources=sources_of(
            scene["still"],
            cropped=cropped,
            sizes=sizes_of(ratio, whole_tall=whole_tall and not panorama, whole_wide=whole_wide),
        ),
        portrait_focus=portrait_focus_of(scene, whole) if cropped else None,
    )


def size_of(picture: Picture) -> Size:
    return picture["width"], picture["height"]


def portrait_focus_of(scene: BakedScene, whole: Picture | None) -> Focus | None:
    """Where the focus lies in the portrait crop of the still; None where it has none."""
    if whole is None or not scene["still"].get("portrait"):
        return None
    x, y = scene["focus"]
    return focus_in_crop((whole["width"], whole["height"]), PORTRAIT_RATIO, (x, y))


def sources_of(still: Still, *, cropped: bool, sizes: str) -> list[Source]:
    """What a <picture> offers, best first: the portrait crops for portrait screens, the whole picture else."""
    of_crops = {"portrait": "max(100vw, 44vh)", "landscape": sizes}
    return [
        {
            "portrait": crop == "portrait",
            "format": format,
            "pictures": still[crop][format],
            "sizes": of_crops[crop],
        }
        for crop in (("portrait", "landscape") if cropped else ("landscape",))
        for format in FORMATS
        if still.get(crop, {}).get(format)
    ]


def sizes_of(ratio: float, *, whole_tall: bool, whole_wide: bool) -> str:
    """How wide a browser draws the whole picture: it covers the screen, unless it stands whole."""
    height = f"{math.ceil(100 * ratio)}vh"
    tall = "100vw" if whole_tall else f"max(100vw, {height})"
    wide = f"min(54vw, {height})" if whole_wide else f"max(100vw, {height})"
    return wide if tall == wide else f"(orientation: portrait) {tall}, {wide}"


def ratio_class(ratio: float) -> str:
    """The class of a shape in static/looks.css: its shorter side in percent of the longer one."""
    return f"tall{round(100 * ratio)}" if ratio < 1 else f"wide{round(100 / ratio)}"
