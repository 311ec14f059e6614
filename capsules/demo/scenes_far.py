"""Pictures from far away: the desert, the mountain hut, the sea from below, the observatory, the lanterns."""

import math
from random import Random

from PIL import Image

from .land import broadleaf, hills, mist, peak, pines
from .paint import Canvas, mix
from .shapes import (
    Outline,
    Point,
    band,
    below,
    curve,
    ellipse,
    height_at,
    lens,
    placed,
    raised,
    rect,
    ridge,
    stroke,
)
from .sky import aurora, moon, rays, snowfall, stars, streaks, sun
from .things import cottage, smoke, walker
from .water import glitter, swell, water


def desert() -> Image.Image:
    """A balloon over dunes in the evening, a caravan on a crest below it."""
    c = Canvas("#2f6f86@0", "#7fae9f@0.2", "#f3d49a@0.42", "#ffb072@0.56", "#ff9a68@0.62", "#ff9a68@1")
    sun(c, 960, 560, 84, colour="#fff4d0", halo="#ffd890", reach=8)
    streaks(c, 61, "#fff0d0", top=120, bottom=440, count=8, alpha=0.35)
    hills(c, 141, 596, 38, ("#d98a6c", "#f0a878@0.15"), wave=260, octaves=5)
    hills(c, 143, 640, 26, ("#c86f58", "#e8946a@0.2"), wave=420, rim="#ffe0a8")
    crest = curve(
        [(-40, 742), (260, 716), (560, 742), (860, 716), (1180, 664), (1420, 676), (1700, 728), (1980, 700)],
        30,
    )
    c.fill([below(crest)], ("#f0a35f", "#d9793f@0.4", "#b8552f"))
    spur = curve([(1180, 664), (1120, 720), (1150, 790), (1060, 880), (1080, 980), (980, 1100)], 20)
    c.fill(
        [[*spur, (2000, 1100), (1980, 700), (1700, 728), (1420, 676)]],
        ("#b05540", "#8a3c36@0.5", "#6f2f34"),
        within=[below(crest)],
    )
    _caravan(c, crest)
    low = curve([(-40, 900), (300, 836), (640, 880), (900, 960), (1240, 1010), (1600, 940), (1980, 960)], 30)
    c.fill([below(low)], ("#c8653c", "#8f3f32@0.5", "#6b2c2e"))
    c.fill([band(low, 6)], "#ffc98a", alpha=0.5, blur=2, within=[below(low)])
    for i in range(9):
        wind = [(x, y + 34 + i * 22 + 5 * math.sin(x / 46 + i)) for x, y in low]
        c.fill([stroke(wind, 3)], "#ffb070", alpha=0.14, within=[below(low)])
    _balloon(c, 1250, 310, 150)
    _balloon(c, 770, 240, 40)
    return c.finished()


def _balloon(c: Canvas, x: float, y: float, r: float) -> None:
    """A striped hot-air balloon, its middle at (x, y)."""

    def gore(share: float) -> Outline:
        """The edge between two stripes, from the crown to the mouth; share -1 to 1 across."""
        edge = []
        for i in range(25):
            t = i / 24
            half = (
                math.sin(min(1, t * 1.08) * math.pi * 0.5)
                if t < 0.46
                else math.cos((t - 0.46) / 0.54 * math.pi * 0.44) ** 0.9
            )
            edge.append((x + r * half * share, y - r * 1.02 + t * r * 2.3))
        return edge

    shares = [math.sin(math.radians(-90 + 180 * i / 10)) for i in range(11)]
    colours = ("#c8403c", "#fff0d2", "#e8913c", "#fff0d2", "#2f6f80")
    for i, (left, right) in enumerate(zip(shares, shares[1:], strict=False)):
        c.fill([gore(left) + gore(right)[::-1]], colours[i % 5])
    whole = gore(-1) + gore(1)[::-1]
    c.fill(
        [ellipse(x + r * 0.55, y + r * 0.25, r, r * 1.5)],
        "#6b2440",
        alpha=0.34,
        blur=r * 0.22,
        within=[whole],
    )
    c.light(
        [ellipse(x - r * 0.45, y - r * 0.42, r * 0.3, r * 0.46)],
        "#fff3d0",
        alpha=0.4,
        blur=r * 0.14,
        within=[whole],
    )
    mouth = y + r * 1.28
    c.fill(
        [
            stroke([(x + s * r * 0.2, mouth - 4), (x + s * r * 0.13, mouth + r * 0.42)], max(1.2, r * 0.012))
            for s in (-1, -0.4, 0.4, 1)
        ],
        "#5a3430",
    )
    c.fill(
        [
            [
                (x - r * 0.15, mouth + r * 0.4),
                (x + r * 0.15, mouth + r * 0.4),
                (x + r * 0.12, mouth + r * 0.64),
                (x - r * 0.12, mouth + r * 0.64),
            ]
        ],
        ("#a8703c", "#6b4028"),
    )
    c.fill([ellipse(x + k * r, mouth + r * 0.32, r * 0.035, r * 0.05) for k in (-0.06, 0.05)], "#43241f")
    c.glow(x, mouth + r * 0.1, r * 0.5, "#ffd070", alpha=0.8)


