"""Water: what it mirrors, how it moves, how light lies on it."""

import math
from random import Random

from PIL import Image, ImageFilter

from .paint import Canvas, Paint, gradient
from .shapes import HEIGHT, WIDTH, Outline, lens


def water(
    c: Canvas,
    horizon: int,
    tint: Paint,
    *,
    mirror: float = 0.75,
    ripple: float = 1.0,
) -> None:
    """Water below the horizon, mirroring what was painted above it.

    `mirror` (0 to 1) is how clear the reflection is at the horizon; it fades towards the viewer.
    """
    tall = HEIGHT - horizon  # less than half of the picture, so there is enough above to mirror
    above = c.image.crop((0, horizon - tall, WIDTH, horizon))
    flipped = above.transpose(Image.Transpose.FLIP_TOP_BOTTOM).filter(ImageFilter.BoxBlur((1, 3)))
    body = gradient((WIDTH, tall), [tint] if isinstance(tint, str) else tint)
    fade = [round(255 * mirror * (1 - 0.72 * i / 255)) for i in range(256)]
    share = Image.linear_gradient("L").point(fade).resize((WIDTH, tall), Image.Resampling.BICUBIC)
    surface = Image.composite(flipped, body, share)
    c.image.paste(_rippled(surface, ripple), (0, horizon))


def _rippled(surface: Image.Image, strength: float) -> Image.Image:
    """Each row moved sideways by waves that grow towards the viewer."""
    moved = surface.copy()
    for y in range(0, surface.height, 2):
        depth = y / surface.height
        phase = 70 * math.log1p(depth * 9)
        shift = strength * (1.5 + 13 * depth) * (math.sin(phase) + 0.5 * math.sin(phase * 2.3 + 1))
        row = surface.crop((0, y, WIDTH, min(y + 2, surface.height)))
        moved.paste(row, (round(shift), y))
    return moved


def glitter(
    c: Canvas,
    x: float,
    colour: str,
    seed: int,
    *,
    top: float,
    bottom: float,
    width: float,
    count: int = 120,
    alpha: float = 0.7,
    spread: float = 2.2,
) -> None:
    """The broken path of a light on water, below x; it widens and its glints grow towards the viewer."""
    rng = Random(seed)
    layers: list[list[Outline]] = [[], [], []]
    for _ in range(count):
        t = rng.random() ** 1.5
        y = top + (bottom - top) * t
        half = width * (0.35 + spread * t)
        off = rng.gauss(0, 0.36) * half
        long = (7 + 44 * t) * rng.uniform(0.4, 1.5) * (1 - min(0.8, abs(off) / half / 1.6))
        layers[rng.randrange(3)].append(lens(x + off, y, long, 1.4 + 4.6 * t))
    for strength, part in zip((1.0, 0.65, 0.35), layers, strict=True):
        c.light(part, colour, alpha=alpha * strength, blur=0.6)


def swell(
    c: Canvas, seed: int, colour: str, *, top: float, bottom: float, count: int = 40, alpha: float = 0.2
) -> None:
    """Long low lines of light on the water, wider and further apart towards the viewer."""
    rng = Random(seed)
    lines: list[list[Outline]] = [[], []]
    for _ in range(count):
        t = rng.random() ** 1.6
        y = top + (bottom - top) * t
        lines[rng.randrange(2)].append(
            lens(rng.uniform(0, WIDTH), y, rng.uniform(40, 120) * (0.6 + 2.4 * t), 1.2 + 4 * t)
        )
    c.light(lines[0], colour, alpha=alpha, blur=1)
    c.light(lines[1], colour, alpha=alpha * 0.5, blur=1.6)
