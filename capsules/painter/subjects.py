"""What a picture is about, so that crops keep it: its faces, else where its detail is.

Runs only in the painter's own process, as all that looks into foreign pictures does. The cascades come in the package.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy
from PIL import Image

from capsules.painter.crops import Focus

SIDE = 640  # pixels of the longer side that faces are looked for in
SMALLEST_FACE = 1 / 14  # of the shorter side
SURE = 7  # neighbours that agree on a face: fewer find faces in leaves and clouds
INCLINED_SIDE = 400  # the same for faces of inclined heads, where there are no upright ones
SMALLEST_INCLINED = 1 / 7
TILT = 30  # degrees that a head is inclined
COARSE = 96  # pixels of the longer side that detail is measured in
NEAR, AROUND = (1.5, 3.0), 5  # pixels that a detail is wide, and how much wider what it is compared with
SPREAD = COARSE / 14  # of a subject around the point where most detail is
EVEN = 0.75  # power of a share of detail: one strong contrast must not outdo a thing of many weaker ones
MOST_FACES = 20

Face = list[float]  # left, top, right, bottom, as fractions of the picture
Array = numpy.ndarray[Any, numpy.dtype[Any]]


def main_subject(picture: Image.Image) -> tuple[Focus, list[Face]]:
    """The point that crops should keep, and the faces, the largest first."""
    cv2.setNumThreads(1)
    grey = picture.convert("L")
    faces = faces_in(grey)
    return (middle_of(faces) if faces else detail_in(picture.convert("RGB"))), faces


def faces_in(grey: Image.Image) -> list[Face]:
    """Upright ones; where there are none, large ones of inclined heads."""
    cascade = cv2.CascadeClassifier(str(Path(cv2.__file__).parent / "data/haarcascade_frontalface_alt2.xml"))
    whole = evened(grey, SIDE)
    faces = found_by(cascade, whole, 1.08, max(24, round(min(whole.shape) * SMALLEST_FACE)))
    if not faces:
        small = evened(grey, INCLINED_SIDE)
        least = max(24, round(min(small.shape) * SMALLEST_INCLINED))
        faces = inclined(cascade, small, least)
    return sorted(faces, key=lambda face: face[0] - face[2])[:MOST_FACES]


def evened(grey: Image.Image, side: int) -> Array:
    """In at most `side` pixels, with all shades used as often."""
    scale = min(1.0, side / max(grey.size))
    small = grey.resize((max(1, round(grey.width * scale)), max(1, round(grey.height * scale))))
    pixels: Array = cv2.equalizeHist(numpy.asarray(small))
    return pixels


def found_by(cascade: cv2.CascadeClassifier, pixels: Array, step: float, least: int) -> list[Face]:
    height, width = pixels.shape
    return [
        [round(float(part), 4) for part in (x / width, y / height, (x + w) / width, (y + h) / height)]
        for x, y, w, h in cascade.detectMultiScale(pixels, step, SURE, minSize=(least, least))
    ]


def inclined(cascade: cv2.CascadeClassifier, pixels: Array, least: int) -> list[Face]:
    """Upright boxes around faces that are upright once the picture is turned."""
    height, width = pixels.shape
    side = round(numpy.hypot(width, height))
    for angle in (TILT, -TILT):
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1)
        turn[:, 2] += (side - width) / 2, (side - height) / 2  # so that its corners stay in it
        turned = cv2.warpAffine(pixels, turn, (side, side), borderValue=128)
        back = cv2.invertAffineTransform(turn)
        faces = []
        for left, top, right, bottom in found_by(cascade, turned, 1.1, least):
            middle = back @ (side * (left + right) / 2, side * (top + bottom) / 2, 1)
            half = side * (right - left) / 2
            low, high = (middle - half) / (width, height), (middle + half) / (width, height)
            faces.append([round(float(part), 4) for part in (*low.clip(0, 1), *high.clip(0, 1))])
        if faces:
            return faces
    return []


def middle_of(faces: list[Face]) -> Focus:
    """The middle of all faces, of large ones more than of small ones."""
    areas = [(right - left) * (bottom - top) for left, top, right, bottom in faces]
    middles = [((left + right) / 2, (top + bottom) / 2) for left, top, right, bottom in faces]
    x, y = (
        sum(area * middle[axis] for area, middle in zip(areas, middles, strict=True)) / sum(areas)
        for axis in (0, 1)
    )
    return round(x, 3), round(y, 3)


def detail_in(picture: Image.Image) -> Focus:
    """Where the picture differs most from what is around it in colour and has the most edges, with a slight liking for
    its own middle. Of two such places it is the greater one: between them there is nothing.
    """
    scale = COARSE / max(picture.size)
    size = max(3, round(picture.width * scale)), max(3, round(picture.height * scale))
    pixels = numpy.asarray(picture.resize(size, Image.Resampling.BOX), dtype=numpy.float32) / 255
    colours = cv2.cvtColor(without_moon(pixels), cv2.COLOR_RGB2LAB)  # distances are as large as they look
    detail = shares(unlike_around(colours)) + shares(blurred(edges_in(colours[..., 0]), 2))
    across, down = (numpy.arange(side) + 0.5 for side in size)
    peak = (blurred(detail, SPREAD) * liking(size)).argmax()
    row, column = divmod(int(peak), size[0])
    distance = (across[None, :] - column) ** 2 + (down[:, None] - row) ** 2
    weights = detail**2 * numpy.exp(-distance / (2 * (1.3 * SPREAD) ** 2))
    if weights.sum() < 1e-9:  # nothing but one colour
        return 0.5, 0.5
    x = float((weights.sum(axis=0) * across).sum() / weights.sum() / size[0])
    y = float((weights.sum(axis=1) * down).sum() / weights.sum() / size[1])
    return round(x, 3), round(y, 3)


def without_moon(pixels: Array) -> Array:
    """With what is around it in the place of a small bright disc, where something else is about as bright."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    bright = grey > (numpy.median(grey) + grey.max()) / 2
    _, labels, found, _ = cv2.connectedComponentsWithStats(bright.astype(numpy.uint8))
    for number, (_, _, width, height, area) in enumerate(found[1:], start=1):
        round_enough = abs(width - height) <= 1 and abs(area / (width * height) - numpy.pi / 4) < 0.1
        if round_enough and COARSE / 24 <= width <= COARSE / 6 and (bright & (labels != number)).any():
            disc = cv2.dilate((labels == number).astype(numpy.uint8), numpy.ones((5, 5), numpy.uint8))
            filled = cv2.inpaint((pixels * 255).astype(numpy.uint8), disc, 3, cv2.INPAINT_TELEA)
            pixels = filled.astype(numpy.float32) / 255
    return pixels