def _caravan(c: Canvas, crest: list[Point]) -> None:
    """Five camels on a crest with their drivers."""
    body = curve(
        [(-34, -44), (-20, -56), (-4, -74), (8, -58), (26, -54), (36, -42), (30, -34), (-28, -34), (-34, -44)]
    )
    neck = stroke(curve([(-30, -42), (-46, -40), (-54, -58), (-60, -74)]), 13, 7)
    head = ellipse(-66, -74, 11, 5)
    legs = [stroke([(px, -38), (px + 2, -18), (px, 2)], 6, 3.5) for px in (-25, -17, 20, 28)]
    load = [rect(-12, -66, 14, -44), ellipse(1, -68, 13, 8)]
    for i in range(5):
        x = 900 + i * 96
        y, size = height_at(crest, x), 0.62
        c.fill(placed([body, neck, head, *legs], x, y + 1, size), "#5a2a30")
        c.fill(placed(load, x, y + 1, size), ("#a8403c", "#2f5d66", "#b8763a")[i % 3])
    walker(c, 846, height_at(crest, 846) + 1, 44, coat="#3f2234", skin="#3a1f26", scarf="#2f5d66")


def hut() -> Image.Image:
    """A mountain hut in the snow, one window lit, northern lights above the peaks."""
    c = Canvas("#050b22@0", "#0c2144@0.3", "#1a4560@0.52", "#3a7480@0.64", "#3a7480@1")
    stars(c, 71, count=420, floor=620)
    aurora(c, 12, "#3ff0a8", y=430, height=330, tilt=-0.06, alpha=0.75)
    aurora(c, 17, "#5fd0ff", y=330, height=260, tilt=0.05, alpha=0.4)
    aurora(c, 23, "#b06cff", y=250, height=260, tilt=-0.04, alpha=0.42)
    for x, top, width, seed in (
        (260, 470, 420, 1),
        (1700, 430, 480, 2),
        (700, 400, 440, 3),
        (1240, 330, 560, 4),
    ):
        peak(
            c,
            x,
            top,
            830,
            width,
            seed,
            shade=("#2a5070", "#3f7088"),
            lit=("#9fc8d8", "#5a8ca0"),
            light_from=-1,
        )
    mist(c, 770, "#6fb0b4", alpha=0.55, thickness=60, seed=11)
    back = hills(c, 151, 780, 26, ("#3d6f8a", "#5f93a6@0.3", "#5f93a6"), wave=460)
    c.fill(pines(back, 21, span=(-20, 940), count=54, size=(34, 92)), "#17364e")
    c.fill(pines(back, 22, span=(1500, 1940), count=34, size=(40, 120)), "#17364e")
    snow = raised(ridge(153, 880, 20, wave=700), 1260, 92, 330)
    c.fill([below(snow)], ("#a8d0dc", "#5d90b0@0.3", "#2c5680"))
    c.fill([band(snow, 9)], "#c8ffe6", alpha=0.5, blur=3, within=[below(snow)])
    foot = height_at(snow, 1250) + 14
    c.glow(1230, foot - 30, 380, "#ffb860", alpha=0.5, power=2.4)
    smoke(c, 1316, foot - 176, "#cfe6ea", drift=(-130, -250), size=9, alpha=0.45)
    cottage(
        c,
        1250,
        foot,
        104,
        wall="#5a3d38",
        shade="#40302f",
        roof="#dcecf2",
        window="#ffd98a",
        chimney="#3a3033",
    )
    c.light(
        [[(1170, foot + 4), (1210, foot + 4), (1290, foot + 130), (1090, foot + 130)]],
        "#ffc878",
        alpha=0.4,
        blur=14,
    )
    for x, tall, seed in ((1480, 250, 31), (1560, 190, 32), (1660, 310, 33), (1800, 360, 34), (60, 240, 35)):
        _snowy_pine(c, x, height_at(snow, x) + 16, tall, seed)
    _tracks(c, foot)
    snowfall(c, 7, count=260)
    return c.finished()


