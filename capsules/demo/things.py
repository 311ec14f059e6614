"""Things people made, each drawn about a point: boats, lamps, houses, walkers."""

from collections.abc import Sequence
from random import Random

from .paint import Canvas
from .shapes import Outline, Point, arch, curve, ellipse, placed, rect, stroke

WARM = "#ffd98a"


def ferry(
    c: Canvas,
    x: float,
    y: float,
    scale: float,
    *,
    hull: str,
    house: str,
    window: str = WARM,
    band: str = "#a8434a",
) -> None:
    """A small steam ferry, two units long, its waterline at y."""

    def put(*outlines: Outline) -> list[Outline]:
        return placed(outlines, x, y, scale)

    c.fill(
        put([(-0.98, -0.26), (-0.84, 0.02), (0.82, 0.02), (1.06, -0.32), (0.7, -0.25)]),
        (house, hull, hull, hull),
    )
    c.fill(put([(-0.875, -0.05), (-0.85, 0.02), (0.82, 0.02), (0.86, -0.05)]), band, alpha=0.8)
    c.fill(
        put(rect(-0.8, -0.46, 0.56, -0.24), rect(-0.5, -0.66, 0.38, -0.44), rect(0.02, -0.84, 0.34, -0.64)),
        house,
    )
    c.fill(
        put(
            rect(-0.84, -0.475, 0.62, -0.45),
            rect(-0.54, -0.68, 0.43, -0.655),
            rect(-0.02, -0.86, 0.39, -0.835),
        ),
        hull,
    )
    c.fill(put([(-0.3, -0.66), (-0.33, -1.0), (-0.11, -1.0), (-0.12, -0.66)]), hull)
    c.fill(put([(-0.322, -0.93), (-0.328, -1.0), (-0.11, -1.0), (-0.112, -0.93)]), band)
    c.fill(
        put(stroke([(0.2, -0.84), (0.2, -1.3)], 0.018), stroke([(0.93, -0.3), (0.95, -0.62)], 0.014)), hull
    )
    _portholes(c, x, y, scale, window)
    c.glow(x + 0.2 * scale, y - 1.3 * scale, scale * 0.22, "#fff2cf", alpha=0.9)


def _portholes(c: Canvas, x: float, y: float, scale: float, window: str) -> None:
    """The lit windows of a ferry, on three decks."""
    lights = [rect(-0.72 + i * 0.16, -0.405, -0.63 + i * 0.16, -0.3) for i in range(8)]
    lights += [rect(-0.44 + i * 0.16, -0.61, -0.35 + i * 0.16, -0.52) for i in range(5)]
    lights += [rect(0.07, -0.8, 0.15, -0.71), rect(0.2, -0.8, 0.29, -0.71)]
    panes = placed(lights, x, y, scale)
    c.fill(panes, window)
    c.light(panes, window, alpha=0.8, blur=max(2, scale * 0.06))


def smoke(
    c: Canvas,
    x: float,
    y: float,
    colour: str,
    *,
    drift: Point,
    puffs: int = 9,
    size: float = 9,
    alpha: float = 0.3,
) -> None:
    """Smoke that leaves (x, y), widens and thins while it drifts by (dx, dy) in all."""
    rng = Random(int(x * 7 + y))
    for i in range(puffs):
        t = (i + 0.5) / puffs
        px, py = x + drift[0] * t**1.4, y + drift[1] * t**0.75
        r = size * (0.7 + 3.4 * t)
        cloud = [ellipse(px + rng.uniform(-r, r) * 0.5, py + rng.uniform(-r, r) * 0.4, r) for _ in range(3)]
        c.fill(cloud, colour, alpha=alpha * (1 - t) ** 0.7, blur=2 + r * 0.35)


