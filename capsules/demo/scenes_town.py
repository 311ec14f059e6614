"""Pictures of the town: its roofs in the rain, the night of the lanterns."""

from random import Random

from PIL import Image

from .beings import cat, walker
from .land import hills, mist
from .paint import Canvas, mix
from .shapes import Outline, arch, curve, ellipse, height_at, lens, placed, rect, stroke
from .sky import moon, rain, stars, streaks
from .things import WARM, smoke
from .trees import broadleaf, willow
from .water import glitter, swell, water


def city() -> Image.Image:
    """Roofs of a town in the evening rain, a cat on a ridge, windows lit one after the other."""
    c = Canvas("#10152f@0", "#28305c@0.22", "#5a5282@0.42", "#b0727e@0.57", "#dc9a80@0.66", "#dc9a80@1")
    streaks(c, 71, "#2f3560", top=10, bottom=330, count=18, alpha=0.6)
    streaks(c, 75, "#e09a8a", top=380, bottom=560, count=8, alpha=0.35)
    rng = Random(27)
    rows = (
        (560, "#8a7494", "#756488", 66),
        (650, "#58537f", "#474674", 92),
        (770, "#363a68", "#292f5a", 126),
    )
    for i, (base, wall, roof, size) in enumerate(rows):
        if i == 1:
            church(c)
        town(c, rng, base, wall, roof, size, lit=0.2 + 0.16 * i)
        mist(c, base + 60, mix("#e0a090", "#58537f", i / 3), alpha=0.45, thickness=50, seed=i)
    c.fill([rect(-10, 860, 1000, 1100)], ("#363a68", "#1a1d3e"), blur=50)
    rain(c, 3, count=1000, colour="#c8d0f0", alpha=0.15, length=46)
    _near_roof(c)
    _chimneys(c)
    _dormer(c)
    cat(c, 1184, 746, 1.05, "#0c0d20")
    c.light([stroke([(1147, 700), (1150, 724), (1146, 742)], 3)], "#ffc890", alpha=0.5, blur=1)
    rain(c, 4, count=420, colour="#e6ecff", alpha=0.22, length=90)
    return c.finished()


def town(c: Canvas, rng: Random, base: float, wall: str, roof: str, size: float, *, lit: float) -> None:
    """A row of old houses whose feet lie about `base`; `lit` is the share of windows with light."""
    x = -60.0
    walls: list[Outline] = []
    tops: list[Outline] = []
    shades: list[Outline] = []
    panes: list[Outline] = []
    while x < 1960:
        wide, tall = size * rng.uniform(0.9, 1.6), size * rng.uniform(0.5, 1.6)
        top, peak = base - tall, base - tall - size * rng.uniform(0.45, 0.8)
        walls.append(rect(x, top, x + wide, base + 400))
        shades.append(rect(x + wide * 0.86, top, x + wide, base + 400))
        inset = rng.choice((0.5, 0.5, 0.18))
        tops.append(
            [
                (x - 6, top + 2),
                (x + wide * inset, peak),
                (x + wide * (1 - inset), peak),
                (x + wide + 6, top + 2),
            ]
        )
        tops += [
            rect(x + wide * 0.68, peak - size * 0.12, x + wide * 0.8, top),
            rect(x + wide * 0.66, peak - size * 0.15, x + wide * 0.82, peak - size * 0.1),
        ]
        for row in range(3):
            for k in range(3):
                if rng.random() < lit:
                    px, py = x + wide * (0.14 + 0.27 * k), top + size * (0.16 + 0.36 * row)
                    panes.append(rect(px, py, px + wide * 0.14, py + size * 0.22))
        x += wide
    c.fill(walls, (wall, wall, mix(wall, "#d09088", 0.4)))
    c.fill(shades, roof, alpha=0.5)
    c.fill(tops, (mix(roof, wall, 0.5), roof))
    c.fill(panes, (WARM, "#ffb860"), alpha=0.95)
    c.light(panes, "#ffa850", alpha=0.5, blur=8)


def church(c: Canvas) -> None:
    """A church tower with a lit clock."""
    spire = [(1404, 424), *curve([(1412, 396), (1436, 372), (1450, 280), (1455, 220)], 6)]
    c.fill(
        [rect(1418, 420, 1492, 900), [*spire, *[(2910 - x, y) for x, y in reversed(spire)]]],
        ("#4c4a78", "#5f5884"),
    )
    c.fill([rect(1466, 420, 1492, 900)], "#3a3a68", alpha=0.6)
    c.fill([rect(1453.5, 186, 1456.5, 226), rect(1446, 196, 1464, 199)], "#4c4a78")
    c.fill([ellipse(1455, 466, 25)], "#3a3a68")
    c.fill([ellipse(1455, 466, 21)], "#fff3d0")
    c.glow(1455, 466, 110, "#ffd98a", alpha=0.6)
    c.fill([stroke([(1455, 466), (1455, 450)], 3), stroke([(1455, 466), (1466, 471)], 3)], "#3a3048")
    c.fill([arch(1440, 510, 1452, 546), arch(1458, 510, 1470, 546)], "#2f2f58")


