"""Where a crop lies in its picture, and where the focus lies in a crop: geometry alone."""

from __future__ import annotations

from collections.abc import Sequence

Focus = tuple[float, float]
"""The point that crops must keep, as fractions of width and height."""

Box = tuple[float, float, float, float]
Size = tuple[int, int]

MIN_SIDE = 32  # pixels, of pictures and films
MAX_RATIO = 8  # of the long side to the short one
PORTRAIT_RATIO = 9 / 16
SMALL = 640  # pixels: see `is_narrow` and `is_low`
UPRIGHT = 0.8  # width to height: the screen of a phone cuts little of such a picture, a wide screen too much


def is_narrow(size: Size) -> bool:
    """Whether a wide screen that it fills would show a picture more than twice as large as it is."""
    return size[0] < SMALL


def is_low(size: Size) -> bool:
    """The same of a phone's screen."""
    return size[1] < SMALL / 2


def subject_box(faces: Sequence[Sequence[float]], focus: Focus, proposed: Focus | None) -> list[float] | None:
    """What a focus stands for, as fractions of its picture: the face that it lies in, or all faces where it was
    proposed for them; None for any other, which is a point.
    """
    x, y = focus
    own = next((face for face in faces if face[0] <= x <= face[2] and face[1] <= y <= face[3]), None)
    if not faces or (proposed != focus and own is None):
        return None
    meant = faces if proposed == focus else [own or faces[0]]
    lefts, tops, rights, bottoms = zip(*meant, strict=True)
    return [min(lefts), min(tops), max(rights), max(bottoms)]


def is_cut_on_phones(subject: Sequence[float], ratio: float) -> bool:
    """Whether a phone's crop of a picture of width:height `ratio` is narrower than its subject: than two people, whose
    heads lie on both sides of it.
    """
    return (subject[2] - subject[0]) * ratio > PORTRAIT_RATIO


def crop_box(size: Size, ratio: float, focus: Focus) -> Box:
    """The largest box of width:height `ratio` in `size`, with `focus` as near to its middle as fits."""
    width = min(size[0], size[1] * ratio)
    height = min(size[1], size[0] / ratio)
    left = min(max(focus[0] * size[0] - width / 2, 0), size[0] - width)
    top = min(max(focus[1] * size[1] - height / 2, 0), size[1] - height)
    return left, top, left + width, top + height


def focus_in_crop(size: Size, ratio: float, focus: Focus) -> Focus:
    """The place of `focus` in that box, as fractions of it."""
    left, top, right, bottom = crop_box(size, ratio, focus)
    return (focus[0] * size[0] - left) / (right - left), (focus[1] * size[1] - top) / (bottom - top)
