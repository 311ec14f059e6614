"""Pictures from close by: roofs in the rain, the glasshouse, the kitchen, the reading room."""

import math
from random import Random

from PIL import Image

from .land import grass, hills, mist, pines
from .paint import Canvas, mix
from .shapes import Outline, arch, below, curve, ellipse, lens, placed, rect, ridge, stroke
from .sky import crescent, moon, rain, stars, streaks
from .things import WARM, path, smoke


def city() -> Image.Image:
    """Roofs of a town in the evening rain, a cat on a ridge, windows lit one after the other."""
    c = Canvas("#141a38@0", "#2b3560@0.25", "#5a5480@0.45", "#a8707c@0.6", "#c98a7c@0.68", "#c98a7c@1")
    streaks(c, 71, "#3a4068", top=20, bottom=360, count=14, alpha=0.6)
    rng = Random(27)
    rows = (
        (560, "#6b6488", "#5a5680", 70),
        (650, "#4a4a74", "#3d4068", 96),
        (760, "#2f3560", "#262c54", 130),
    )
    for i, (base, wall, roof, size) in enumerate(rows):
        _roofs(c, rng, base, wall, roof, size, glow=0.25 + 0.2 * i)
        mist(c, base + 70, mix("#b8848c", "#4a4a74", i / 3), alpha=0.42, thickness=50, seed=i)
    _church(c)
    rain(c, 3, count=900, colour="#c8d0f0", alpha=0.16, length=46)
    _near_roof(c)
    rain(c, 4, count=420, colour="#e6ecff", alpha=0.24, length=90)
    return c.finished()


def _roofs(c: Canvas, rng: Random, base: float, wall: str, roof: str, size: float, *, glow: float) -> None:
    x = -60.0
    walls: list[Outline] = []
    tops: list[Outline] = []
    panes: list[Outline] = []
    while x < 1960:
        wide, tall = size * rng.uniform(0.9, 1.6), size * rng.uniform(0.5, 1.5)
        top, peak = base - tall, base - tall - size * rng.uniform(0.45, 0.75)
        walls.append(rect(x, top, x + wide, base + 400))
        if rng.random() < 0.7:
            tops.append([(x - 6, top + 2), (x + wide / 2, peak), (x + wide + 6, top + 2)])
        else:
            tops.append(
                [(x - 6, top + 2), (x + wide * 0.16, peak), (x + wide * 0.84, peak), (x + wide + 6, top + 2)]
            )
        tops.append(rect(x + wide * 0.68, peak - size * 0.12, x + wide * 0.8, top))
        for row in range(4):
            for k in range(3):
                if rng.random() < glow:
                    px, py = x + wide * (0.14 + 0.28 * k), top + size * (0.16 + 0.36 * row)
                    panes.append(rect(px, py, px + wide * 0.15, py + size * 0.22))
        x += wide
    c.fill(walls, (wall, wall, mix(wall, "#b8848c", 0.35)))
    c.fill(tops, roof)
    c.fill(panes, WARM, alpha=0.9)
    c.light(panes, "#ffb45c", alpha=0.6, blur=7)


def _church(c: Canvas) -> None:
    c.fill([rect(1420, 420, 1490, 800), [(1408, 424), (1455, 250), (1502, 424)]], ("#3a3f6c", "#2f3560"))
    c.fill([rect(1453, 222, 1457, 256), rect(1445, 232, 1465, 236)], "#3a3f6c")
    c.fill([ellipse(1455, 470, 22)], "#fff0c8")
    c.glow(1455, 470, 90, "#ffd98a", alpha=0.6)
    c.fill([stroke([(1455, 470), (1455, 455)], 3), stroke([(1455, 470), (1465, 474)], 3)], "#3a3048")


