"""The camera move of `animation = "auto"`: a slow push toward the focal point and back, forever."""

from __future__ import annotations

import math
from collections.abc import Iterator

from PIL import Image

from capsules.painter.crops import Box, Focus, Size

SECONDS = 6
RATE = 25  # frames a second
FRAMES = SECONDS * RATE
LONG_SIDE = 1280
NEAR = 1.16  # how far the camera pushes in
FAR = 1.03  # where it begins: not the whole picture, so that it can also drift


def frame_size(width: int, height: int) -> Size:
    """Even, in the proportions of the picture, and no larger than it or `LONG_SIDE`."""
    scale = min(1.0, LONG_SIDE / max(width, height))
    return _even(width * scale), _even(height * scale)


def working_size(frame: Size) -> Size:
    """The size that a picture needs so that even the nearest frame is not enlarged."""
    return math.ceil(frame[0] * NEAR), math.ceil(frame[1] * NEAR)


def frames(
    picture: Image.Image, size: Size, focus: Focus, *, rate: int = RATE, count: int = FRAMES
) -> Iterator[bytes]:
    """The first `count` frames of the loop as RGB bytes. The way back shows those of the way in: each is drawn once."""
    loop = SECONDS * rate
    kept: dict[int, bytes] = {}
    for number in range(count):
        step = min(number % loop, loop - number % loop)
        frame = kept.get(step) or _draw(picture, size, focus, step / loop)
        if loop - step < count:  # it will be shown again
            kept[step] = frame
        yield frame


def view(size: Size, focus: Focus, along: float, ratio: float) -> Box:
    """What the camera sees of a picture of `size`, `along` the way from 0 (far) to 1 (near).

    Zoom and corner move evenly, as a browser moves between two transforms: see `camera` in static/scenes.css.
    """
    far = _box(size, FAR, (1 - focus[0], 1 - focus[1]), ratio)
    near = _box(size, NEAR, focus, ratio)
    left, top = (a + (b - a) * along for a, b in zip(far[:2], near[:2], strict=True))
    width = (far[2] - far[0]) * FAR / (FAR + (NEAR - FAR) * along)
    return left, top, left + width, top + width / ratio


def _draw(picture: Image.Image, size: Size, focus: Focus, part: float) -> bytes:
    """The frame after a `part` of the loop, 0 to 1."""
    along = (1 - math.cos(2 * math.pi * part)) / 2  # at rest at both ends
    box = view(picture.size, focus, along, size[0] / size[1])
    return picture.resize(size, Image.Resampling.BICUBIC, box=box).tobytes()


def _box(size: Size, zoom: float, focus: Focus, ratio: float) -> Box:
    """The largest box of width:height `ratio`, divided by `zoom`, with `focus` as near to its middle as possible."""
    width = min(size[0], size[1] * ratio) / zoom
    height = width / ratio
    left = min(max(focus[0] * size[0] - width / 2, 0), size[0] - width)
    top = min(max(focus[1] * size[1] - height / 2, 0), size[1] - height)
    return left, top, left + width, top + height


def _even(side: float) -> int:
    return max(2, round(side / 2) * 2)