def _near_roof(c: Canvas) -> None:
    """The wet slope of tiles in front."""
    slope: Outline = [(560, 1100), (1010, 742), (1960, 742), (1960, 1100)]
    c.fill([slope], ("#32365f", "#1d2144@0.5", "#0f1128"))
    c.fill(
        [stroke([(1010 - (y - 742) * 1.257, y), (1960, y)], 2.5) for y in range(776, 1100, 34)],
        "#5a6090",
        alpha=0.4,
    )
    rng = Random(6)
    edges, wet = [], []
    for i in range(11):
        y = 742 + 34 * i
        for x in range(1010 - 43 * i, 1960, 34):
            left = x + (17 if i % 2 else 0)
            edges.append(rect(left, y, left + 2, y + 34))
            if rng.random() < 0.2:
                wet.append(rect(left + 3, y + 4, left + 31, y + 31))
    c.fill(edges, "#0c0e22", alpha=0.55, within=[slope])
    c.light(wet, "#a89ac0", alpha=0.13, within=[slope])
    c.light([stroke([(1010, 744), (1960, 744)], 5)], "#d0d4f4", alpha=0.65, blur=1.5)
    c.light([stroke([(1010, 744), (556, 1104)], 6)], "#9a9ccc", alpha=0.5, blur=2)
    c.light(
        [lens(rng.uniform(900, 1900), rng.uniform(770, 1080), rng.uniform(20, 80), 5) for _ in range(46)],
        "#f0b498",
        alpha=0.2,
        blur=3,
    )