def _snowy_pine(c: Canvas, x: float, foot: float, tall: float, seed: int) -> None:
    from .land import pine

    tree = pine(x, foot, tall, seed)
    c.fill(tree, ("#1b4258", "#102c40"))
    lifted = [[(px - tall * 0.02, py - tall * 0.012) for px, py in part] for part in tree[1:]]
    caps = [[(px * 0.6 + x * 0.4, py - tall * 0.006) for px, py in part[:4]] for part in lifted]
    c.fill(caps, "#d9eef2", alpha=0.8, within=tree)


def _tracks(c: Canvas, foot: float) -> None:
    prints = []
    for i in range(30):
        t = i / 30
        x, y = 1196 - 210 * t**1.3 + 60 * math.sin(t * 5), foot + 14 + 210 * t**1.25
        prints.append(ellipse(x + (6 + 9 * t) * (1 if i % 2 else -1), y, 3 + 7 * t, 1.6 + 3.4 * t))
    c.fill(prints, "#2f5a80", alpha=0.6)


def undersea() -> Image.Image:
    """Under the sea: a whale and her calf in the light that falls from above."""
    c = Canvas("#bff0e2@0", "#5fc8cc@0.12", "#1f8fa8@0.36", "#0d5a80@0.62", "#07304f@0.85", "#051f38@1")
    rays(c, 1150, -340, "#d6fff0", angles=(54, 66, 74, 86, 97, 110, 124), length=1350, alpha=0.2, spread=5)
    c.glow(1150, -60, 900, "#f0fff4", alpha=0.55, power=2)
    rng = Random(9)
    c.light(
        [
            lens(rng.uniform(300, 1900), rng.uniform(4, 54), rng.uniform(40, 150), rng.uniform(3, 9))
            for _ in range(60)
        ],
        "#ffffff",
        alpha=0.5,
        blur=2,
    )
    for i, (paint, base) in enumerate(((("#0f5f80", "#0a3a5c"), 900), (("#0a456a", "#072c4a"), 970))):
        c.fill([below(ridge(161 + i, base, 70, wave=260, octaves=4))], paint, alpha=0.8)
    _shoal(c, 760, 420, 46, 3, "#0d5070")
    _whale(c, 1235, 400, 1.0, ("#2c5f80", "#123a5c"), "#8fc0cc")
    _whale(c, 1010, 590, 0.36, ("#3a7090", "#1d4a6c"), "#a3ccd4")
    _shoal(c, 1560, 720, 40, 5, "#f0b45a")
    _kelp(c, rng)
    _coral(c, rng)
    bubbles = [ellipse(1410 + rng.gauss(0, 26) + i * 2, 420 - i * 13, rng.uniform(2, 7)) for i in range(26)]
    c.light(bubbles, "#dffcff", alpha=0.35)
    c.light(
        [ellipse(rng.uniform(0, 1920), rng.uniform(80, 1000), rng.uniform(0.8, 2.4)) for _ in range(260)],
        "#cff6ff",
        alpha=0.28,
    )
    return c.finished()


