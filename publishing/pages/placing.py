"""Where the words of a scene stand, so that they leave what its picture is about to be seen.

On wide screens and in embeds of that shape there are four places: at the foot or at the head, on either side. How much
of one words need is an estimate by their number; nothing is measured in the browser, so nothing moves once it is shown.
On tall screens words stand at the foot, and `static/scenes.css` lifts the picture so that its subject ends above them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import ceil
from typing import TypedDict

from capsules.content import BakeContent, BakedScene
from config.words import languages
from publishing import looks
from publishing.pages.framing import framing_of

Box = tuple[float, float, float, float]  # left, top, right, bottom

LOW = 0.62  # of the height: what lies lower has its words at the head before others
STEP, MOST_STEPS = 32, 16  # pixels, in which the height of words is told, and how many of them
AROUND = 0.05  # of a point, where nothing larger is known
SHORT = 0.64  # of the height of a phone: where words begin lower, the picture is seen as far
LETTER = 0.5  # of a type's size: the mean width of its letters


class Placed(TypedDict):
    side: str  # "start" or "end"
    shown_place: str  # top, middle or bottom as chosen, else "low" or "high"
    bottom: float  # of what the picture is about, as a fraction of it
    is_short: bool  # on a tall screen its words leave most of it free
    said: int  # about how high its words are on a tall screen, in steps of two rem (static/looks.css)


@dataclass(frozen=True)
class Shape:
    """A screen in pixels, and its words as the style sheets draw them there. `types`: size and height of a line."""

    width: int
    height: int
    margin: int  # beside the words; `inset` besides on the other side
    inset: int
    measure: int  # the longest line
    head: int  # where words begin at the head
    foot: int  # what they leave free at the foot
    types: dict[str, tuple[float, float]]
    title: tuple[float, float]
    opening: int  # the height of what else the first scene tells
    closing: int
    has_kickers: bool


PAGE = Shape(
    1440, 900, 58, 40, 576, 112, 63,
    {"large": (53, 64), "usual": (25.2, 38), "small": (18.7, 29)}, (78, 82), 215, 260, has_kickers=True,
)  # fmt: skip
EMBED = Shape(
    800, 450, 28, 104, 536, 80, 18,
    {"large": (37, 44), "usual": (19.6, 28.5), "small": (16, 25)}, (31.4, 35), 12, 56, has_kickers=False,
)  # fmt: skip
PHONE = Shape(
    360, 740, 20, 0, 320, 64, 52,
    {"large": (28, 34), "usual": (19, 28.5), "small": (16, 25)}, (32, 34), 180, 260, has_kickers=True,
)  # fmt: skip


def placed(content: BakeContent, index: int, shape: Shape) -> Placed:
    """Where the words of the scene at `index` stand."""
    side, place = side_and_place(content, index, shape)
    on_phone = size_of_words(content, index, PHONE)
    bottom, is_short = bottom_of(content["scenes"][index]), begins_low(content, index, on_phone)
    said = min(MOST_STEPS, ceil(on_phone[1] / STEP))
    return {"side": side, "shown_place": place, "bottom": bottom, "is_short": is_short, "said": said}


def side_and_place(content: BakeContent, index: int, shape: Shape) -> tuple[str, str]:
    scene = content["scenes"][index]
    mirrored = languages.direction(languages.page_language()) == "rtl"
    whole, point = subject_on(scene, shape, mirrored=mirrored)
    sides = ["end", "start"] if (point[0] + point[2]) / 2 < 0.47 else ["start", "end"]
    if scene["place"] != "auto" or framing_of(scene).whole_wide:  # chosen, or beside the picture
        place = scene["place"] if scene["place"] != "auto" else "low"
        return sides[0], place
    heights = ["high", "low"] if scene["focus"][1] > LOW else ["low", "high"]
    size = size_of_words(content, index, shape)
    places = [(side, height) for side, height in product(sides, heights)]
    boxes = {each: words_at(*each, size, shape) for each in places}
    best = next((each for each in places if not meet(boxes[each], whole)), None)
    return best or next((each for each in places if not meet(boxes[each], point)), places[0])


def begins_low(content: BakeContent, index: int, size: tuple[float, float]) -> bool:
    """Whether a scene's words, of this size, are so few that on a phone they begin in its last third; of the first and
    the last, which tell more than that, never.
    """
    if index in (0, len(content["scenes"]) - 1):
        return False
    return words_at("start", "low", size, PHONE)[1] > SHORT


def bottom_of(scene: BakedScene) -> float:
    return min(1.0, box_of_subject(scene)[3])


def box_of_subject(scene: BakedScene) -> Box:
    if "subject" in scene:
        left, top, right, bottom = scene["subject"]
        return left, top, right, bottom
    return around(scene)


def around(scene: BakedScene) -> Box:
    x, y = scene["focus"]
    return x - AROUND, y - AROUND, x + AROUND, y + AROUND


def subject_on(scene: BakedScene, shape: Shape, *, mirrored: bool) -> tuple[Box, Box]:
    """What a scene is about and its point, as fractions of a screen that its picture covers (see scenes.css)."""
    x, y = scene["focus"]
    aim = x, min(max(2 * y - 0.5, 0.0), 1.0)
    ratio, screen = framing_of(scene).ratio, shape.width / shape.height
    larger = max(1.0, ratio / screen), max(1.0, screen / ratio)

    def shown(box: Box) -> Box:
        left, top, right, bottom = (
            part * larger[axis % 2] - aim[axis % 2] * (larger[axis % 2] - 1) for axis, part in enumerate(box)
        )
        return (1 - right, top, 1 - left, bottom) if mirrored else (left, top, right, bottom)

    return shown(box_of_subject(scene)), shown(around(scene))


def size_of_words(content: BakeContent, index: int, shape: Shape) -> tuple[float, float]:
    """About how wide and high the words of a scene are, in pixels."""
    scene = content["scenes"][index]
    blocks: list[tuple[str, tuple[float, float]]] = [
        (line, shape.types[looks.size_of(scene)]) for line in scene["text"].strip().splitlines()
    ]
    besides = 0
    if index == 0:
        blocks.append((content["title"], shape.title))
        if shape.has_kickers:
            blocks.append((content["summary"] or "", (21.6, 31.3)))
        besides += shape.opening
    if index == len(content["scenes"]) - 1:
        besides += shape.closing
    if shape.has_kickers and scene["title"]:
        blocks.append((scene["title"].upper(), (13, 29)))
    widths = [len(text) * size * LETTER for text, (size, _) in blocks]
    height = sum(
        ceil(width / shape.measure) * line for width, (_, (_, line)) in zip(widths, blocks, strict=True)
    )
    widest = shape.measure if besides else min(shape.measure, max(widths, default=0))
    return widest, height + besides


def words_at(side: str, height: str, size: tuple[float, float], shape: Shape) -> Box:
    """The part of a screen that words of this size cover there, as fractions of it."""
    wide, high = size
    left = shape.margin if side == "start" else shape.width - shape.margin - shape.inset - wide
    top = shape.head if height == "high" else shape.height - shape.foot - high
    return (
        left / shape.width,
        top / shape.height,
        (left + wide) / shape.width,
        (top + high) / shape.height,
    )


def meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