def _chimneys(c: Canvas) -> None:
    for x, top in ((1600, 596), (1666, 622)):
        c.fill([rect(x, top, x + 48, 790)], ("#6a5a74", "#37305a"))
        c.fill([rect(x + 30, top, x + 48, 790)], "#1c1a3a", alpha=0.45)
        bricks = [
            rect(
                x + 4 + 14 * (k % 3) + 5 * (k // 3 % 2),
                top + 22 + 9 * k,
                x + 14 + 14 * (k % 3),
                top + 25 + 9 * k,
            )
            for k in range(15)
        ]
        c.fill(bricks, "#8a7890", alpha=0.4)
        c.fill(
            [
                rect(x - 6, top - 4, x + 54, top + 10),
                rect(x + 6, top - 30, x + 20, top),
                rect(x + 28, top - 30, x + 42, top),
            ],
            "#2a2548",
        )
    smoke(c, 1620, 562, "#aaa2c0", drift=(-210, -170), size=11, alpha=0.45)


def _dormer(c: Canvas) -> None:
    c.glow(1330, 900, 340, "#ffb45c", alpha=0.55)
    c.fill([[(1240, 962), (1240, 846), (1330, 776), (1420, 846), (1420, 962)]], ("#434a7a", "#2a2f58"))
    c.fill([stroke([(1218, 860), (1330, 770), (1442, 860)], 18)], ("#2a2e56", "#14162f"))
    c.light([stroke([(1222, 850), (1330, 763), (1438, 850)], 3)], "#c0c8f0", alpha=0.5)
    panes = [rect(x, y, x + 50, y + 42) for x in (1276, 1334) for y in (850, 900)]
    c.fill([rect(1270, 844, 1390, 948)], "#1a1c3c")
    c.fill(panes, ("#fff3c8", "#ffc476"))
    c.light([[(1270, 950), (1390, 950), (1470, 1090), (1190, 1090)]], "#ffb45c", alpha=0.22, blur=14)


def lanterns() -> Image.Image:
    """Paper lanterns on a river and in the air, a stone bridge, willows."""
    c = Canvas("#080a26@0", "#1a1b4e@0.26", "#453070@0.46", "#94527c@0.58", "#d07f78@0.64", "#d07f78@1")
    stars(c, 91, count=340, floor=480)
    moon(c, 1480, 190, 44)
    streaks(c, 95, "#6a4480", top=300, bottom=520, count=9, alpha=0.35)
    hills(c, 181, 560, 60, ("#43356a", "#7d5078@0.3"), wave=420, rim="#e09a94")
    mist(c, 620, "#e09a8c", alpha=0.3, thickness=30, seed=3)
    _far_bank(c)
    _bridge(c)
    rng = Random(16)
    rising = sorted((rng.random(), rng.gauss(0, 1)) for _ in range(40))
    for height, aside in rising:
        size = 5 + 13 * (1 - height) * rng.uniform(0.6, 1.2)
        _sky_lantern(c, 1190 + aside * 270 * (0.35 + height), 520 - 490 * height, size)
    water(c, 664, ("#6a4a78", "#30285f", "#161644", "#0a0b2a"), mirror=0.85)
    swell(c, 27, "#d89aa8", top=672, bottom=1080, count=60, alpha=0.18)
    for y, x in sorted((692 + 340 * rng.random() ** 1.2, rng.gauss(1210, 330)) for _ in range(34)):
        if x > 720 or y < 780:
            _float(c, x, y, 5 + 22 * ((y - 670) / 360))
    return c.finished()


def _far_bank(c: Canvas) -> None:
    shore = hills(c, 183, 612, 18, ("#2a2150", "#221a46"), wave=500)
    c.fill([lens(x, height_at(shore, x) + 8, 120, 46) for x in range(0, 640, 90)], "#241c48")
    for i, x in enumerate((30, 330, 560)):
        broadleaf(
            c,
            x,
            height_at(shore, x) + 24,
            190 + 30 * (i % 2),
            60 + i,
            dark="#1c183e",
            lit="#4a2f60",
            bark="#151232",
            side=1,
        )
    for x, tall, seed in ((175, 230, 4), (450, 190, 5), (1800, 290, 6), (1660, 200, 8)):
        willow(c, x, height_at(shore, x) + 34, tall, seed, dark="#1a173c", lit="#43305e", bark="#151232")
    lights = [(250 + 57 * i, height_at(shore, 250 + 57 * i) + 6) for i in range(6)]
    c.fill([ellipse(x, y, 3.4) for x, y in lights], "#ffd08a")
    for x, y in lights:
        c.glow(x, y, 36, "#ffb060", alpha=0.7)


def _bridge(c: Canvas) -> None:
    """A bridge of three arches with lamps and people on it."""
    deck = curve([(690, 646), (900, 596), (1200, 556), (1500, 596), (1710, 646)], 16)
    hollows = [
        ellipse(x, 670, half, half * 0.74, arc=(180, 360)) for x, half in ((905, 76), (1200, 122), (1495, 76))
    ]
    stone: Outline = [*deck, (1710, 670)]
    for hollow in reversed(hollows):
        stone += hollow[::-1]
    stone.append((690, 670))
    coats = ((1112, "#1c183e"), (1140, "#4a2450"), (1262, "#1c183e"), (1284, "#2f3468"), (1360, "#3a1f40"))
    for place, coat in coats:
        walker(c, place, height_at(deck, place) + 6, 58, coat=coat, skin="#151232")
    c.fill([rect(x - 2, y - 62, x + 2, y) for x, y in deck[5::9]], "#2a2350")
    c.fill([stone], ("#6a5484", "#3f3466", "#2a2350"))
    rng = Random(2)
    spots = [(x, height_at(deck, x) + rng.uniform(10, 28)) for x in map(float, range(710, 1690, 11))]
    c.fill(
        [rect(x, y, x + rng.uniform(12, 22), y + 2) for x, y in spots], "#2a2350", alpha=0.5, within=[stone]
    )
    c.fill([stroke(hollow, 10) for hollow in hollows], ("#8f739c", "#54457a"))
    c.fill([stroke([(x, y - 7) for x, y in deck], 20)], ("#7d6490", "#6a5484"))
    c.fill([stroke([(x, y - 16) for x, y in deck], 6)], "#9c80a6")
    c.light([stroke([(x, y - 19) for x, y in deck], 2)], "#ffc8a0", alpha=0.6)
    for x, y in deck[5::9]:
        c.glow(x, y - 66, 84, "#ffbe6a", alpha=0.75)
        c.fill([ellipse(x, y - 66, 7, 8)], "#fff3cc")


def _sky_lantern(c: Canvas, x: float, y: float, r: float) -> None:
    """A paper balloon with a flame under it, r its half width."""
    c.glow(x, y, r * 5.5, "#ff9440", alpha=0.5)
    bag = curve(
        [
            (x - r * 0.5, y + r),
            (x - r * 0.85, y - r * 0.2),
            (x - r * 0.6, y - r * 1.1),
            (x, y - r * 1.3),
            (x + r * 0.6, y - r * 1.1),
            (x + r * 0.85, y - r * 0.2),
            (x + r * 0.5, y + r),
        ],
        5,
    )
    c.fill([bag], ("#ff8a3c", "#ffc46c", "#fff6d0"))


def _float(c: Canvas, x: float, y: float, r: float) -> None:
    """A square paper lantern on its little raft, r its half width."""
    near = [(-0.85, -1.9), (0.3, -1.9), (0.36, 0.2), (-0.95, 0.12)]
    aside = [(0.3, -1.9), (0.85, -1.82), (0.95, 0.1), (0.36, 0.2)]
    edges = [stroke([(a, -1.9), (b, 0.16)], 0.07) for a, b in ((-0.85, -0.95), (0.3, 0.36), (0.85, 0.95))]
    c.glow(x, y - r, r * 6, "#ff9a48", alpha=0.55)
    top, bottom = y + r * 0.4, y + r * 6
    glitter(c, x, "#ffb868", int(x), top=top, bottom=bottom, width=r * 0.8, count=14, alpha=0.6, spread=0.5)
    c.fill(placed([lens(0, 0.3, 1.6, 0.7)], x, y, r), "#4a2a4a")
    c.fill(placed([near], x, y, r), ("#ffb45c", "#fff6d0", "#ffcf7a"))
    c.fill(placed([aside], x, y, r), ("#f08a40", "#ffd08a", "#f0963f"))
    c.fill(placed([*edges, rect(-0.9, -0.95, 0.33, -0.88)], x, y, r), "#8a4428", alpha=0.7)
