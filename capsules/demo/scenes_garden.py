"""Pictures of woods and gardens: the autumn wood, the glasshouse."""

import math
from random import Random

from PIL import Image

from .beings import stag
from .land import hills, mist
from .paint import Canvas, mix
from .shapes import Outline, Point, arch, below, curve, ellipse, lens, rect, ridge, stroke
from .sky import moon, rays, stars, streaks
from .things import path
from .trees import grass, pines

CLEARING = 1200.0  # the x at which the autumn wood opens


def autumn() -> Image.Image:
    """A beech wood in October: low sun between the trunks, a way full of leaves, a stag that looks up."""
    c = Canvas("#f3cc80@0", "#ffedc0@0.35", "#ffe0a0@0.55", "#dd9c50@0.72", "#8a4a28@1")
    c.glow(CLEARING, 430, 950, "#fffbe6", alpha=0.85, power=1.7)
    rng = Random(5)
    layers = (("#ecc68c", "#f0c67a"), ("#d6a468", "#e6ab55"), ("#a87343", "#d68a3a"), ("#744428", "#b8662c"))
    for depth, (bark, leaf) in enumerate(layers):
        _trunks(c, rng, bark, depth)
        _canopy(c, rng, leaf, depth)
        mist(c, 640 + 50 * depth, "#ffe6b0", alpha=0.5 - 0.12 * depth, thickness=90, seed=depth)
    _floor(c, rng)
    rays(
        c,
        CLEARING - 30,
        -120,
        "#fff2c8",
        angles=(56, 68, 79, 90, 102, 115, 127),
        length=1250,
        alpha=0.2,
        spread=5,
    )
    c.fill([lens(1270, 806, 100, 16)], "#4a2a1a", alpha=0.55, blur=4)
    stag(c, 1264, 803, 1.3, ("#7a4426", "#4a281a"))
    _fallen(c, rng)
    _near_trunks(c, rng)
    falling = [
        lens(rng.uniform(300, 1900), rng.uniform(120, 760), rng.uniform(3, 8), rng.uniform(4, 7))
        for _ in range(46)
    ]
    c.fill(falling, "#e89a3c", alpha=0.9)
    return c.finished()


def _trunks(c: Canvas, rng: Random, bark: str, depth: int) -> None:
    """One row of trunks, thicker and fewer the nearer it is; none in the clearing."""
    trees: list[Outline] = []
    for i in range(17 - 3 * depth):
        x = CLEARING
        while abs(x - CLEARING) < 70 + 90 * depth:
            x = rng.uniform(-60, 1980)
        wide, foot, bow = (
            12 + 10 * depth + rng.uniform(-4, 6),
            746 + 22 * depth + (i % 3) * 8,
            rng.uniform(-24, 24),
        )
        line = curve([(x, foot + 20), (x + bow, foot - 320), (x + bow * 0.4, -20)])
        trees.append(stroke(line, wide * 1.3, wide * 0.6))
        trees.append(
            [
                (x - wide * 1.1, foot + 22),
                (x - wide * 0.5, foot - 46),
                (x + wide * 0.5, foot - 46),
                (x + wide * 1.1, foot + 22),
            ]
        )
        for side in (-1, 1, 1 if i % 2 else -1):
            y, out = rng.uniform(120, 430), rng.uniform(80, 170)
            bough = curve([(x + bow * 0.8, y + 60), (x + side * out * 0.5, y - 6), (x + side * out, y - 110)])
            trees.append(stroke(bough, wide * 0.4, 2))
    c.fill(trees, (mix(bark, "#fff0c8", 0.25), bark, mix(bark, "#5a2f1c", 0.25)))


def _canopy(c: Canvas, rng: Random, leaf: str, depth: int) -> None:
    """Leaf above: clouds of small leaves, thinner over the clearing."""
    for shade, alpha in ((mix(leaf, "#8a3f1c", 0.3), 0.7), (leaf, 0.8), (mix(leaf, "#fff3b8", 0.4), 0.7)):
        leaves: list[Outline] = []
        for _ in range(34):
            x = rng.uniform(-60, 1980)
            away = min(1.0, abs(x - CLEARING) / 620)
            y = rng.uniform(-60, 60 + 250 * away) - 30 * depth
            for _ in range(16):
                size = rng.uniform(7, 17) + 2.5 * depth
                leaves.append(ellipse(x + rng.gauss(0, 52), y + rng.gauss(0, 26), size, size * 0.72))
        c.fill(leaves, shade, alpha=alpha)