def lamp(c: Canvas, x: float, foot: float, height: float, *, iron: str, reach: float = 1.0) -> None:
    """A street lamp with its light."""
    top = foot - height
    w = height * 0.022
    c.fill([rect(x - w, top, x + w, foot), rect(x - w * 2.2, foot - height * 0.1, x + w * 2.2, foot)], iron)
    head = height * 0.075
    c.glow(x, top - head, height * 0.95 * reach, WARM, alpha=0.62, power=2.4)
    c.fill(
        [
            [
                (x - head * 0.5, top),
                (x - head * 0.85, top - head * 1.8),
                (x + head * 0.85, top - head * 1.8),
                (x + head * 0.5, top),
            ]
        ],
        WARM,
    )
    roof = [(x - head * 1.15, top - head * 1.75), (x, top - head * 2.7), (x + head * 1.15, top - head * 1.75)]
    c.fill([roof, rect(x - head * 0.7, top - 2, x + head * 0.7, top + 3)], iron)
    c.glow(x, top - head, height * 0.3, "#fff3d6", alpha=0.8)


def sailboat(
    c: Canvas, x: float, y: float, scale: float, *, hull: str, sail: tuple[str, str], mast: str
) -> None:
    """A little boat under two sails, its waterline at y."""

    def put(*outlines: Outline) -> list[Outline]:
        return placed(outlines, x, y, scale)

    c.fill(put(stroke([(0, 0), (0, -2.0)], 0.035, 0.02)), mast)
    c.fill(put([*curve([(0.04, -1.9), (0.42, -1.1), (0.75, -0.3)]), (0.04, -0.26)]), sail)
    c.fill(put([(-0.05, -1.75), (-0.72, -0.24), (-0.05, -0.28)]), (sail[1], sail[0]))
    c.fill(put([(-0.85, -0.18), (-0.6, 0.03), (0.6, 0.03), (0.92, -0.2)]), hull)


def cottage(
    c: Canvas,
    x: float,
    foot: float,
    scale: float,
    *,
    wall: str,
    shade: str,
    roof: str,
    window: str = WARM,
    chimney: str | None = None,
) -> None:
    """A gabled house about two units wide: the gable end to the left, the long side to the right."""

    def put(*outlines: Outline) -> list[Outline]:
        return placed(outlines, x, foot, scale)

    c.fill(put(rect(0.62, -1.75, 0.82, -1.2)), chimney or roof)
    c.fill(put([(-1, 0.03), (-1, -0.72), (-0.55, -1.32), (-0.1, -0.72), (-0.1, 0.03)]), wall)
    c.fill(put([(-0.1, 0.03), (-0.1, -0.74), (1, -0.74), (1, 0.03)]), shade)
    c.fill(put([(-0.56, -1.42), (0.72, -1.42), (1.12, -0.68), (-0.06, -0.68)]), roof)
    c.fill(put(stroke([(-1.12, -0.62), (-0.555, -1.39), (-0.02, -0.62)], 0.075)), roof)
    panes = [rect(0.12, -0.56, 0.36, -0.26), rect(0.6, -0.56, 0.84, -0.26), ellipse(-0.55, -0.9, 0.09)]
    door = arch(-0.7, -0.52, -0.4, 0.03)
    c.fill(put(*panes, door), window)
    c.light(put(*panes, door), window, alpha=0.7, blur=max(3, scale * 0.09))
    bars = [rect(0.23, -0.56, 0.25, -0.26), rect(0.71, -0.56, 0.73, -0.26)]
    bars += [rect(0.12, -0.42, 0.36, -0.4), rect(0.6, -0.42, 0.84, -0.4)]
    c.fill(put(*bars), roof)


def fence(c: Canvas, line: Sequence[Point], colour: str, *, post: float = 34) -> None:
    """Posts along a line with two rails; post heights in pixels."""
    posts = [rect(x - post * 0.06, y - post, x + post * 0.06, y + 5) for x, y in line]
    rails = [stroke([(x, y - post * share) for x, y in line], post * 0.09) for share in (0.42, 0.8)]
    c.fill([*posts, *rails], colour)


def path(
    c: Canvas, spine: Sequence[tuple[float, float, float]], paint: tuple[str, ...], *, alpha: float = 1.0
) -> None:
    """A way through points (x, y, half width), widening towards the viewer."""
    left = curve([(x - half, y) for x, y, half in spine])
    right = curve([(x + half, y) for x, y, half in spine])
    c.fill([left + right[::-1]], paint, alpha=alpha)