def _whale(c: Canvas, x: float, y: float, scale: float, back: tuple[str, str], belly: str) -> None:
    """A humpback seen from the side, swimming right, about 700 px long at scale 1."""
    body = curve(
        [
            (340, 18),
            (318, -26),
            (240, -66),
            (110, -88),
            (-20, -76),
            (-150, -36),
            (-260, 2),
            (-318, 16),
            (-262, 30),
            (-150, 40),
            (-20, 66),
            (110, 92),
            (220, 84),
            (310, 50),
            (340, 18),
        ]
    )
    tail = curve(
        [
            (-300, 14),
            (-352, -10),
            (-410, -52),
            (-436, -48),
            (-408, 2),
            (-372, 20),
            (-400, 44),
            (-420, 76),
            (-392, 78),
            (-340, 40),
            (-296, 24),
        ]
    )
    fin = curve([(-60, -70), (-92, -96), (-116, -92), (-108, -62)])
    flipper = curve([(120, 62), (96, 120), (40, 176), (-8, 196), (-4, 180), (40, 120), (70, 60)])
    throat = curve(
        [
            (334, 26),
            (240, 38),
            (120, 46),
            (0, 54),
            (-120, 42),
            (-20, 66),
            (110, 92),
            (220, 84),
            (310, 50),
            (334, 26),
        ]
    )
    c.fill(placed([tail, fin, body], x, y, scale), back)
    c.fill(placed([throat], x, y, scale), belly, alpha=0.85)
    pleats = [
        stroke(curve([(326 - 6 * i, 34 + 7 * i), (220, 46 + 8 * i), (60 + 10 * i, 58 + 6 * i)]), 2.2)
        for i in range(5)
    ]
    c.fill(placed(pleats, x, y, scale), back[1], alpha=0.55)
    c.fill(placed([flipper], x, y, scale), (back[0], belly, belly))
    c.fill(placed([ellipse(236, 18, 6, 5)], x, y, scale), "#081c2c")
    c.fill(placed([stroke(curve([(338, 16), (280, 26), (232, 36)]), 3)], x, y, scale), back[1])
    c.light(
        placed(
            [curve([(300, -30), (180, -70), (60, -80), (-100, -46), (60, -66), (180, -56), (300, -20)])],
            x,
            y,
            scale,
        ),
        "#dffcff",
        alpha=0.45,
        blur=5 * scale + 1,
    )


def _shoal(c: Canvas, x: float, y: float, count: int, seed: int, colour: str) -> None:
    rng = Random(seed)
    fish: list[Outline] = []
    one = [curve([(-10, 0), (0, -4), (10, 0), (0, 4), (-10, 0)], 5), [(-8, 0), (-16, -5), (-16, 5)]]
    for _ in range(count):
        fish += placed(one, x + rng.gauss(0, 110), y + rng.gauss(0, 42), rng.uniform(0.7, 1.4))
    c.fill(fish, colour, alpha=0.9)


def _kelp(c: Canvas, rng: Random) -> None:
    for x in (1500, 1575, 1660, 1740, 1810, 1880, 40, 110, 190):
        tall = rng.uniform(280, 640) * (0.5 if x < 400 else 1)
        stem = curve([(x + 26 * math.sin(i * 1.1 + x), 1090 - tall * i / 7) for i in range(8)], 8)
        leaves = [
            curve(
                [(px, py), (px + s * 26, py - 24), (px + s * 58, py - 44), (px + s * 28, py - 10), (px, py)],
                5,
            )
            for i, (px, py) in enumerate(stem[4::4])
            for s in ((1,) if i % 2 else (-1,))
        ]
        c.fill([stroke(stem, 9, 3), *leaves], ("#1f7a6a", "#0c4450"), alpha=0.92)


def _coral(c: Canvas, rng: Random) -> None:
    floor = ridge(165, 1040, 26, wave=300)
    for colour in ("#c8506a", "#e88a5c", "#8a4a8c", "#3a9c94"):
        branches: list[Outline] = []
        for _ in range(5):
            x = rng.uniform(1000, 1900)
            y = height_at(floor, x) + 12
            for k in range(-3, 4):
                tip = (x + k * 18 + rng.uniform(-6, 6), y - rng.uniform(40, 92))
                branches += [stroke(curve([(x, y), (x + k * 6, y - 30), tip]), 12, 7), ellipse(*tip, 5)]
        c.fill(branches, (colour, mix(colour, "#072c4a", 0.55)), alpha=0.85)
    c.fill([below(floor)], ("#0c3c58", "#04182c"))


