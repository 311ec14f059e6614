"""Pictures of the country: morning hills, the house on the hill, the viaduct, the orchard, autumn."""

from random import Random

from PIL import Image

from .land import broadleaf, grass, hills, mist, pines
from .paint import Canvas, mix
from .shapes import (
    Outline,
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
from .sky import birds, crescent, cumulus, rays, stars, streaks, sun
from .things import cottage, fence, path, smoke


def morning() -> Image.Image:
    """Hills one behind the other in the first light, mist between them, birds above."""
    c = Canvas("#9fc3d8@0", "#c9dde2@0.22", "#f6e7d3@0.42", "#ffd9b8@0.52", "#ffd9b8@1")
    sun(c, 1120, 372, 58, colour="#fffbee", halo="#fff3d2", reach=10)
    streaks(c, 31, "#ffffff", top=120, bottom=360, count=7, alpha=0.45)
    layers = (
        ("#b9c8d6", "#ead9cd"),
        ("#97b3c4", "#cfd3d2"),
        ("#7096ab", "#a9c0c8"),
        ("#4d7a90", "#86a9b5"),
        ("#2f5e72", "#5c8796"),
    )
    for i, (top, low) in enumerate(layers):
        y = 470 + i * 82 + i * i * 6
        hills(
            c,
            71 + i * 3,
            y,
            74 - i * 7,
            (top, low + "@0.3", low),
            wave=330 + 90 * i,
            rim="#fff3df" if i < 3 else None,
        )
        mist(c, y + 96, mix("#fff1e0", "#b7cdd2", i / 5), alpha=0.5 - i * 0.05, thickness=44, seed=i)
    front = raised(ridge(97, 960, 30, wave=700), 1760, 190, 560)
    c.fill([below(front)], ("#1f4a58", "#143540"))
    c.fill(pines(front, 3, span=(1150, 1940), count=30, size=(70, 280), sink=12), ("#183c48", "#1b424e"))
    c.fill(pines(front, 4, span=(-30, 420), count=14, size=(40, 120), sink=10), "#1a404d")
    birds(c, 1240, 210, 5, "#3f5a6a", count=11, size=19)
    return c.finished()


def hill_house() -> Image.Image:
    """A lit house on a hill at dusk, a path up to the door, a tree, the first stars."""
    c = Canvas("#1c1440@0", "#3f2a6b@0.22", "#7d4a86@0.42", "#d0788a@0.58", "#f9b58c@0.7", "#f9b58c@1")
    stars(c, 5, count=300, floor=520)
    crescent(c, 960, 190, 46)
    streaks(c, 41, "#ff9f9a", top=430, bottom=610, count=9, alpha=0.35)
    hills(c, 81, 690, 50, ("#a8628a", "#c98090@0.2"), wave=420, rim="#ffcfae")
    mist(c, 750, "#f0a08e", alpha=0.4, thickness=40, seed=4)
    back = hills(c, 83, 760, 40, ("#6d3f74", "#7d4a7c@0.2"), wave=600)
    c.fill(pines(back, 11, span=(-20, 700), count=40, size=(30, 84)), "#5c3468")
    c.fill(pines(back, 12, span=(1500, 1940), count=26, size=(30, 90)), "#5c3468")
    crest = raised(ridge(85, 880, 16, wave=800), 1250, 214, 420)
    c.fill([below(crest)], ("#4a2a5a", "#2f1b45@0.5", "#1f1234"))
    c.fill([band(crest, 10)], "#c27a94", alpha=0.4, blur=3, within=[below(crest)])
    foot = height_at(crest, 1230) + 12
    c.glow(1225, foot - 40, 420, "#ffb868", alpha=0.4, power=2.4)
    path(
        c,
        [
            (1196, foot - 2, 15),
            (1206, foot + 50, 22),
            (1252, foot + 120, 34),
            (1246, foot + 210, 62),
            (1130, foot + 330, 130),
            (1050, foot + 460, 220),
        ],
        ("#b98a92", "#6d4a70", "#4a3058"),
        alpha=0.75,
    )
    smoke(c, 1286, foot - 148, "#c9a0b0", drift=(120, -230), size=8, alpha=0.35)
    cottage(c, 1230, foot, 92, wall="#6b4668", shade="#513456", roof="#26173a", window="#ffe09a")
    broadleaf(
        c, 1440, height_at(crest, 1440) + 8, 330, 4, dark="#2a1840", lit="#4b2c5c", bark="#23143a", side=-1
    )
    line = [(x, height_at(crest, x) + 4) for x in range(1300, 1920, 44)]
    fence(c, line, "#2a1840", post=36)
    c.fill(grass(crest, 6, count=420, size=(8, 24)), "#3a2150")
    c.fill(pines(crest, 13, span=(1640, 1930), count=7, size=(120, 230), sink=10), "#22133a")
    return c.finished()


def viaduct() -> Image.Image:
    """A steam train on a stone viaduct over a valley full of evening mist."""
    c = Canvas("#2f5d78@0", "#7fa3a0@0.2", "#f3d9a0@0.4", "#ffbf7c@0.5", "#ffbf7c@1")
    sun(c, 840, 420, 66, colour="#fff6da", halo="#ffe0a0", reach=10)
    streaks(c, 51, "#fff0cf", top=100, bottom=380, count=9, alpha=0.4)
    hills(c, 101, 500, 80, ("#d9a27c", "#f0c08e@0.25"), wave=360, rim="#fff0cf")
    hills(c, 103, 580, 70, ("#a87f70", "#d8a583@0.3"), wave=430, rim="#ffe2b0")
    mist(c, 690, "#ffd9a4", alpha=0.6, thickness=60, seed=6)
    side = [
        (x, y + 0.00042 * (max(0, 1000 - abs(x - 960)) ** 1.95) * 0.62)
        for x, y in ridge(105, 560, 34, wave=380)
    ]
    c.fill([below(side)], ("#5d6a5a", "#83806a@0.45", "#83806a"))
    c.fill(pines(side, 14, span=(-20, 420), count=34, size=(36, 96)), "#4a5a4e")
    c.fill(pines(side, 15, span=(1420, 1940), count=46, size=(36, 100)), "#4a5a4e")
    mist(c, 800, "#ffd7a2", alpha=0.55, thickness=70, seed=7)
    _arches(c)
    mist(c, 930, "#f0c796", alpha=0.5, thickness=60, seed=8)
    _train(c, 1330, 506)
    front = raised(raised(ridge(107, 1010, 26, wave=500), 60, 60, 420), 1900, 190, 330)
    c.fill([below(front)], ("#2d4440", "#1a2c2e"))
    c.fill(pines(front, 16, span=(1560, 1940), count=14, size=(90, 240), sink=12), "#20353a")
    c.fill(grass(front, 8, count=520, size=(12, 36)), "#2d4440")
    birds(c, 1150, 190, 9, "#40545a", count=7, size=15)
    return c.finished()


def _arches(c: Canvas) -> None:
    """The viaduct: a deck on tall piers, lit from the left."""
    top, deck, pitch, pier = 506, 548, 168, 30
    stone: list[Outline] = [rect(-20, top, 1940, deck)]
    shade: list[Outline] = []
    for i in range(13):
        x = -110 + i * pitch
        stone.append([(x - pier, 1100), (x - pier * 0.8, deck), (x + pier * 0.8, deck), (x + pier, 1100)])
        shade.append(
            [
                (x + pier * 0.25, 1100),
                (x + pier * 0.2, deck + 70),
                (x + pier * 0.8, deck + 60),
                (x + pier, 1100),
            ]
        )
        hollow = ellipse(x + pitch / 2, deck + 78, pitch / 2 - pier * 0.8, 72, arc=(180, 360))
        stone.append(
            [(x, deck - 4), (x + pitch, deck - 4), (x + pitch, deck + 80), *hollow[::-1], (x, deck + 80)]
        )
    c.fill(stone, ("#8f6f62", "#7b625c", "#6d6460"))
    c.fill(shade, "#40404a", alpha=0.42)
    rims = [
        stroke(
            ellipse(-110 + i * pitch + pitch / 2, deck + 78, pitch / 2 - pier * 0.8 + 5, 77, arc=(182, 358)),
            7,
        )
        for i in range(13)
    ]
    c.fill(rims, "#b08a72", alpha=0.8)
    c.fill([rect(-20, top - 7, 1940, top + 3), rect(-20, deck - 10, 1940, deck - 4)], "#5a4a4c")
    c.fill([rect(-20, top - 9, 1940, top - 6)], "#e6b98c", alpha=0.8)


def _train(c: Canvas, x: float, rail: float) -> None:
    """An engine heading right with four coaches; x is the engine's front, rail the height of the track."""
    smoke(c, x - 34, rail - 62, "#fff4e2", drift=(-640, -190), puffs=17, size=13, alpha=0.62)
    for i in range(4):
        left = x - 262 - i * 128
        c.fill([rect(left, rail - 50, left + 120, rail - 12)], ("#a8433e", "#7b2f36"))
        c.fill([rect(left - 4, rail - 57, left + 124, rail - 50)], "#4b3038")
        panes = [rect(left + 8 + k * 18.5, rail - 43, left + 21 + k * 18.5, rail - 28) for k in range(6)]
        c.fill(panes, "#ffe6a8")
        c.fill([ellipse(left + k, rail - 10, 8) for k in (18, 38, 84, 104)], "#2b2530")
    dark = "#2b3338"
    c.fill([rect(x - 132, rail - 64, x - 92, rail - 12), rect(x - 138, rail - 71, x - 86, rail - 63)], dark)
    c.fill([rect(x - 122, rail - 57, x - 102, rail - 40)], "#ffdf9a")
    c.fill([rect(x - 92, rail - 48, x - 12, rail - 16), ellipse(x - 12, rail - 32, 8, 16)], ("#4b5a60", dark))
    c.fill(
        [
            [(x - 38, rail - 48), (x - 42, rail - 70), (x - 22, rail - 70), (x - 26, rail - 48)],
            ellipse(x - 66, rail - 48, 10, 9),
        ],
        dark,
    )
    c.fill(
        [
            [(x - 14, rail - 12), (x + 12, rail - 2), (x - 14, rail - 2)],
            rect(x - 134, rail - 18, x - 4, rail - 10),
        ],
        "#7b2f36",
    )
    c.fill(
        [ellipse(x + k, rail - 11, 12) for k in (-112, -82, -54)] + [ellipse(x - 24, rail - 8, 8)], "#1f1c24"
    )
    c.glow(x - 2, rail - 34, 60, "#fff0c0", alpha=0.9)


def orchard() -> Image.Image:
    """An orchard at noon in summer: apple trees, a ladder, beehives, heaped clouds."""
    c = Canvas("#3f8fc9@0", "#7fbfe0@0.28", "#d3eaea@0.52", "#e9f3df@0.6", "#e9f3df@1")
    for x, y, width, seed in (
        (380, 320, 380, 3),
        (1030, 210, 300, 7),
        (1620, 380, 440, 5),
        (820, 430, 220, 9),
    ):
        cumulus(c, x, y, width, seed, ("#ffffff", "#e3eef2", "#c9dde8"), lit="#ffffff")
    hills(c, 111, 560, 54, ("#8fbac0", "#b5d2b9@0.2"), wave=430)
    hills(c, 113, 610, 44, ("#7fb08c", "#9cc48a@0.3"), wave=520)
    far = hills(c, 115, 666, 30, ("#6ba05c", "#86b765@0.2", "#86b765"), wave=620)
    for i, x in enumerate(range(60, 1900, 118)):
        broadleaf(
            c,
            x,
            height_at(far, x) + 14,
            84 + 14 * (i % 3),
            40 + i,
            dark="#4a8048",
            lit="#76a854",
            bark="#5a4a3a",
        )
    near = hills(c, 117, 790, 24, ("#8cbf58", "#5f9a46@0.3", "#2f6b3c"), wave=800)
    for x, foot, tall, seed in ((900, 820, 330, 21), (1700, 850, 420, 23), (1270, 868, 500, 22)):
        c.fill([lens(x + 60, foot + 8, tall * 0.42, tall * 0.12)], "#2c5f34", alpha=0.55, blur=7)
        broadleaf(c, x, foot, tall, seed, dark="#336d3c", lit="#74ab48", bark="#5d4330")
        _apples(c, x, foot - tall * 0.68, tall, seed)
    _ladder(c)
    _hives(c)
    ground = ridge(119, 1000, 20, wave=420)
    c.fill(grass(ridge(118, 950, 26, wave=500), 5, count=620, size=(18, 46)), "#4f8f42")
    c.fill([below(ground)], ("#3f8040", "#245a36"))
    c.fill(grass(ground, 9, count=900, size=(24, 74)), "#2f6f3a")
    rng = Random(12)
    for colour in ("#fff6e6", "#ffd75a", "#e8746a"):
        c.fill(
            [ellipse(rng.uniform(640, 1920), rng.uniform(900, 1040), rng.uniform(3, 6)) for _ in range(34)],
            colour,
        )
    return c.finished()


def _apples(c: Canvas, x: float, y: float, tall: float, seed: int) -> None:
    rng = Random(seed)
    spots = [(x + rng.gauss(0, 0.17) * tall, y + rng.gauss(0.02, 0.12) * tall) for _ in range(26)]
    size = tall * 0.017
    c.fill([ellipse(px, py, size) for px, py in spots], "#c8352f")
    c.fill([ellipse(px - size * 0.3, py - size * 0.3, size * 0.4) for px, py in spots], "#f08a6a")


def _ladder(c: Canvas) -> None:
    rails = [stroke([(1108, 878), (1196, 560)], 8), stroke([(1152, 884), (1222, 562)], 8)]
    rungs = [
        stroke([(1108 + 88 * t, 878 - 318 * t), (1152 + 70 * t, 884 - 322 * t)], 6)
        for t in (0.12, 0.26, 0.4, 0.54, 0.68, 0.82, 0.95)
    ]
    c.fill(rails + rungs, "#b98a52")
    c.fill([[(1034, 900), (1026, 862), (1090, 862), (1082, 900)]], ("#a8763f", "#7b5330"))
    c.fill([ellipse(1038 + 10 * k, 860 - 5 * (k % 2), 8) for k in range(5)], "#c8352f")


def _hives(c: Canvas) -> None:
    for x, y, colour in ((1470, 872, "#f3e8cc"), (1548, 882, "#9cc3c9"), (1622, 876, "#f0c56a")):
        c.fill([rect(x - 30, y, x - 24, y + 22), rect(x + 24, y, x + 30, y + 22)], "#6b5238")
        c.fill([rect(x - 34, y - 30, x + 34, y + 2), rect(x - 31, y - 58, x + 31, y - 31)], colour)
        c.fill([rect(x + 12, y - 58, x + 34, y + 2)], "#5a4a3a", alpha=0.18)
        c.fill([rect(x - 39, y - 68, x + 39, y - 56), rect(x - 12, y - 8, x + 12, y - 3)], "#6f7f83")
    c.fill([ellipse(1440 + (i * 67) % 230, 740 + (i * 41) % 110, 2.4) for i in range(16)], "#4a3a20")


def autumn() -> Image.Image:
    """A beech wood in October: low sun between the trunks, a way full of leaves, a stag that looks up."""
    c = Canvas("#f0c878@0", "#ffe9b8@0.35", "#ffdf9c@0.55", "#d9974a@0.75", "#8a4a28@1")
    c.glow(1190, 420, 900, "#fff6d6", alpha=0.8, power=1.8)
    rng = Random(5)
    for depth, (bark, leaf) in enumerate(
        (("#e0b577", "#eec172"), ("#c48f55", "#e0a04c"), ("#8f5c38", "#cf7f34"))
    ):
        _trunks(c, rng, bark, depth)
        _canopy(c, rng, leaf, depth)
        mist(c, 640 + 60 * depth, "#ffe2a6", alpha=0.5 - 0.13 * depth, thickness=90, seed=depth)
    ground = ridge(131, 770, 18, wave=560)
    c.fill([below(ground)], ("#d08a3e", "#a85f2c@0.35", "#5c2f20"))
    path(
        c,
        [(1180, 766, 26), (1200, 800, 44), (1180, 860, 80), (1110, 950, 150), (1060, 1100, 260)],
        ("#f3cf8c", "#cf9152", "#8f5a34"),
        alpha=0.75,
    )
    rays(c, 1190, 60, "#fff0c0", angles=(62, 76, 92, 108, 124), length=1000, alpha=0.18, spread=7)
    _stag(c, 1262, 800, 1.25)
    for colour in ("#e8a13c", "#c8612c", "#f3c45c", "#9c4426"):
        spots = [(rng.uniform(-20, 1940), 775 + 310 * rng.random() ** 1.2) for _ in range(150)]
        c.fill([lens(x, y, 3 + (y - 760) / 46, 3 + (y - 760) / 70) for x, y in spots], colour, alpha=0.85)
    _near_trunks(c, rng)
    return c.finished()


def _trunks(c: Canvas, rng: Random, bark: str, depth: int) -> None:
    trees: list[Outline] = []
    for i in range(13 - 2 * depth):
        x = rng.uniform(-40, 1960)
        while abs(x - 1200) < 60 + 90 * depth:
            x = rng.uniform(-40, 1960)
        wide, foot = 16 + 12 * depth + rng.uniform(-4, 6), 740 + 26 * depth + (i % 3) * 8
        bow = rng.uniform(-24, 24)
        trees.append(
            stroke(
                curve([(x, foot + 20), (x + bow, foot - 320), (x + bow * 0.4, -20)]), wide * 1.3, wide * 0.6
            )
        )
        for side in (-1, 1):
            y = rng.uniform(160, 420)
            trees.append(
                stroke(
                    curve([(x + bow * 0.8, y + 60), (x + side * 70, y - 10), (x + side * 150, y - 90)]),
                    wide * 0.4,
                    2,
                )
            )
    c.fill(trees, bark)


def _canopy(c: Canvas, rng: Random, leaf: str, depth: int) -> None:
    for shade, alpha in ((mix(leaf, "#7a3a1c", 0.22), 0.75), (leaf, 0.8), (mix(leaf, "#fff0b0", 0.35), 0.55)):
        clumps: list[Outline] = []
        for _ in range(46 - 8 * depth):
            x, y = (
                rng.uniform(-60, 1980),
                rng.uniform(-60, 230 - 40 * depth) + 0.05 * abs(rng.uniform(-900, 900)),
            )
            y -= 160 * max(0, 1 - abs(x - 1190) / 420)
            clumps += [
                ellipse(x + rng.uniform(-60, 60), y + rng.uniform(-30, 30), rng.uniform(18, 52))
                for _ in range(4)
            ]
        c.fill(clumps, shade, alpha=alpha)


def _near_trunks(c: Canvas, rng: Random) -> None:
    for x, wide, lean in ((70, 120, 20), (1790, 150, -40), (560, 64, 26)):
        trunk = stroke(
            curve([(x - 20, 1120), (x, 960), (x + lean, 500), (x + lean * 2, -40)]), wide * 1.5, wide * 0.8
        )
        c.fill([trunk], ("#4a2a20", "#3a2019", "#2c1814"))
        c.fill(
            [
                stroke(
                    curve(
                        [
                            (x + wide * 0.42, 1000),
                            (x + wide * 0.38 + lean, 500),
                            (x + wide * 0.3 + lean * 2, -40),
                        ]
                    ),
                    12,
                    7,
                )
            ],
            "#c8803c",
            alpha=0.55,
            blur=3,
        )
    clumps = [
        ellipse(
            rng.choice((rng.uniform(-40, 420), rng.uniform(1540, 1960))),
            rng.uniform(-50, 150),
            rng.uniform(20, 60),
        )
        for _ in range(70)
    ]
    c.fill(clumps, "#a8501f")
    c.fill([ellipse(o[0][0] - 50, o[0][1] - 12, 26) for o in clumps[::2]], "#d0772c", alpha=0.8)


def _stag(c: Canvas, x: float, foot: float, scale: float) -> None:
    """A stag facing left, about 130 px tall at scale 1."""
    body = curve(
        [
            (-42, -62),
            (-30, -74),
            (10, -72),
            (44, -74),
            (54, -62),
            (50, -44),
            (28, -42),
            (-6, -40),
            (-34, -42),
            (-44, -52),
            (-42, -62),
        ]
    )
    neck = curve([(-44, -50), (-56, -78), (-60, -100), (-50, -104), (-40, -88), (-26, -72)])
    head = curve(
        [
            (-58, -108),
            (-66, -102),
            (-84, -93),
            (-86, -87),
            (-76, -86),
            (-60, -90),
            (-50, -98),
            (-50, -106),
            (-58, -108),
        ]
    )
    legs = [
        stroke([(px, -50), (px + bend, -26), (px + bend * 0.6, 2)], 11, 5)
        for px, bend in ((-36, -3), (-24, 5), (36, 6), (46, 1))
    ]
    ears = [[(-54, -106), (-42, -118), (-46, -103)], [(50, -70), (60, -62), (54, -56)]]
    horns: list[Outline] = []
    for side, lean in ((-1, 0), (1, 8)):
        beam = curve(
            [
                (-56 + lean, -106),
                (-58 + side * 14 + lean, -124),
                (-54 + side * 20 + lean, -146),
                (-58 + side * 12 + lean, -160),
            ]
        )
        horns.append(stroke(beam, 4, 1.6))
        for t in (8, 16, 22):
            bx, by = beam[min(t, len(beam) - 1)]
            horns.append(stroke([(bx, by), (bx - 11, by - 12)], 3, 1.2))
    c.fill(placed([body, neck, head, *legs, *ears, *horns], x, foot, scale), ("#5c3220", "#43241a"))
    c.fill([lens(x + 4, foot + 3, 74 * scale, 10)], "#4a2a1a", alpha=0.5, blur=4)
