"""What hangs in the sky: stars, moons, clouds, birds, rain, auroras."""

import math
from collections.abc import Sequence
from random import Random

from .paint import Canvas, mix
from .shapes import WIDTH, Outline, ellipse, lens, waviness


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


def moon(c: Canvas, x: float, y: float, radius: float) -> None:
    """A full moon with its halo and its seas."""
    colour, dim = "#f6efd9", "#d9d0b8"
    c.glow(x, y, radius * 9, colour, alpha=0.26, power=2.6)
    c.glow(x, y, radius * 2.6, colour, alpha=0.35, power=2)
    disc = ellipse(x, y, radius)
    c.fill([disc], (colour, "#efe4c6"))
    seas = [(-0.3, -0.25, 0.24), (0.12, -0.42, 0.15), (0.3, 0.1, 0.2), (-0.18, 0.32, 0.17), (0.06, 0.02, 0.1)]
    spots = [ellipse(x + dx * radius, y + dy * radius, r * radius) for dx, dy, r in seas]
    c.fill(spots, dim, alpha=0.55, blur=radius * 0.035, within=[disc])
    c.fill([ellipse(x + radius * 0.2, y + radius * 0.16, radius * 1.02)], dim, alpha=0.12, within=[disc])


def crescent(
    c: Canvas,
    x: float,
    y: float,
    radius: float,
) -> None:
    """A young moon, open to the upper left."""
    colour = "#fbf0d0"
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
    c: Canvas, x: float, y: float, width: float, seed: int, *, lit: str, shade: str, side: float = -1
) -> None:
    """A heaped cloud whose base lies about y; the light comes from the left when `side` is -1."""
    rng = Random(seed)
    heap: list[tuple[float, float, float]] = []
    for i in range(17):
        t = (i + 0.5) / 17 * 2 - 1
        size = width * (0.05 + 0.13 * (1 - t * t)) * rng.uniform(0.7, 1.2)
        heap.append((x + t * width * 0.5, y - size * rng.uniform(0.75, 0.95), size))
        if abs(t) < 0.6:
            tower = size * rng.uniform(0.6, 0.95)
            heap.append((x + t * width * 0.42, y - size * 1.5 - tower * rng.uniform(0.1, 0.7), tower))
    whole = [ellipse(*puff) for puff in heap]
    c.fill(whole, (lit, lit, mix(lit, shade, 0.5), shade), blur=2.5)
    for share, tone in ((1.0, mix(lit, shade, 0.35)), (0.8, lit)):
        puffs = [
            ellipse(px + side * r * (1 - share) * 0.9, py - r * (1.06 - share), r * share * 0.92)
            for px, py, r in heap
            if py < y - width * 0.07
        ]
        c.fill(puffs, tone, alpha=0.6, blur=width * 0.012, within=whole)
    c.fill([lens(x, y, width * 0.6, width * 0.1)], shade, alpha=0.55, blur=width * 0.03, within=whole)


_VEIL = (0.3, 0.42, 0.55, 0.68, 0.84, 1.0)  # how much of an aurora's light is seen, from thin to full


def aurora(
    c: Canvas, seed: int, colour: str, *, y: float, height: float, tilt: float = 0, alpha: float = 0.5
) -> None:
    """A curtain of northern light: its foot waves about y, its rays fade upwards."""
    swing, pleats, veil = waviness(seed, 2), waviness(seed + 1, 3), waviness(seed + 2, 1)
    step = 12
    for reach, strength, blur in (
        (1.0, 0.26, 24),
        (0.72, 0.26, 12),
        (0.48, 0.3, 9),
        (0.26, 0.4, 7),
        (0.1, 0.5, 6),
    ):
        layers: list[list[Outline]] = [[] for _ in _VEIL]
        for x in range(-80, WIDTH + 80, step):
            foot = y + 110 * swing(x / 640) + tilt * (x - WIDTH / 2)
            tall = height * reach * (0.62 + 0.6 * pleats(x / 70))
            lean = tall * 0.08
            strip = [(x, foot), (x + step, foot), (x + step + lean, foot - tall), (x + lean, foot - tall)]
            thin = (veil(x / 260) + 0.6) * len(_VEIL)
            layers[min(len(_VEIL) - 1, max(0, int(thin)))].append(strip)
        for part, share in zip(layers, _VEIL, strict=True):
            c.light(part, colour, alpha=alpha * strength * share, blur=blur)


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
    """Shafts of light from a point, each at an angle in degrees (90 is straight down), fading out."""
    for share in (1.0, 0.75, 0.5):
        shafts = []
        for angle in angles:
            ends = [math.radians(angle + half) for half in (-spread / 2, spread / 2)]
            far = length * share
            shafts.append([(x, y), *[(x + far * math.cos(a), y + far * math.sin(a)) for a in ends]])
        c.light(shafts, colour, alpha=alpha / 2, blur=14)


def beam(
    c: Canvas, x: float, y: float, to: tuple[float, float], colour: str, *, width: float, alpha: float
) -> None:
    """A lamp's beam from (x, y) to a point, bright at the lamp, wide and faint at its end."""
    for share, strength, blur in ((1.0, 0.9, 20), (0.62, 0.6, 12), (0.3, 0.6, 7)):
        half = width * share
        cone = [(x, y - 7), (x, y + 7), (to[0], to[1] + half), (to[0], to[1] - half)]
        c.light([cone], colour, alpha=alpha * strength, blur=blur, fade=(x, to[0]))
