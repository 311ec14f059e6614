"""What hangs in the sky: stars, moons, clouds, birds, rain, auroras."""

import math
from collections.abc import Sequence
from random import Random

from .paint import Canvas, Paint
from .shapes import WIDTH, Outline, ellipse, lens, placed, stroke, turned, waviness


def stars(c: Canvas, seed: int, *, count: int, floor: float, colour: str = "#fff6e4") -> None:
    """Stars down to the height `floor`, thinning out as they sink into the haze."""
    rng = Random(seed)
    faint: list[Outline] = []
    clear: list[Outline] = []
    for _ in range(count):
        x, y = rng.uniform(0, WIDTH), floor * rng.random() ** 1.35
        size = 0.7 + 1.5 * rng.random() ** 4
        (clear if rng.random() < 0.35 * (1 - y / floor) + 0.08 else faint).append(ellipse(x, y, size))
    c.light(faint, colour, alpha=0.4)
    c.light(clear, colour, alpha=0.9)
    for outline in clear[:: max(1, len(clear) // 9)]:
        x, y = outline[0]
        c.glow(x, y, 14, colour, alpha=0.45)


def moon(
    c: Canvas, x: float, y: float, radius: float, *, colour: str = "#f6efd9", dim: str = "#d9d0b8"
) -> None:
    """A full moon with its halo and its seas."""
    c.glow(x, y, radius * 9, colour, alpha=0.26, power=2.6)
    c.glow(x, y, radius * 2.6, colour, alpha=0.35, power=2)
    disc = ellipse(x, y, radius)
    c.fill([disc], (colour, "#efe4c6"))
    seas = [(-0.3, -0.25, 0.24), (0.12, -0.42, 0.15), (0.3, 0.1, 0.2), (-0.18, 0.32, 0.17), (0.06, 0.02, 0.1)]
    spots = [ellipse(x + dx * radius, y + dy * radius, r * radius) for dx, dy, r in seas]
    c.fill(spots, dim, alpha=0.55, blur=radius * 0.035, within=[disc])
    c.fill([ellipse(x + radius * 0.2, y + radius * 0.16, radius * 1.02)], dim, alpha=0.12, within=[disc])


def crescent(c: Canvas, x: float, y: float, radius: float, *, colour: str = "#fbf0d0") -> None:
    """A young moon, open to the upper left."""
    c.glow(x, y, radius * 7, colour, alpha=0.3, power=2.4)
    outer = ellipse(x, y, radius, arc=(-60, 150))
    inner = ellipse(x - radius * 0.36, y - radius * 0.3, radius * 0.93, arc=(-38, 126))
    c.fill([outer + inner[::-1]], colour)


def sun(c: Canvas, x: float, y: float, radius: float, *, colour: str, halo: str, reach: float = 8) -> None:
    """A sun's disc in its halo."""
    c.glow(x, y, radius * reach, halo, alpha=0.55, power=2.2)
    c.glow(x, y, radius * 2.8, halo, alpha=0.5, power=1.8)
    c.fill([ellipse(x, y, radius)], colour)


def streaks(
    c: Canvas, seed: int, colour: str, *, top: float, bottom: float, count: int = 9, alpha: float = 0.3
) -> None:
    """Long thin clouds of evening, soft at the ends."""
    rng = Random(seed)
    for _ in range(count):
        x, y = rng.uniform(-200, WIDTH + 200), rng.uniform(top, bottom)
        parts = [
            lens(
                x + rng.uniform(-120, 120), y + rng.uniform(-8, 8), rng.uniform(160, 520), rng.uniform(8, 26)
            )
            for _ in range(3)
        ]
        c.fill(parts, colour, alpha=alpha * rng.uniform(0.5, 1), blur=rng.uniform(6, 11))


def cumulus(
    c: Canvas,
    x: float,
    y: float,
    width: float,
    seed: int,
    paint: Paint,
    *,
    lit: str | None = None,
    blur: float = 1.2,
) -> None:
    """A heaped cloud with a flat base at y."""
    rng = Random(seed)
    heap, tops = [lens(x, y, width * 0.62, width * 0.09)], []
    for i in range(11):
        t = (i + 0.5) / 11 * 2 - 1
        size = width * (0.10 + 0.14 * (1 - t * t)) * rng.uniform(0.75, 1.15)
        cx, cy = x + t * width * 0.46, y - size * rng.uniform(0.45, 0.85)
        heap.append(ellipse(cx, cy, size))
        tops.append(ellipse(cx - size * 0.14, cy - size * 0.16, size * 0.84))
    base = [[(x - width, y - width), (x + width, y - width), (x + width, y + 4), (x - width, y + 4)]]
    c.fill(heap, paint, blur=blur, within=base)
    if lit:
        c.fill(tops, lit, alpha=0.6, blur=width * 0.02, within=base)


def birds(
    c: Canvas, x: float, y: float, seed: int, colour: str, *, count: int = 11, size: float = 17
) -> None:
    """A loose flock about the point, each bird two bent wings."""
    rng = Random(seed)
    flock: list[Outline] = []
    for i in range(count):
        side = 1 if i % 2 else -1
        px = x + side * (i // 2 + 0.5) * size * 2.6 + rng.uniform(-14, 14)
        py = y + (i // 2) * size * 0.95 * (1 if side > 0 else 0.6) + rng.uniform(-12, 12)
        flock += placed(
            turned(_bird(rng.uniform(0.1, 0.62)), rng.uniform(-14, 14)), px, py, size * rng.uniform(0.8, 1.15)
        )
    c.fill(flock, colour)


def _bird(lift: float) -> list[Outline]:
    """One bird, wings one unit long each."""
    left = [(-1.0, -lift), (-0.45, -lift * 0.95), (0.0, 0.0)]
    right = [(-x, y) for x, y in left]
    body = ellipse(0, 0.02, 0.16, 0.07)
    return [stroke(left, 0.05, 0.17), stroke(right, 0.05, 0.17), body]


def aurora(
    c: Canvas, seed: int, colour: str, *, y: float, height: float, tilt: float = 0, alpha: float = 0.5
) -> None:
    """A curtain of northern light whose lower edge waves about y."""
    swing, pleats = waviness(seed, 2), waviness(seed + 1, 3)
    for reach, strength, blur in ((1.0, 0.5, 26), (0.55, 0.6, 12), (0.22, 0.8, 6)):
        curtain: list[Outline] = []
        step = 16
        for x in range(-60, WIDTH + 60, step):
            foot = y + 90 * swing(x / 560) + tilt * (x - WIDTH / 2)
            tall = height * reach * (0.65 + 0.5 * pleats(x / 90))
            if pleats(x / 210 + 50) > -0.35:
                curtain.append(
                    [(x, foot), (x + step, foot), (x + step + 26, foot - tall), (x + 26, foot - tall)]
                )
        c.light(curtain, colour, alpha=alpha * strength, blur=blur)


def rain(
    c: Canvas, seed: int, *, count: int, colour: str, alpha: float, length: float = 60, lean: float = 0.16
) -> None:
    """Slanting rain in one sheet."""
    rng = Random(seed)
    drops: list[Outline] = []
    for _ in range(count):
        x, y, long = rng.uniform(-80, WIDTH + 80), rng.uniform(-60, 1080), length * rng.uniform(0.5, 1.2)
        drops.append([(x, y), (x + 1.3, y), (x + 1.3 - long * lean, y + long), (x - long * lean, y + long)])
    c.light(drops, colour, alpha=alpha)


def snowfall(c: Canvas, seed: int, *, count: int, colour: str = "#ffffff") -> None:
    """Falling flakes, near ones larger and softer."""
    rng = Random(seed)
    far = [ellipse(rng.uniform(0, WIDTH), rng.uniform(0, 1080), rng.uniform(0.8, 2)) for _ in range(count)]
    near = [
        ellipse(rng.uniform(0, WIDTH), rng.uniform(0, 1080), rng.uniform(3, 5)) for _ in range(count // 8)
    ]
    c.light(far, colour, alpha=0.5)
    c.light(near, colour, alpha=0.35, blur=2)


def rays(
    c: Canvas,
    x: float,
    y: float,
    colour: str,
    *,
    angles: Sequence[float],
    length: float,
    alpha: float,
    spread: float = 5,
) -> None:
    """Shafts of light from a point, each at an angle in degrees (90 is straight down)."""
    for angle in angles:
        ends = [
            (
                x + length * math.cos(math.radians(angle + half)),
                y + length * math.sin(math.radians(angle + half)),
            )
            for half in (-spread / 2, spread / 2)
        ]
        c.light([[(x, y), *ends]], colour, alpha=alpha, blur=14)