def _near_roof(c: Canvas) -> None:
    """The wet roof in front, with chimneys, a lit dormer and the cat."""
    slope: Outline = [(560, 1100), (1010, 742), (1960, 742), (1960, 1100)]
    c.fill([slope], ("#262a50", "#1a1d3e", "#12142e"))
    for i in range(11):
        y = 742 + 34 * i
        c.fill([stroke([(1010 - (y - 742) * 1.257, y), (1960, y)], 2.5)], "#4a5080", alpha=0.4)
        c.fill(
            [
                rect(x + (16 if i % 2 else 0), y, x + 2 + (16 if i % 2 else 0), y + 34)
                for x in range(1010 - 43 * i, 1960, 34)
            ],
            "#0f1128",
            alpha=0.5,
            within=[slope],
        )
    c.light([stroke([(1010, 744), (1960, 744)], 5)], "#c0c8f0", alpha=0.6, blur=1.5)
    rng = Random(6)
    c.light(
        [lens(rng.uniform(900, 1900), rng.uniform(770, 1080), rng.uniform(20, 80), 5) for _ in range(40)],
        "#e0a890",
        alpha=0.2,
        blur=3,
    )
    for x, top in ((1600, 600), (1660, 620)):
        c.fill([rect(x, top, x + 46, 790)], ("#4a3f5c", "#2c2648"))
        c.fill([rect(x - 5, top - 4, x + 51, top + 10), rect(x + 12, top - 30, x + 34, top)], "#231e40")
    smoke(c, 1624, 566, "#8a86a8", drift=(-190, -150), size=11, alpha=0.4)
    dormer: Outline = [(1240, 960), (1240, 846), (1330, 776), (1420, 846), (1420, 960)]
    c.fill([dormer], ("#343a66", "#252a50"))
    c.fill([stroke([(1222, 858), (1330, 772), (1438, 858)], 16)], "#171a38")
    panes = [
        rect(1276, 852, 1326, 892),
        rect(1334, 852, 1384, 892),
        rect(1276, 900, 1326, 944),
        rect(1334, 900, 1384, 944),
    ]
    c.glow(1330, 900, 300, "#ffb45c", alpha=0.5)
    c.fill(panes, ("#fff0c0", "#ffc878"))
    _cat(c, 1180, 744, 1.0)


def _cat(c: Canvas, x: float, foot: float, scale: float, colour: str = "#0f1026") -> None:
    """A sitting cat seen from behind, 100 px tall at scale 1."""
    body = curve([(-30, 0), (-34, -28), (-20, -62), (-10, -72), (10, -72), (20, -62), (34, -28), (30, 0)])
    head = curve(
        [(-23, -84), (-25, -112), (-11, -101), (11, -101), (25, -112), (23, -84), (0, -66), (-23, -84)]
    )
    tail = stroke(curve([(26, -4), (58, 2), (74, 28), (58, 52)]), 12, 7)
    c.fill(placed([[*body, (0, 4)], head, tail], x, foot, scale), colour)


def glasshouse() -> Image.Image:
    """A glasshouse lit from inside in a garden at night."""
    c = Canvas("#070d1f@0", "#10233a@0.35", "#1f4450@0.6", "#2b5a58@0.7", "#2b5a58@1")
    stars(c, 101, count=260, floor=480)
    moon(c, 880, 170, 44)
    back = hills(c, 191, 700, 40, ("#153442", "#1b3f48"), wave=400)
    c.fill(pines(back, 27, span=(-20, 760), count=40, size=(60, 190), sink=14), "#0f2a38")
    c.fill(pines(back, 28, span=(1600, 1940), count=22, size=(80, 230), sink=14), "#0f2a38")
    c.fill([below(ridge(193, 800, 8, wave=600))], ("#1b4440", "#0d2a2e@0.4", "#081c22"))
    c.glow(1230, 640, 760, "#ffd98a", alpha=0.45, power=2.2)
    _glass(c)
    c.light([[(1000, 816), (1460, 816), (1640, 1090), (800, 1090)]], "#ffdf94", alpha=0.22, blur=40)
    path(
        c,
        [(1230, 816, 40), (1226, 860, 64), (1190, 940, 110), (1150, 1090, 190)],
        ("#d9c48c", "#8a8a6a", "#4a5a50"),
        alpha=0.8,
    )
    ground = ridge(195, 1010, 22, wave=400)
    c.fill(grass(ground, 12, count=500, size=(20, 60), span=(1420, 1930)), "#123a36")
    rng = Random(3)
    for _ in range(26):
        x = rng.choice((rng.uniform(560, 1000), rng.uniform(1420, 1900)))
        c.glow(x, rng.uniform(820, 960), rng.uniform(7, 13), "#e6ff9a", alpha=0.8)
    return c.finished()


