"""Trees and what grows under them."""

import math
from collections.abc import Sequence
from random import Random

from .paint import Canvas, mix
from .shapes import WIDTH, Outline, Point, curve, ellipse, height_at, lens, stroke, waviness


def pine(x: float, foot: float, height: float, seed: int) -> list[Outline]:
    """A spruce: ragged tiers of drooping branches on a short trunk."""
    rng = Random(seed)
    lean = height * rng.uniform(-0.012, 0.012)
    slim = rng.uniform(0.82, 1.12)
    trunk = stroke([(x, foot + 4), (x + lean, foot - height)], height * 0.035, 0.6)
    parts: list[Outline] = [trunk]
    tiers = 9 if height > 60 else 6
    for i in range(tiers):
        t = i / tiers
        top, low = foot - height * (1 - t * 0.86), foot - height * (0.85 - t * 0.89)
        middle = x + lean * (1 - t)
        reach = [height * slim * (0.04 + 0.18 * (t + 0.06)) * rng.uniform(0.78, 1.16) for _ in range(2)]
        parts.append(_tier(middle, top, low, reach[0], reach[1], height))
    return parts


def _tier(x: float, top: float, low: float, left: float, right: float, height: float) -> Outline:
    """One whorl of branches, its tips hanging a little below the rest."""
    return [
        (x, top - height * 0.012),
        (x + right * 0.4, low - height * 0.06),
        (x + right, low + height * 0.012),
        (x + right * 0.66, low - height * 0.008),
        (x + right * 0.36, low + height * 0.016),
        (x, low - height * 0.004),
        (x - left * 0.34, low + height * 0.014),
        (x - left * 0.68, low - height * 0.01),
        (x - left, low + height * 0.01),
        (x - left * 0.42, low - height * 0.058),
    ]


def pines(
    crest: Sequence[Point], seed: int, *, span: Point, count: int, size: Point, sink: float = 6
) -> list[Outline]:
    """Spruces along a crest between two x, in groups, with heights between two sizes."""
    rng, crowd = Random(seed), waviness(seed + 7, 2)
    group = 40 + 1.4 * size[1]  # how far apart the groups stand, in pixels
    trees: list[Outline] = []
    for i in range(count):
        x = span[0] + (span[1] - span[0]) * (i + rng.uniform(-0.7, 1.7)) / count
        vigour = 0.5 + 0.5 * crowd(x / group)
        if vigour > 0.3:
            height = size[0] + (size[1] - size[0]) * vigour * rng.uniform(0.4, 1.1)
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
    lit: str,
    bark: str,
    side: float = -1,
) -> None:
    """A tree with a full crown of leaf; `lit` is its sunny side, to the left when `side` is -1."""
    rng = Random(seed)
    top = foot - height * 0.64
    c.fill(_limbs(x, foot, top, height), bark)
    lobes = _lobes(rng, x, top, height)
    c.fill(
        [ellipse(*lobe) for lobe in lobes]
        + [leaf for lobe in lobes for leaf in _leaves(rng, lobe, 24, 0.3, reach=1.02)],
        dark,
    )
    for count, tone, shift, size in ((46, 0.34, 0.06, 0.24), (40, 0.66, 0.2, 0.19), (30, 1.0, 0.36, 0.14)):
        leaves: list[Outline] = []
        for lx, ly, r in lobes:
            moved = (lx + side * r * shift, ly - r * shift, r * (1 - shift * 0.7))
            leaves += _leaves(rng, moved, count, size, reach=0.94)
        c.fill(leaves, mix(dark, lit, tone), alpha=0.85)


def _limbs(x: float, foot: float, top: float, height: float) -> list[Outline]:
    trunk = curve([(x, foot + 4), (x + height * 0.014, foot - height * 0.26), (x - height * 0.01, top)])
    limbs = [stroke(trunk, height * 0.07, height * 0.03)]
    flare = [(x - height * 0.07, foot + 5), (x - height * 0.025, foot - height * 0.07)]
    limbs.append([*flare, (x + height * 0.03, foot - height * 0.07), (x + height * 0.075, foot + 5)])
    for angle in (-56, -24, 22, 50):
        end = (
            x + math.sin(math.radians(angle)) * height * 0.28,
            top - math.cos(math.radians(angle)) * height * 0.18,
        )
        bough = curve([(x, foot - height * 0.36), ((x + end[0]) / 2, top + height * 0.07), end])
        limbs.append(stroke(bough, height * 0.03, 2))
    return limbs


