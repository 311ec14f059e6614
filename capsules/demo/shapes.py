"""Outlines as lists of points, in pixels of a 1920x1080 picture; y grows downwards."""

import math
from collections.abc import Callable, Sequence
from random import Random

Point = tuple[float, float]
Outline = list[Point]
Shapes = Sequence[Sequence[Point]]  # outlines that are painted together

WIDTH, HEIGHT = 1920, 1080


def ellipse(cx: float, cy: float, rx: float, ry: float | None = None, *, arc: Point = (0, 360)) -> Outline:
    """An ellipse, or the part of it between two angles in degrees (0 is right, 90 is down)."""
    ry = rx if ry is None else ry
    steps = max(12, min(120, int(max(rx, ry))))
    first, last = map(math.radians, arc)
    angles = [first + (last - first) * i / steps for i in range(steps + 1)]
    return [(cx + rx * math.cos(a), cy + ry * math.sin(a)) for a in angles]


def rect(x0: float, y0: float, x1: float, y1: float) -> Outline:
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def arch(x0: float, y0: float, x1: float, y1: float) -> Outline:
    """A window or a span with a half-round top that reaches up to y0."""
    radius = (x1 - x0) / 2
    return [(x0, y1), *ellipse((x0 + x1) / 2, y0 + radius, radius, arc=(180, 360)), (x1, y1)]


def curve(points: Sequence[Point], steps: int = 10) -> Outline:
    """A smooth line through the points (Catmull-Rom)."""
    padded = [points[0], *points, points[-1]]
    line: Outline = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        line += [_between(a, b, c, d, i / steps) for i in range(steps)]
    return [*line, points[-1]]


def _between(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    def axis(p: float, q: float, r: float, s: float) -> float:
        return 0.5 * (
            2 * q + (r - p) * t + (2 * p - 5 * q + 4 * r - s) * t**2 + (3 * q - p - 3 * r + s) * t**3
        )

    return axis(a[0], b[0], c[0], d[0]), axis(a[1], b[1], c[1], d[1])


def stroke(line: Sequence[Point], width: float, end: float | None = None) -> Outline:
    """A line as an outline, from one width to another."""
    end = width if end is None else end
    left, right = [], []
    last = len(line) - 1
    for i, (x, y) in enumerate(line):
        (px, py), (nx, ny) = line[max(0, i - 1)], line[min(last, i + 1)]
        dx, dy = nx - px, ny - py
        length = math.hypot(dx, dy) or 1
        half = (width + (end - width) * i / max(1, last)) / 2
        left.append((x - dy / length * half, y + dx / length * half))
        right.append((x + dy / length * half, y - dx / length * half))
    return left + right[::-1]


def lens(cx: float, cy: float, half: float, thickness: float) -> Outline:
    """A thin horizontal lens: a glint on water, a streak of cloud."""
    top = [(cx + half * t, cy - thickness / 2 * (1 - t * t)) for t in (-1, -0.6, -0.2, 0.2, 0.6, 1)]
    return top + [(x, 2 * cy - y) for x, y in reversed(top)]


def placed(outlines: Shapes, x: float, y: float, scale: float = 1.0, *, flip: bool = False) -> list[Outline]:
    """The outlines moved so that their origin lies at (x, y), scaled, perhaps mirrored left to right."""
    across = -scale if flip else scale
    return [[(x + px * across, y + py * scale) for px, py in outline] for outline in outlines]


def turned(outlines: Shapes, degrees: float) -> list[Outline]:
    """The outlines turned about the origin."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [[(x * c - y * s, x * s + y * c) for x, y in outline] for outline in outlines]


def waviness(seed: int, octaves: int = 4, gain: float = 0.5) -> Callable[[float], float]:
    """A smooth random function of one number, about -1 to 1, that changes over a distance of about 1."""
    rng = Random(seed)
    table = [rng.uniform(-1, 1) for _ in range(256)]

    def at(x: float) -> float:
        total, reach, size = 0.0, 0.0, 1.0
        for octave in range(octaves):
            place = x * 2**octave + 37.7 * octave
            cell = math.floor(place)
            t = place - cell
            t = t * t * (3 - 2 * t)
            total += size * (table[cell % 256] * (1 - t) + table[(cell + 1) % 256] * t)
            reach += size
            size *= gain
        return total / reach

    return at


def ridge(seed: int, y: float, height: float, *, wave: float = 500, octaves: int = 4) -> Outline:
    """The crest of a range of hills across the picture: mean height y, swinging by about `height`."""
    swing = waviness(seed, octaves, 0.45)
    return [(x, y - height * swing(x / wave)) for x in range(-40, WIDTH + 44, 6)]


def below(crest: Sequence[Point], floor: float = HEIGHT + 20) -> Outline:
    """The land under a crest, down to the floor."""
    return [*crest, (crest[-1][0], floor), (crest[0][0], floor)]


def band(crest: Sequence[Point], depth: float) -> Outline:
    """A strip along a crest, as deep as given."""
    return [*crest, *[(x, y + depth) for x, y in reversed(crest)]]


def height_at(crest: Sequence[Point], x: float) -> float:
    """The y of a crest at x."""
    return min(crest, key=lambda point: abs(point[0] - x))[1]


def raised(crest: Sequence[Point], x: float, height: float, reach: float) -> Outline:
    """The crest with a soft hump added at x."""
    return [(px, py - height * math.exp(-(((px - x) / reach) ** 2))) for px, py in crest]