def _glass(c: Canvas) -> None:
    """The house of glass: two wings, a tall middle with a rounded roof, plants behind the panes."""
    middle: Outline = [
        (1040, 816),
        (1040, 520),
        *curve([(1040, 520), (1090, 410), (1230, 340), (1370, 410), (1420, 520)], 14),
        (1420, 816),
    ]
    wings: list[Outline] = [
        [(760, 816), (760, 640), (840, 580), (1040, 580), (1040, 816)],
        [(1420, 816), (1420, 580), (1620, 580), (1700, 640), (1700, 816)],
    ]
    panes = [middle, *wings]
    c.fill(panes, ("#fff3c4", "#ffe29a", "#d9c878", "#8aa868"))
    c.glow(1230, 560, 300, "#fffbe0", alpha=0.6)
    rng = Random(9)
    for colour, low in (("#7fa060", 0.5), ("#4a7c4c", 0.75), ("#2a5a40", 1.0)):
        leaves: list[Outline] = []
        for _ in range(16):
            x = rng.uniform(790, 1680)
            tall = rng.uniform(90, 190) * (1.75 if 1070 < x < 1390 else 0.9)
            leaves += _fronds(rng, x, 812, tall * (1.3 - 0.5 * low))
        c.fill(leaves, colour, alpha=0.9, within=panes)
    frame: list[Outline] = [stroke([*outline, outline[0]], 8) for outline in panes]
    frame += [rect(x - 2, 380, x + 2, 816) for x in range(1088, 1400, 47)] + [
        rect(x - 2, 584, x + 2, 816) for x in (800, 850, 900, 950, 1000, 1460, 1510, 1560, 1610, 1660)
    ]
    frame += [
        rect(764, 690, 1696, 694),
        rect(1044, 518, 1416, 524),
        rect(764, 638, 1036, 642),
        rect(1424, 638, 1696, 642),
        rect(1044, 600, 1416, 604),
    ]
    c.fill(frame, "#1b3034", within=[*panes, *frame[:3]])
    c.fill([rect(744, 806, 1716, 824)], "#25383a")
    c.fill([arch(1190, 650, 1270, 816)], "#fff6d4", alpha=0.5)
    c.fill([stroke([*arch(1190, 650, 1270, 816)], 6), rect(1228, 652, 1232, 816)], "#1b3034")
    c.fill([rect(1227, 296, 1233, 346), ellipse(1230, 296, 7)], "#25383a")


def _fronds(rng: Random, x: float, foot: float, tall: float) -> list[Outline]:
    parts = [stroke([(x, foot), (x, foot - tall * 0.55)], 6, 3)]
    for _ in range(9):
        lean = rng.uniform(-1, 1)
        tip = (x + lean * tall * 0.42, foot - tall * (0.62 + 0.4 * (1 - abs(lean)) * rng.uniform(0.6, 1)))
        bend = (x + lean * tall * 0.2, tip[1] - tall * 0.1)
        parts.append(stroke(curve([(x, foot - tall * 0.4), bend, tip]), 15, 1))
    return parts


def kitchen() -> Image.Image:
    """A kitchen window at blue hour: a kettle, a cup, herbs on the sill, hills outside."""
    outside = Canvas("#16244f@0", "#3a4f86@0.35", "#8a7ba4@0.55", "#f0b090@0.68", "#f0b090@1")
    stars(outside, 111, count=160, floor=420)
    crescent(outside, 1090, 230, 40)
    hills(outside, 201, 560, 40, ("#5a5f90", "#8a7a9c@0.3"), wave=330)
    far = hills(outside, 203, 620, 30, ("#2f3a68", "#3a4270"), wave=400)
    outside.fill(pines(far, 30, span=(900, 1640), count=36, size=(30, 84)), "#232c56")
    outside.light([rect(1392, 604, 1400, 612), rect(1406, 604, 1414, 612)], "#ffe0a0", alpha=1)
    c = Canvas("#3a2430@0", "#5c3838@0.35", "#6b4038@0.6", "#4a2c30@1")
    c.glow(1230, 180, 1100, "#ffb468", alpha=0.5, power=1.7)
    c.show(outside.image, [rect(960, 130, 1500, 690)])
    c.glow(1230, 420, 420, "#8aa0e0", alpha=0.14)
    frame = [
        rect(936, 106, 1524, 136),
        rect(936, 676, 1524, 706),
        rect(936, 106, 966, 706),
        rect(1494, 106, 1524, 706),
        rect(1220, 130, 1240, 690),
        rect(960, 396, 1500, 414),
    ]
    c.fill(frame, ("#e6c9a4", "#b8906c"))
    _curtains(c)
    _shelf(c)
    c.fill([rect(890, 700, 1570, 730)], ("#d9b48a", "#9c7250"))
    _herbs(c)
    c.fill([rect(-10, 840, 1930, 1100)], ("#a8744a", "#6b4430@0.35", "#3a2426"))
    c.fill([rect(-10, 836, 1930, 848)], "#d9a66c")
    _kettle(c, 1200, 842)
    _cup(c, 1420, 858)
    _hanging_lamp(c, 1640)
    c.light([lens(1400, 860, 420, 70)], "#ffce8a", alpha=0.28, blur=26)
    return c.finished()