def _floor(c: Canvas, rng: Random) -> None:
    """The ground with its way, and shadows that fall towards the viewer."""
    c.fill([below(ridge(131, 768, 16, wave=560))], ("#dd9a48", "#ad6430@0.35", "#522a1e"))
    c.fill([lens(CLEARING, 790, 520, 60)], "#ffe0a0", alpha=0.5, blur=26)
    shadows = []
    for x in (300, 470, 700, 860, 1020, 1420, 1560, 1700, 1850):
        low = x + (x - CLEARING) * 1.15
        shadows.append([(x - 9, 778), (x + 9, 778), (low + 46, 1100), (low - 46, 1100)])
    c.fill(shadows, "#4a2418", alpha=0.3, blur=6)
    way = [(1188, 768, 20), (1206, 800, 40), (1186, 860, 78), (1116, 950, 150), (1060, 1100, 260)]
    path(c, way, ("#ffdfa0", "#d09656", "#86502f"), alpha=0.7)
    tufts = grass(ridge(131, 776, 16, wave=560), 3, count=260, size=(8, 24), span=(-20, 1100))
    c.fill(tufts, "#a86a30", alpha=0.8)


def _fallen(c: Canvas, rng: Random) -> None:
    for colour in ("#f0ac44", "#cf6a30", "#f8cf6a", "#a04826"):
        leaves = []
        for _ in range(190):
            depth = rng.random() ** 1.2
            x, y = rng.uniform(-20, 1940), 776 + 310 * depth
            leaves.append(lens(x, y, 2.5 + 8 * depth, 2 + 5 * depth))
        c.fill(leaves, colour, alpha=0.85)


def _near_trunks(c: Canvas, rng: Random) -> None:
    """Two dark trunks that frame the picture, with light along their inner edges."""
    for x, wide, lean, inner in ((60, 130, 26, 1), (1800, 160, -46, -1)):
        line = curve([(x - 20, 1120), (x, 960), (x + lean, 500), (x + lean * 2, -40)])
        trunk = stroke(line, wide * 1.5, wide * 0.8)
        c.fill([trunk], ("#5a3322", "#3f231a", "#2a1713"))
        edge = [(px + inner * wide * (0.56 - 0.2 * i / len(line)), py) for i, (px, py) in enumerate(line)]
        c.light([stroke(edge, 16, 10)], "#e08a3c", alpha=0.6, blur=5, within=[trunk])
        for k in range(5):
            off = (k - 2) * wide * 0.16
            c.fill(
                [stroke([(px + off + 6 * math.sin(py / 90 + k), py) for px, py in line], 4, 2)],
                "#23120f",
                alpha=0.5,
                within=[trunk],
            )
    for colour, alpha in (("#8a3f1c", 1.0), ("#b85c22", 0.9), ("#e08a30", 0.85)):
        leaves = []
        for _ in range(230):
            side = rng.choice((abs(rng.gauss(0, 190)), 1920 - abs(rng.gauss(0, 210))))
            leaves.append(ellipse(side, abs(rng.gauss(0, 70)) - 20, rng.uniform(10, 24), rng.uniform(7, 15)))
        c.fill(leaves, colour, alpha=alpha)


def glasshouse() -> Image.Image:
    """A glasshouse lit from inside in a garden at night."""
    c = Canvas("#060b1c@0", "#0f2239@0.32", "#1f4652@0.58", "#35655e@0.72", "#35655e@1")
    stars(c, 101, count=340, floor=520)
    moon(c, 1010, 165, 46)
    streaks(c, 105, "#3a6470", top=260, bottom=480, count=7, alpha=0.35)
    hills(c, 189, 640, 50, ("#1f4a55", "#2f5f60@0.3"), wave=360, rim="#5f9a90")
    back = ridge(191, 720, 30, wave=400)
    c.fill(pines(back, 27, span=(-20, 860), count=70, size=(60, 230), sink=20), ("#12303c", "#0f2a34"))
    c.fill(pines(back, 28, span=(1560, 1940), count=34, size=(80, 270), sink=20), ("#12303c", "#0f2a34"))
    c.fill([below(back)], ("#123038", "#0d262c"))
    mist(c, 770, "#5f9a88", alpha=0.25, thickness=40, seed=9)
    c.fill([below(ridge(193, 800, 8, wave=600))], ("#235048", "#0f2f32@0.4", "#071a20"))
    c.glow(1230, 640, 820, "#ffd98a", alpha=0.5, power=2.2)
    _hedges(c)
    _glass(c)
    c.light([[(1000, 816), (1460, 816), (1680, 1090), (760, 1090)]], "#ffdf94", alpha=0.24, blur=40)
    path(
        c,
        [(1230, 818, 40), (1226, 860, 64), (1190, 940, 110), (1150, 1090, 190)],
        ("#f0d898", "#8a8a6a@0.5", "#45504a"),
        alpha=0.85,
    )
    _fireflies(c)
    front = ridge(195, 1030, 22, wave=400)
    c.fill(grass(front, 12, count=900, size=(14, 64)), ("#12383a", "#0a2428"))
    c.fill([below(front)], "#0a2428")
    return c.finished()


def _hedges(c: Canvas) -> None:
    rng = Random(31)
    for colour, rise in (("#173f3a", 0), ("#2a5a48", 9)):
        balls = []
        for x, size in ((660, 46), (560, 34), (1800, 50), (1900, 38), (460, 26)):
            for _ in range(26):
                angle, out = rng.uniform(0, math.tau), size * math.sqrt(rng.random())
                balls.append(
                    ellipse(
                        x + math.cos(angle) * out + rise * 0.6,
                        800 - size * 0.7 + math.sin(angle) * out * 0.8 - rise,
                        size * 0.24,
                    )
                )
        c.fill(balls, colour, alpha=0.9)