def _lobes(rng: Random, x: float, top: float, height: float) -> list[tuple[float, float, float]]:
    """The masses of a crown as (x, y, radius): a ring of them about a large one."""
    lobes = [(x, top - height * 0.06, height * 0.19)]
    for i in range(8):
        angle = math.radians(150 + 240 * i / 7 + rng.uniform(-9, 9))
        lobes.append(
            (
                x + math.cos(angle) * height * 0.225 * rng.uniform(0.88, 1.1),
                top - height * 0.05 + math.sin(angle) * height * 0.18 * rng.uniform(0.88, 1.12),
                height * rng.uniform(0.095, 0.135),
            )
        )
    return lobes


def _leaves(
    rng: Random, lobe: tuple[float, float, float], count: int, size: float, *, reach: float
) -> list[Outline]:
    """Clumps of leaf scattered over a lobe, each about `size` of its radius wide."""
    x, y, r = lobe
    leaves = []
    for _ in range(count):
        angle, out = rng.uniform(0, math.tau), r * reach * math.sqrt(rng.random())
        wide = r * size * rng.uniform(0.5, 1.1)
        leaves.append(ellipse(x + math.cos(angle) * out, y + math.sin(angle) * out, wide, wide * 0.8))
    return leaves


def willow(
    c: Canvas, x: float, foot: float, height: float, seed: int, *, dark: str, lit: str, bark: str
) -> None:
    """A weeping willow: long strands that fall from a domed crown."""
    rng = Random(seed)
    c.fill(_limbs(x, foot, foot - height * 0.6, height), bark)
    for share, colour in ((1.0, dark), (0.6, mix(dark, lit, 0.5)), (0.3, lit)):
        strands: list[Outline] = []
        for _ in range(round(90 * share)):
            across = rng.uniform(-1, 1)
            px = x + across * height * 0.36
            py = foot - height * (
                0.62 + 0.38 * math.sqrt(max(0.0, 1 - across * across)) * rng.uniform(0.55, 1)
            )
            fall = height * rng.uniform(0.3, 0.62) * (0.7 + 0.3 * abs(across))
            sway = height * 0.06 * across + rng.uniform(-4, 4)
            strand = curve([(px - sway, py), (px + sway, py + fall * 0.35), (px + sway * 1.5, py + fall)], 5)
            strands.append(stroke(strand, height * 0.03, 1))
        c.fill(strands, colour, alpha=0.9)


def grass(
    crest: Sequence[Point],
    seed: int,
    *,
    count: int,
    size: Point,
    lean: float = 0.2,
    span: Point = (0, WIDTH),
) -> list[Outline]:
    """Blades of grass along a crest, lower towards the ends of the span."""
    rng = Random(seed)
    blades: list[Outline] = []
    for _ in range(count):
        x = rng.uniform(*span)
        edge = min(1.0, (x - span[0]) / 120, (span[1] - x) / 120) if span != (0, WIDTH) else 1.0
        y, tall = height_at(crest, x) + 6, rng.uniform(*size) * max(0.15, edge)
        tip = (x + tall * (lean + rng.uniform(-0.35, 0.35)), y - tall)
        blades.append(stroke(curve([(x, y), (x + (tip[0] - x) * 0.25, y - tall * 0.6), tip], 4), 3.2, 0.4))
    return blades


def flowers(c: Canvas, seed: int, colours: Sequence[str], *, span: Point, rows: Point, count: int) -> None:
    """Flowers in a meadow, nearer ones larger."""
    rng = Random(seed)
    for colour in colours:
        heads = []
        for _ in range(count):
            t = rng.random()
            size = 1.6 + 4.6 * t
            heads.append(lens(rng.uniform(*span), rows[0] + (rows[1] - rows[0]) * t, size, size * 1.5))
        c.fill(heads, colour, alpha=0.95)