def _curtains(c: Canvas) -> None:
    for side, inner, outer in ((-1, 1000, 860), (1, 1460, 1600)):
        edge = curve(
            [
                (inner - side * -70, 96),
                (inner, 330),
                (outer - side * -30 if side > 0 else outer + 30, 560),
                (outer, 720),
            ]
        )
        cloth = [*edge, (outer, 96)] if side > 0 else [*edge, (outer, 96)]
        c.fill([cloth], ("#d9695c", "#b04a4a", "#8a3840"))
        folds = [
            stroke(
                curve(
                    [(outer - side * k, 100), (outer - side * k * 0.8, 400), (outer - side * k * 0.3, 716)]
                ),
                9,
                5,
            )
            for k in (24, 62, 104)
        ]
        c.fill(folds, "#7a2f3c", alpha=0.45, blur=3, within=[cloth])
    c.fill([rect(830, 84, 1630, 98), ellipse(830, 91, 13), ellipse(1630, 91, 13)], "#6b4430")


def _shelf(c: Canvas) -> None:
    """A shelf with jars on the left wall, dim."""
    for y in (330, 520):
        c.fill([rect(230, y, 760, y + 14)], ("#7a5040", "#4f3030"))
        rng = Random(y)
        x = 250.0
        while x < 730:
            wide, tall = rng.uniform(40, 66), rng.uniform(60, 110)
            colour = rng.choice(("#8a5a44", "#6f6a5a", "#a87a4c", "#74484a", "#5a6468"))
            c.fill(
                [rect(x, y - tall, x + wide, y), rect(x + 5, y - tall - 12, x + wide - 5, y - tall)],
                (colour, mix(colour, "#3a2430", 0.5)),
                alpha=0.85,
            )
            x += wide + rng.uniform(10, 26)


def _herbs(c: Canvas) -> None:
    rng = Random(4)
    for x, leaf in ((1010, "#5a8a4c"), (1110, "#3f7350"), (1400, "#7a9c4a")):
        leaves = []
        for _ in range(34):
            a, out = rng.uniform(180, 360), rng.uniform(0.2, 1)
            px, py = x + math.cos(math.radians(a)) * 50 * out, 640 + math.sin(math.radians(a)) * 84 * out
            leaves.append(ellipse(px, py, rng.uniform(9, 15), rng.uniform(6, 10)))
        c.fill(leaves, leaf)
        c.fill(
            [ellipse(o[0][0] - 14, o[0][1] - 3, 6, 4) for o in leaves[::2]],
            mix(leaf, "#ffe0a0", 0.4),
            alpha=0.8,
        )
        c.fill([[(x - 38, 640), (x + 38, 640), (x + 28, 702), (x - 28, 702)]], ("#d08456", "#a05a40"))
        c.fill([rect(x - 43, 630, x + 43, 648)], "#e0986a")