def observatory() -> Image.Image:
    """An observatory on a ridge under the Milky Way, its dome open."""
    c = Canvas("#060616@0", "#101436@0.35", "#2a2a5c@0.58", "#6b4a78@0.72", "#c07a7c@0.8", "#c07a7c@1")
    _milky_way(c)
    stars(c, 81, count=800, floor=760)
    trail = [(1490, 150), (1700, 250)]
    c.light([stroke(trail, 0.6, 4)], "#ffffff", alpha=0.9, blur=1)
    c.glow(1700, 250, 22, "#ffffff", alpha=0.9)
    hills(c, 171, 800, 50, ("#4a3a68", "#7d5474@0.3"), wave=330)
    mist(c, 850, "#b87a80", alpha=0.4, thickness=36, seed=13)
    back = hills(c, 173, 860, 34, ("#2c2850", "#3a3058@0.4"), wave=420)
    c.fill(pines(back, 24, span=(-20, 800), count=60, size=(24, 70)), "#241f44")
    crest = raised(ridge(175, 950, 16, wave=600), 1260, 190, 380)
    c.fill([below(crest)], ("#191735", "#0c0b20"))
    c.fill([band(crest, 7)], "#7a6a9c", alpha=0.4, blur=2, within=[below(crest)])
    _dome(c, 1260, height_at(crest, 1260) + 14)
    c.fill(pines(crest, 25, span=(1520, 1940), count=24, size=(50, 150), sink=10), "#0f0e26")
    walker(c, 1085, height_at(crest, 1085) + 4, 62, coat="#2a2546", skin="#0f0e26", scarf="#c8604c")
    return c.finished()


def _milky_way(c: Canvas) -> None:
    rng = Random(14)
    for colour, spread, alpha, blur in (
        ("#5a5aa8", 130, 0.4, 40),
        ("#a884b8", 70, 0.4, 28),
        ("#ffe0c8", 30, 0.36, 24),
    ):
        clouds = []
        for i in range(60):
            t = i / 60
            x, y = 500 + 1250 * t + rng.gauss(0, spread), 860 - 980 * t + rng.gauss(0, spread * 0.7)
            clouds.append(ellipse(x, y, rng.uniform(30, 90), rng.uniform(20, 60)))
        c.light(clouds, colour, alpha=alpha, blur=blur)
    dust = [
        ellipse(
            560 + 1180 * t + 34 * math.sin(t * 17),
            800 - 920 * t + rng.gauss(0, 14),
            rng.uniform(20, 64),
            rng.uniform(8, 18),
        )
        for t in (i / 26 for i in range(26))
    ]
    c.fill(dust, "#14133a", alpha=0.55, blur=14)
    specks = []
    for _ in range(900):
        t = rng.random()
        specks.append(
            ellipse(
                500 + 1250 * t + rng.gauss(0, 90), 860 - 980 * t + rng.gauss(0, 80), rng.uniform(0.5, 1.3)
            )
        )
    c.light(specks, "#fff0e0", alpha=0.55)


def _dome(c: Canvas, x: float, foot: float) -> None:
    wall = [(x - 120, foot), (x - 120, foot - 92), (x + 120, foot - 92), (x + 120, foot)]
    c.fill([wall], ("#b8a8c0", "#6f628a"))
    c.fill(
        [[(x + 20, foot), (x + 20, foot - 92), (x + 120, foot - 92), (x + 120, foot)]], "#3a3360", alpha=0.5
    )
    shell = ellipse(x, foot - 100, 132, 138, arc=(180, 360))
    c.fill([shell], ("#e0d4e0", "#9384a6"))
    c.fill(
        [[(x, foot - 238), *ellipse(x, foot - 100, 132, 138, arc=(270, 360)), (x + 30, foot - 100)]],
        "#4a4070",
        alpha=0.5,
        within=[shell],
    )
    c.fill(
        [stroke(ellipse(x, foot - 100, 132 * k, 138, arc=(180, 360)), 2) for k in (0.35, 0.72)],
        "#7a6c94",
        alpha=0.6,
        within=[shell],
    )
    slit = [
        (x - 2, foot - 100),
        *curve([(x + 2, foot - 170), (x + 20, foot - 240)], 6),
        *curve([(x + 66, foot - 226), (x + 60, foot - 170), (x + 56, foot - 100)], 6),
    ]
    c.fill([slit], ("#3a1f38", "#ff9a5c"), within=[shell])
    c.glow(x + 36, foot - 140, 170, "#ff9a54", alpha=0.5)
    c.fill(
        [
            stroke([(x + 18, foot - 112), (x + 92, foot - 258)], 26, 30),
            stroke([(x + 86, foot - 246), (x + 98, foot - 270)], 38),
        ],
        "#1d1a38",
    )
    c.fill([rect(x - 138, foot - 104, x + 138, foot - 90)], "#4a4070")
    c.fill([rect(x - 88, foot - 50, x - 58, foot)], "#ffcf8a")
    c.light([rect(x - 88, foot - 50, x - 58, foot)], "#ffb868", alpha=0.9, blur=12)
    c.fill([ellipse(x - 20, foot - 58, 9), ellipse(x + 60, foot - 58, 9)], "#ffd9a0")