def unlike_around(colours: Array) -> Array:
    """How far the colour of each pixel is from that of its surroundings."""
    return sum(
        (
            numpy.linalg.norm(blurred(colours, near) - blurred(colours, near * AROUND), axis=2)
            for near in NEAR
        ),
        numpy.zeros(colours.shape[:2]),
    )


def edges_in(grey: Array) -> Array:
    """The strength of edges, without those that a whole row or column has: horizons, shores and walls."""
    across, down = (numpy.abs(cv2.Sobel(grey, -1, *axis)) for axis in ((1, 0), (0, 1)))
    across = numpy.maximum(across - 1.5 * numpy.median(across, axis=0, keepdims=True), 0)
    down = numpy.maximum(down - 1.5 * numpy.median(down, axis=1, keepdims=True), 0)
    result: Array = numpy.hypot(across, down)
    return result


def blurred(values: Array, width: float) -> Array:
    result: Array = cv2.GaussianBlur(values, (0, 0), width, borderType=cv2.BORDER_REPLICATE)
    return result


def shares(values: Array) -> Array:
    """Of the largest, great ones evened; noise that nobody sees counts as nothing."""
    most = float(values.max())
    return (values / most) ** EVEN if most > 0.5 else numpy.zeros_like(values)


def liking(size: tuple[int, int]) -> Array:
    """1 in the middle of a picture, about three fifths in its corners."""
    across, down = (numpy.linspace(-1, 1, side) for side in size)
    result: Array = numpy.exp(-(across[None, :] ** 2 + down[:, None] ** 2) / 4)
    return result