def _kettle(c: Canvas, x: float, foot: float) -> None:
    body = curve(
        [
            (x - 92, foot),
            (x - 104, foot - 46),
            (x - 82, foot - 112),
            (x - 34, foot - 142),
            (x + 34, foot - 142),
            (x + 82, foot - 112),
            (x + 104, foot - 46),
            (x + 92, foot),
        ]
    )
    c.fill([lens(x, foot + 8, 150, 24)], "#2a1820", alpha=0.6, blur=6)
    c.fill(
        [
            stroke(
                curve(
                    [
                        (x - 80, foot - 106),
                        (x - 84, foot - 210),
                        (x, foot - 244),
                        (x + 84, foot - 210),
                        (x + 80, foot - 106),
                    ]
                ),
                15,
            )
        ],
        "#3a2630",
    )
    c.fill(
        [
            [
                (x + 84, foot - 70),
                *curve([(x + 120, foot - 90), (x + 146, foot - 140), (x + 172, foot - 152)], 6),
                *curve([(x + 176, foot - 134), (x + 150, foot - 96), (x + 92, foot - 26)], 6),
            ]
        ],
        ("#4a90a0", "#2a6070"),
    )
    c.fill([body], ("#6ab0b8", "#3a8090", "#215060"))
    c.fill([ellipse(x - 44, foot - 86, 20, 42)], "#d6f6f0", alpha=0.55, blur=5, within=[body])
    c.fill([ellipse(x, foot - 142, 40, 10), ellipse(x, foot - 158, 12)], "#2a4a58")
    c.fill([ellipse(x + 60, foot - 40, 60, 90)], "#103440", alpha=0.35, blur=16, within=[body])
    _steam(c, x + 182, foot - 160)


def _steam(c: Canvas, x: float, y: float) -> None:
    for k, (drift, wide) in enumerate(((34, 15), (70, 24), (10, 12))):
        wisp = curve(
            [
                (x, y),
                (x + drift * 0.6, y - 60),
                (x + drift * 0.2, y - 130),
                (x + drift, y - 210),
                (x + drift * 0.5, y - 300),
            ],
            8,
        )
        c.light([stroke(wisp, wide * 0.5, wide * 2.4)], "#fff4e4", alpha=0.3 - 0.05 * k, blur=11)


def _cup(c: Canvas, x: float, foot: float) -> None:
    c.fill([lens(x, foot + 8, 104, 22)], "#2a1820", alpha=0.5, blur=5)
    c.fill([ellipse(x, foot + 4, 84, 12)], "#efe0cc")
    c.fill([stroke(ellipse(x + 56, foot - 46, 24, 24), 10)], "#e6d0b4")
    c.fill(
        [
            [
                (x - 58, foot - 84),
                *curve(
                    [
                        (x - 56, foot - 40),
                        (x - 36, foot - 4),
                        (x, foot),
                        (x + 36, foot - 4),
                        (x + 56, foot - 40),
                        (x + 58, foot - 84),
                    ],
                    6,
                ),
            ]
        ],
        ("#fff4e2", "#cfae90"),
    )
    c.fill([ellipse(x, foot - 84, 58, 11)], "#d9bfa0")
    c.fill([ellipse(x, foot - 83, 50, 8)], "#8a4a2c")
    c.fill([rect(x - 57, foot - 62, x + 57, foot - 54)], "#c8605a", alpha=0.8)
    _steam(c, x - 14, foot - 92)


def _hanging_lamp(c: Canvas, x: float) -> None:
    c.fill([rect(x - 2, -10, x + 2, 190)], "#2a1a20")
    c.glow(x, 280, 520, "#ffd08a", alpha=0.5, power=2)
    c.fill([[(x - 26, 190), (x + 26, 190), (x + 92, 270), (x - 92, 270)]], ("#2f5a5c", "#1f4044"))
    c.fill([ellipse(x, 270, 92, 14)], "#fff0c4")
    c.glow(x, 276, 170, "#fff3cf", alpha=0.8)


def library() -> Image.Image:
    """A reading room at night: a tall window, the moon, a green lamp, a cat on the sill."""
    outside = Canvas("#081430@0", "#16305a@0.4", "#3a5f8a@0.7", "#3a5f8a@1")
    stars(outside, 121, count=420, floor=640)
    moon(outside, 1310, 270, 62)
    hills(outside, 211, 600, 40, ("#1f3f68", "#2c507a@0.4"), wave=330)
    roofs = Random(4)
    _roofs(outside, roofs, 640, "#14294c", "#0f2040", 54, glow=0.2)
    c = Canvas("#1d1418@0", "#3a2622@0.5", "#2a1a1a@1")
    _shelves(c, 0, 960, dim=0.45)
    _shelves(c, 1520, 1960, dim=0.3)
    c.fill([rect(960, -10, 1520, 820)], ("#4a3028", "#3a2420"))
    window = arch(1020, 90, 1460, 720)
    c.show(outside.image, [window])
    bars = [
        rect(1236, 90, 1246, 720),
        rect(1126, 150, 1132, 720),
        rect(1350, 150, 1356, 720),
        rect(1020, 300, 1460, 308),
        rect(1020, 510, 1460, 518),
    ]
    c.fill(bars, "#2a1a18", within=[window])
    c.fill([stroke(window, 24)], ("#8a5c40", "#5a3a2c"))
    c.fill([rect(976, 712, 1504, 742)], ("#a87450", "#6b4632"))
    c.light([[(1030, 720), (1450, 720), (1300, 1090), (700, 1090)]], "#8ab0ec", alpha=0.1, blur=30)
    _sitting_cat(c)
    c.fill([rect(-10, 880, 1930, 1100)], ("#7a4a30", "#4a2c22@0.4", "#2a1816"))
    c.fill([rect(-10, 874, 1930, 886)], "#b0764a")
    _desk_lamp(c, 1420, 880)
    _open_book(c, 1220, 900)
    return c.finished()


