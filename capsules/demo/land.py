"""Land: hills with haze, snow, trees, grass."""

import math
from collections.abc import Sequence
from random import Random

from .paint import Canvas, Paint
from .shapes import WIDTH, Outline, Point, band, below, curve, ellipse, height_at, lens, ridge, stroke


def hills(
    c: Canvas,
    seed: int,
    y: float,
    height: float,
    paint: Paint,
    *,
    wave: float = 520,
    rim: str | None = None,
    octaves: int = 4,
    floor: float = 1100,
) -> Outline:
    """A range of hills; returns its crest. `rim` is the colour of the light along the crest."""
    crest = ridge(seed, y, height, wave=wave, octaves=octaves)
    c.fill([below(crest, floor)], paint)
    if rim:
        c.fill([band(crest, 5)], rim, alpha=0.45, blur=1.5, within=[below(crest)])
    return crest


def mist(
    c: Canvas, y: float, colour: str, *, alpha: float = 0.4, thickness: float = 60, seed: int = 0
) -> None:
    """A bank of mist that lies across the picture about y, uneven."""
    rng = Random(seed)
    bank = [
        lens(rng.uniform(0, WIDTH), y + rng.uniform(-0.5, 0.5) * thickness, rng.uniform(300, 800), thickness)
        for _ in range(5)
    ]
    c.fill(bank, colour, alpha=alpha, blur=max(24, thickness * 0.5))


def pine(x: float, foot: float, height: float, seed: int) -> list[Outline]:
    """A spruce, tiers of drooping branches on a short trunk."""
    rng = Random(seed)
    parts: list[Outline] = [
        [(x - height * 0.02, foot + 4), (x - 1, foot - height * 0.5), (x + height * 0.02, foot + 4)]
    ]
    tiers = 8
    for i in range(tiers):
        t = i / tiers
        top = foot - height * (1 - t * 0.84)
        low = foot - height * (0.84 - t * 0.80)
        left, right = (height * (0.045 + 0.17 * (t + 0.08)) * rng.uniform(0.84, 1.14) for _ in range(2))
        parts.append(
            [
                (x, top - height * 0.01),
                (x + right * 0.42, low - height * 0.055),
                (x + right, low),
                (x + right * 0.45, low - height * 0.012),
                (x + right * 0.1, low + height * 0.012),
                (x - left * 0.4, low - height * 0.012),
                (x - left, low + height * 0.008),
                (x - left * 0.42, low - height * 0.05),
            ]
        )
    return parts


def pines(
    crest: Sequence[Point], seed: int, *, span: Point, count: int, size: Point, sink: float = 6
) -> list[Outline]:
    """A stand of spruces along a crest, between two x and with heights between two sizes."""
    rng = Random(seed)
    trees: list[Outline] = []
    for i in range(count):
        x = span[0] + (span[1] - span[0]) * (i + rng.uniform(0.1, 0.9)) / count
        height = size[0] + (size[1] - size[0]) * rng.random() ** 1.4
        trees += pine(x, height_at(crest, x) + sink, height, seed * 100 + i)
    return trees


def broadleaf(
    c: Canvas,
    x: float,
    foot: float,
    height: float,
    seed: int,
    *,
    dark: str,
    lit: str | None = None,
    bark: str,
    side: float = -1,
) -> None:
    """A round-crowned tree; `lit` is its sunny side, to the left when `side` is -1."""
    rng = Random(seed)
    trunk = curve(
        [(x, foot + 4), (x + height * 0.012, foot - height * 0.3), (x - height * 0.01, foot - height * 0.62)]
    )
    limbs = [stroke(trunk, height * 0.075, height * 0.03)]
    top = foot - height * 0.66
    for angle in (-58, -28, 24, 52):
        end = (
            x + math.sin(math.radians(angle)) * height * 0.3,
            top - math.cos(math.radians(angle)) * height * 0.2,
        )
        limbs.append(
            stroke(
                curve([(x, foot - height * 0.4), ((x + end[0]) / 2, top + height * 0.06), end]),
                height * 0.03,
                3,
            )
        )
    c.fill(limbs, bark)
    crown, sunny = [], []
    for i in range(26):
        angle, out = rng.uniform(0, 360), rng.random() ** 0.6
        px = x + math.cos(math.radians(angle)) * height * 0.27 * out
        py = top + math.sin(math.radians(angle)) * height * 0.22 * out - height * 0.03
        r = height * rng.uniform(0.075, 0.125)
        crown.append(ellipse(px, py, r))
        if i % 2 and side * (px - x) > -height * 0.1 and py < top + height * 0.06:
            sunny.append(ellipse(px + side * r * 0.25, py - r * 0.3, r * 0.66))
    c.fill(crown, dark)
    if lit:
        c.fill(sunny, lit, alpha=0.75, blur=height * 0.006, within=crown)


def grass(
    crest: Sequence[Point], seed: int, *, count: int, size: Point, lean: float = 0.2, span: Point = (0, WIDTH)
) -> list[Outline]:
    """Blades of grass along a crest."""
    rng = Random(seed)
    blades: list[Outline] = []
    for _ in range(count):
        x = rng.uniform(*span)
        y, tall = height_at(crest, x) + 6, rng.uniform(*size)
        tip = (x + tall * (lean + rng.uniform(-0.35, 0.35)), y - tall)
        blades.append(stroke(curve([(x, y), (x + (tip[0] - x) * 0.25, y - tall * 0.6), tip], 4), 3.2, 0.4))
    return blades


def peak(
    c: Canvas,
    x: float,
    top: float,
    foot: float,
    width: float,
    seed: int,
    *,
    shade: Paint,
    lit: Paint,
    light_from: int = 1,
) -> None:
    """A mountain with a lit and a shaded side, parted by a broken spur."""
    rng = Random(seed)

    def flank(side: int) -> Outline:
        steps = 9
        return [
            (
                x + side * width * (i / steps) ** 1.08 + rng.uniform(-0.022, 0.022) * width * min(i, 1),
                top
                + (foot - top) * (i / steps) ** 0.93
                + rng.uniform(-0.02, 0.02) * (foot - top) * min(i, 1),
            )
            for i in range(steps + 1)
        ]

    left, right = flank(-1), flank(1)
    spur = [
        (
            x + rng.uniform(-0.09, 0.09) * width * min(i, 1) - light_from * width * 0.022 * i,
            top + (foot - top) * i / 8,
        )
        for i in range(9)
    ]
    c.fill([left + right[::-1]], shade)
    sunny = right if light_from > 0 else left
    c.fill([sunny + spur[::-1]], lit, within=[left + right[::-1]])