def lanterns() -> Image.Image:
    """Paper lanterns on a river and in the air, a stone bridge, willows."""
    c = Canvas("#0a0d2a@0", "#1f1f52@0.3", "#4a3470@0.5", "#8a4f78@0.6", "#8a4f78@1")
    stars(c, 91, count=240, floor=460)
    moon(c, 1540, 170, 44)
    hills(c, 181, 560, 60, ("#3a2f62", "#5f4474@0.3"), wave=420)
    shore = hills(c, 183, 606, 22, ("#221c46", "#2a2150"), wave=500)
    for i, x in enumerate((60, 190, 330, 470, 1620, 1760, 1880)):
        broadleaf(c, x, height_at(shore, x) + 20, 170 + 40 * (i % 3), 60 + i, dark="#1c183e", bark="#151232")
    _bridge(c)
    rng = Random(16)
    for _ in range(34):
        t = rng.random()
        _sky_lantern(
            c, 1180 + rng.gauss(0, 300) * (0.4 + t), 520 - 470 * t, 5 + 13 * (1 - t) * rng.uniform(0.6, 1.3)
        )
    water(c, 660, ("#4f3a70", "#28235a", "#141540", "#0b0d2c"), mirror=0.85)
    swell(c, 27, "#c08aa8", top=670, bottom=1080, count=40, alpha=0.16)
    places = sorted((690 + 330 * rng.random() ** 1.3, rng.gauss(1200, 330)) for _ in range(30))
    for y, x in places:
        if x > 700 or y < 780:
            _float(c, x, y, 5 + 23 * ((y - 670) / 360))
    return c.finished()


def _bridge(c: Canvas) -> None:
    deck = curve([(700, 640), (900, 596), (1200, 560), (1500, 596), (1700, 640)], 16)
    spans = [(900, 74), (1200, 116), (1500, 74)]
    hollows = [ellipse(x, 664, half, half * 0.72, arc=(180, 360)) for x, half in spans]
    stone: Outline = [*deck, (1700, 664)]
    for hollow in reversed(hollows):
        stone += hollow[::-1]
    c.fill([[*stone, (700, 664)]], ("#4f4072", "#2b2452"))
    c.fill([stroke(hollow, 9) for hollow in hollows], "#6f5a8c")
    c.fill([stroke([(x, y - 14) for x, y in deck], 8)], "#6f5a8c")
    c.fill([rect(x - 4, y - 34, x + 4, y) for x, y in deck[4::9]], "#3a2f60")
    for x, y in deck[4::9]:
        c.glow(x, y - 40, 70, "#ffbe6a", alpha=0.7)
        c.fill([ellipse(x, y - 40, 6)], "#fff0c4")
    for x, coat in ((1120, "#1c183e"), (1150, "#3a2450"), (1262, "#1c183e")):
        walker(c, x, height_at(deck, x) - 4, 46, coat=coat, skin="#151232")


def _sky_lantern(c: Canvas, x: float, y: float, r: float) -> None:
    c.glow(x, y, r * 5, "#ff9c4a", alpha=0.5)
    c.fill(
        [[(x - r * 0.75, y - r), (x + r * 0.75, y - r), (x + r * 0.55, y + r), (x - r * 0.55, y + r)]],
        ("#ff9a4c", "#fff0b8"),
    )


def _float(c: Canvas, x: float, y: float, r: float) -> None:
    c.glow(x, y - r, r * 6, "#ffa04c", alpha=0.55)
    glitter(
        c,
        x,
        "#ffb868",
        int(x),
        top=y + r * 0.4,
        bottom=y + r * 6,
        width=r * 0.8,
        count=12,
        alpha=0.6,
        spread=0.5,
    )
    c.fill([lens(x, y + r * 0.3, r * 1.5, r * 0.6)], "#5a2f4c")
    c.fill(
        [
            [
                (x - r * 0.8, y - r * 1.9),
                (x + r * 0.8, y - r * 1.9),
                (x + r * 0.95, y + r * 0.15),
                (x - r * 0.95, y + r * 0.15),
            ]
        ],
        ("#ffb45c", "#fff2c0", "#ffc46a"),
    )
    c.fill([rect(x - 0.9 * r, y - r * 0.9, x + 0.9 * r, y - r * 0.8)], "#e07a3c", alpha=0.6)