_SPINES = ("#8a3a34", "#3f5a4a", "#b0803c", "#2f4a66", "#6b3a52", "#a8623c", "#53624a", "#8a7050", "#3a3f5c")


def _shelves(c: Canvas, left: float, right: float, *, dim: float) -> None:
    rng = Random(int(left) + 5)
    c.fill([rect(left - 10, -10, right, 900)], "#1a1012")
    for row in range(6):
        y = 130 + row * 150
        x = left + 8
        while x < right - 10:
            wide, tall = rng.uniform(15, 40), rng.uniform(84, 124)
            if rng.random() < 0.07:
                x += wide
                continue
            colour = mix(rng.choice(_SPINES), "#1a1012", dim)
            c.fill([rect(x, y - tall, min(x + wide, right - 6), y)], (colour, mix(colour, "#0f0808", 0.45)))
            c.fill(
                [rect(x + 3, y - tall + 14, min(x + wide, right - 6) - 3, y - tall + 18)],
                mix("#e0b868", "#1a1012", dim),
                alpha=0.6,
            )
            x += wide + 1.5
        c.fill([rect(left - 10, y, right, y + 14)], ("#5a3a2c", "#2c1a18"))
    c.fill(
        [rect(right - 16, -10, right, 900)] if left < 900 else [rect(left, -10, left + 16, 900)],
        ("#5a3a2c", "#3a2420"),
    )


def _sitting_cat(c: Canvas) -> None:
    _cat(c, 1120, 716, 1.15, "#120c12")


def _desk_lamp(c: Canvas, x: float, foot: float) -> None:
    c.glow(x, foot - 150, 620, "#ffcf7a", alpha=0.5, power=2.2)
    c.light([lens(x - 40, foot + 20, 420, 70)], "#ffd68a", alpha=0.45, blur=24)
    c.fill([ellipse(x, foot, 62, 12), rect(x - 6, foot - 150, x + 6, foot)], ("#e0b060", "#8a6030"))
    c.fill(
        [
            [
                (x - 112, foot - 150),
                *curve(
                    [
                        (x - 104, foot - 182),
                        (x - 70, foot - 206),
                        (x, foot - 212),
                        (x + 70, foot - 206),
                        (x + 104, foot - 182),
                    ],
                    6,
                ),
                (x + 112, foot - 150),
            ]
        ],
        ("#3fa07a", "#1f6a50"),
    )
    c.fill([lens(x, foot - 150, 112, 14)], "#fff3c8")
    c.light([lens(x, foot - 184, 80, 14)], "#c8ffe0", alpha=0.4, blur=4)


def _open_book(c: Canvas, x: float, foot: float) -> None:
    left = [
        (x, foot + 6),
        *curve([(x - 40, foot - 18), (x - 130, foot - 12)], 8),
        (x - 150, foot + 34),
        *curve([(x - 60, foot + 28), (x, foot + 50)], 8),
    ]
    right = [(2 * x - px, py) for px, py in left]
    c.fill([lens(x, foot + 42, 190, 40)], "#1a0f10", alpha=0.6, blur=8)
    c.fill([left], ("#f3e2c0", "#d9c09a"))
    c.fill([right], ("#fff3d6", "#ecd8b0"))
    lines = [
        stroke([(x + side * (24 + k), foot + 4 + k * 7), (x + side * (120 + k * 2), foot - 2 + k * 8)], 2)
        for side in (-1, 1)
        for k in range(4)
    ]
    c.fill(lines, "#8a6a50", alpha=0.5)
