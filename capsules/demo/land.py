"""Land: hills with haze and light on their crests, mist, mountains."""

from random import Random

from .paint import Canvas, Paint
from .shapes import WIDTH, Outline, Point, band, below, lens, ridge


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
) -> Outline:
    """A range of hills; returns its crest. `rim` is the colour of the light along the crest."""
    crest = ridge(seed, y, height, wave=wave, octaves=octaves)
    c.fill([below(crest)], paint)
    if rim:
        sunlit(c, crest, rim)
    return crest


def sunlit(c: Canvas, crest: Outline, colour: str, *, depth: float = 4) -> None:
    """A soft line of light along a crest, brightest at its edge."""
    above = [(x, y - depth * 2) for x, y in crest]
    c.light([band(above, depth * 3)], colour, alpha=0.55, blur=depth * 0.6, within=[below(crest)])


def dusk(c: Canvas, colour: str, *, alpha: float = 0.5) -> None:
    """A soft shade over the lower left, where a scene's words stand."""
    c.fill([lens(300, 1010, 900, 330)], colour, alpha=alpha, blur=70)


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
    side: int,
) -> None:
    """A mountain; `side` is the one the light is on (-1 left), parted from the other by a broken spur."""
    rng = Random(seed)
    tall = foot - top
    left, right = (_flank(rng, x, top, tall, across * width) for across in (-1, 1))
    whole = left + right[::-1]
    spur = [(x, top)]
    for i in range(1, 10):
        jag = width * 0.075 * (1 if i % 2 else -1) * rng.uniform(0.5, 1.1)
        spur.append((x + jag - side * width * 0.02 * i, top + tall * i / 9))
    c.fill([whole], shade)
    c.fill([(left if side < 0 else right) + spur[::-1]], lit, within=[whole])
    for start in spur[1:7]:
        for toward, paint, alpha in ((side, shade, 0.5), (-side, lit, 0.22)):
            c.fill([_couloir(rng, start, toward * width, tall)], paint, alpha=alpha, within=[whole])


def _flank(rng: Random, x: float, top: float, tall: float, width: float) -> Outline:
    """One side of a mountain from its summit down, broken by shoulders."""
    line = [(x, top)]
    for i in range(1, 13):
        t = i / 12
        rough = rng.uniform(-0.03, 0.03) * tall * (1 - t)
        line.append((x + width * t**1.12 + rng.uniform(-0.02, 0.02) * width, top + tall * t**0.9 + rough))
    return line


def _couloir(rng: Random, start: Point, width: float, tall: float) -> Outline:
    """A steep gully that runs down and aside from a point of the spur."""
    x, y = start
    far, deep = width * rng.uniform(0.1, 0.24), tall * rng.uniform(0.16, 0.34)
    return [(x, y), (x + far * 0.5, y + deep * 0.35), (x + far, y + deep), (x + far * 0.45, y + deep * 0.72)]