def _fireflies(c: Canvas) -> None:
    rng = Random(3)
    for _ in range(40):
        x = rng.choice((rng.uniform(480, 1020), rng.uniform(1420, 1900)))
        y, size = rng.uniform(790, 1000), rng.uniform(8, 15)
        c.glow(x, y, size, "#e6ff9a", alpha=0.8)
        c.light([ellipse(x, y, 1.6)], "#fbffe0", alpha=0.9)


_DOME: tuple[Point, ...] = (
    (1040, 520),
    (1066, 438),
    (1130, 366),
    (1230, 338),
    (1330, 366),
    (1394, 438),
    (1420, 520),
)


def _glass(c: Canvas) -> None:
    """The house of glass: two wings, a tall middle with a rounded roof, plants behind the panes."""
    middle: Outline = [(1040, 816), *curve(_DOME, 10), (1420, 816)]
    left: Outline = [
        (750, 816),
        (750, 640),
        *curve([(750, 640), (800, 600), (880, 578), (1040, 572)], 8),
        (1040, 816),
    ]
    right: Outline = [(2460 - x, y) for x, y in left]
    panes = [left, right, middle]
    c.fill(panes, ("#fff6cf", "#ffe7a4", "#dccb7e", "#8fae6c"))
    c.glow(1230, 560, 320, "#fffbe0", alpha=0.6)
    rng = Random(9)
    for colour, scale in (("#a9bc72", 1.15), ("#6f9a58", 1.0), ("#417549", 0.85), ("#22523c", 0.62)):
        plants: list[Outline] = []
        for _ in range(15):
            x = rng.uniform(780, 1680)
            tall = rng.uniform(110, 200) * scale * (1.8 if 1080 < x < 1380 else 0.95)
            plants += rng.choice((_palm, _palm, _fern))(rng, x, 814, tall)
        c.fill(plants, colour, alpha=0.92, within=panes)
    c.light([lens(1230, 640, 420, 260)], "#ffe9a0", alpha=0.12, blur=40, within=panes)
    _frame(c, panes)
    shine = [
        [(1090, 500), (1150, 400), (1170, 400), (1110, 500)],
        [(820, 690), (870, 600), (884, 600), (834, 690)],
    ]
    c.light(shine, "#ffffff", alpha=0.3, blur=2)


def _frame(c: Canvas, panes: list[Outline]) -> None:
    iron = "#182c31"
    bars = [rect(x - 2, 330, x + 2, 816) for x in range(1087, 1400, 47)]
    bars += [rect(x + far - 2, 570, x + far + 2, 816) for x in range(798, 1040, 48) for far in (0, 670)]
    bars += [rect(750, y - 2, 1710, y + 2) for y in (640, 700, 760)] + [rect(1040, 517, 1420, 524)]
    bars += [stroke(curve([(1040, y), (1230, y - 26), (1420, y)]), 4) for y in (462, 580)]
    c.fill(bars, iron, within=panes)
    c.fill([stroke([*outline, outline[0]], 8) for outline in panes], iron)
    c.fill([rect(734, 804, 1726, 824)], ("#33484a", "#1b2d30"))
    door = arch(1186, 656, 1274, 816)
    c.fill([door], ("#fffbe2", "#ffeeb4"), alpha=0.75)
    c.fill([stroke(door, 7), rect(1228, 658, 1232, 816), rect(1188, 730, 1272, 734)], iron)
    c.fill([rect(1227, 286, 1233, 342), ellipse(1230, 290, 8), ellipse(1230, 312, 5)], iron)


def _palm(rng: Random, x: float, foot: float, tall: float) -> list[Outline]:
    """A palm: a slim stem and fronds that arch over."""
    crown = (x + rng.uniform(-12, 12), foot - tall * 0.62)
    parts = [stroke(curve([(x, foot), (x - 4, foot - tall * 0.3), crown]), 7, 4)]
    for k in range(9):
        angle = math.radians(-172 + 20.5 * k + rng.uniform(-6, 6))
        reach = tall * rng.uniform(0.32, 0.44)
        rise = (crown[0] + math.cos(angle) * reach * 0.55, crown[1] + math.sin(angle) * reach * 0.75)
        tip = (crown[0] + math.cos(angle) * reach, crown[1] + math.sin(angle) * reach * 0.5 + reach * 0.22)
        parts.append(stroke(curve([crown, rise, tip], 7), 13, 1))
    return parts


def _fern(rng: Random, x: float, foot: float, tall: float) -> list[Outline]:
    """A clump of broad leaves from the ground."""
    parts = []
    for _ in range(9):
        lean = rng.uniform(-1, 1)
        tip = (x + lean * tall * 0.4, foot - tall * rng.uniform(0.4, 0.75) * (1.1 - abs(lean) * 0.5))
        parts.append(stroke(curve([(x, foot), (x + lean * tall * 0.14, tip[1]), tip], 7), 17, 1))
    return parts
