"""Pictures of the country: morning hills, the house on the hill, the viaduct, the orchard."""

import math
from random import Random

from PIL import Image

from .beings import birds
from .land import dusk, hills, mist, sunlit
from .paint import Canvas, mix
from .shapes import Outline, Point, below, ellipse, height_at, lens, raised, rect, ridge, stroke
from .sky import crescent, cumulus, stars, streaks, sun
from .things import cottage, fence, path, smoke
from .trees import broadleaf, flowers, grass, pines
from .water import glitter


def morning() -> Image.Image:
    """Hills one behind the other in the first light, mist between them, birds above."""
    c = Canvas("#94bdd6@0", "#c3dce3@0.2", "#f9ead6@0.4", "#ffd6b0@0.52", "#ffd6b0@1")
    streaks(c, 31, "#ffffff", top=80, bottom=300, count=9, alpha=0.5)
    sun(c, 1120, 372, 58, colour="#fffdf4", halo="#fff0c8", reach=12)
    streaks(c, 37, "#fff4e0", top=330, bottom=430, count=6, alpha=0.5)
    tones = (
        ("#b7c7d8", "#f0dccb"),
        ("#93b1c4", "#d8d6d2"),
        ("#6b94ab", "#aec3c9"),
        ("#487890", "#8aacb8"),
        ("#2c5c72", "#5f8b9a"),
    )
    for i, (top, low) in enumerate(tones):
        y = 470 + i * 82 + i * i * 6
        crest = hills(
            c,
            71 + i * 3,
            y,
            78 - i * 7,
            (top, low + "@0.3", low),
            wave=330 + 90 * i,
            rim="#fff3df" if i < 4 else None,
        )
        if i in (2, 3, 4):
            woods = pines(
                crest, 40 + i, span=(-20, 1940), count=420 - 60 * i, size=(5 + 4 * i, 20 + 12 * i), sink=4
            )
            c.fill(woods, mix(top, "#123040", 0.22))
        mist(c, y + 96, mix("#fff3e4", "#b7cdd2", i / 5), alpha=0.52 - i * 0.05, thickness=44, seed=i)
    front = raised(raised(ridge(97, 960, 30, wave=700), 1760, 190, 560), 120, 60, 520)
    c.fill(pines(front, 2, span=(1300, 1940), count=20, size=(90, 260), sink=6), "#2c5c6c")
    c.fill(pines(front, 3, span=(1150, 1940), count=38, size=(70, 330), sink=16), ("#245261", "#1a4250"))
    c.fill(pines(front, 4, span=(-30, 520), count=30, size=(40, 140), sink=14), "#1f4a58")
    c.fill([below(front)], ("#1f4a58", "#123240"))
    c.fill(grass(front, 5, count=700, size=(6, 20)), "#1a404d")
    birds(c, 1240, 210, 5, "#3f5a6a", count=11, size=19)
    return c.finished()


def hill_house() -> Image.Image:
    """A lit house on a hill at dusk, a path up to the door, a tree, the first stars."""
    c = Canvas("#171038@0", "#372565@0.2", "#7a4586@0.4", "#d47488@0.57", "#fcb98a@0.7", "#fcb98a@1")
    stars(c, 5, count=340, floor=540)
    crescent(c, 1050, 190, 46)
    streaks(c, 43, "#4a2f70", top=250, bottom=420, count=7, alpha=0.4)
    streaks(c, 41, "#ffab9a", top=430, bottom=630, count=12, alpha=0.4)
    hills(c, 81, 690, 50, ("#a8628a", "#d88a90@0.2"), wave=420, rim="#ffcfae")
    mist(c, 750, "#f5a890", alpha=0.45, thickness=40, seed=4)
    back = hills(c, 83, 764, 40, ("#6d3f74", "#86507e@0.2"), wave=600, rim="#c47a94")
    c.fill(pines(back, 11, span=(-20, 800), count=70, size=(22, 100)), "#56305f")
    c.fill(pines(back, 12, span=(1500, 1940), count=40, size=(30, 110)), "#56305f")
    crest = raised(ridge(85, 880, 16, wave=800), 1250, 214, 420)
    c.fill([below(crest)], ("#4c2b5c", "#2f1b45@0.5", "#1d1130"))
    sunlit(c, crest, "#d2889c", depth=5)
    foot = height_at(crest, 1230) + 12
    c.glow(1225, foot - 40, 460, "#ffb060", alpha=0.42, power=2.4)
    way = [(1196, foot - 2, 15), (1206, foot + 50, 22), (1252, foot + 120, 34), (1246, foot + 210, 62)]
    path(
        c,
        [*way, (1130, foot + 330, 130), (1050, foot + 460, 220)],
        ("#d0a098", "#6d4a70@0.4", "#432b54"),
        alpha=0.8,
    )
    smoke(c, 1299, foot - 160, "#d9b0bc", drift=(120, -250), size=8, alpha=0.4)
    cottage(c, 1230, foot, 96, wall="#74496c", shade="#543658", roof="#241636", window="#ffe2a0")
    broadleaf(
        c, 1440, height_at(crest, 1440) + 8, 360, 4, dark="#25163a", lit="#523057", bark="#1f1232", side=-1
    )
    fence(c, [(x, height_at(crest, x) + 4) for x in range(1300, 1940, 44)], "#2a1840", post=36)
    c.fill(grass(crest, 6, count=700, size=(6, 22)), "#3a2150")
    c.fill(pines(crest, 13, span=(1640, 1930), count=9, size=(120, 270), sink=10), "#1f1134")
    return c.finished()


def viaduct() -> Image.Image:
    """A steam train on a stone viaduct over a valley full of evening mist."""
    c = Canvas("#234e70@0", "#6f9da3@0.18", "#f3d79c@0.38", "#ffba74@0.5", "#ffba74@1")
    streaks(c, 53, "#3f6f86", top=30, bottom=220, count=8, alpha=0.4)
    sun(c, 850, 410, 66, colour="#fff8e0", halo="#ffdc98", reach=12)
    streaks(c, 51, "#fff0cf", top=160, bottom=400, count=11, alpha=0.5)
    hills(c, 101, 480, 80, ("#d9a07a", "#f5c690@0.25"), wave=360, rim="#fff0cf")
    mist(c, 560, "#ffe0b0", alpha=0.5, thickness=40, seed=5)
    hills(c, 103, 560, 70, ("#a87d6e", "#dcaa86@0.3"), wave=430, rim="#ffe2b0")
    mist(c, 690, "#ffd9a4", alpha=0.65, thickness=60, seed=6)
    side = [(x, y + 270 * math.exp(-(((x - 985) / 480) ** 2))) for x, y in ridge(105, 580, 34, wave=380)]
    c.fill([below(side)], ("#5d6a5a", "#8a8870@0.4", "#a49a7c"))
    sunlit(c, side, "#ffd9a0", depth=5)
    c.fill(pines(side, 14, span=(-20, 620), count=70, size=(26, 110)), ("#3f5048", "#56634f"))
    c.fill(pines(side, 15, span=(1300, 1940), count=80, size=(26, 116)), ("#3f5048", "#56634f"))
    mist(c, 850, "#ffdcae", alpha=0.55, thickness=70, seed=7)
    _river(c)
    _arches(c)
    mist(c, 950, "#f6d0a0", alpha=0.5, thickness=60, seed=8)
    _train(c, 1330, 506)
    front = raised(raised(ridge(107, 1010, 26, wave=500), 60, 150, 560), 1900, 190, 330)
    c.fill([below(front)], ("#2d4440", "#182a2c"))
    c.fill(pines(front, 16, span=(1540, 1940), count=18, size=(90, 280), sink=12), ("#24393c", "#1a2d30"))
    c.fill(grass(front, 8, count=800, size=(10, 34)), "#2d4440")
    birds(c, 1150, 180, 9, "#35525e", count=7, size=15)
    return c.finished()


def _river(c: Canvas) -> None:
    """A bright bend of river on the valley floor."""
    left = [(700, 1100), (830, 1010), (1010, 960), (930, 916), (900, 890)]
    right = [(960, 890), (1040, 918), (1180, 962), (1120, 1020), (1100, 1100)]
    c.fill([left + right], ("#ffe2ae", "#e0a878", "#8fa39a"), alpha=0.9, blur=2)
    glitter(c, 1000, "#fff6da", 4, top=930, bottom=1080, width=60, count=50, alpha=0.6, spread=1.6)


def _arches(c: Canvas) -> None:
    """The viaduct: a deck on tall piers, lit from the left."""
    top, deck, pitch, pier = 506, 548, 168, 30
    stone: list[Outline] = [rect(-20, top, 1940, deck)]
    shade: list[Outline] = []
    rims: list[Outline] = []
    for x in range(-110, 2000, pitch):
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
        rims.append(
            stroke(ellipse(x + pitch / 2, deck + 78, pitch / 2 - pier * 0.8 + 5, 77, arc=(182, 358)), 7)
        )
        stone.append(rect(x - pier * 0.95, deck + 68, x + pier * 0.95, deck + 80))
    c.fill(stone, ("#9a7666", "#80655e@0.3", "#8c7a70"))
    _courses(c, deck)
    c.fill(shade, "#40404a", alpha=0.4)
    c.fill(rims, "#c09a7e", alpha=0.85)
    c.fill([rect(-20, top - 7, 1940, top + 3), rect(-20, deck - 10, 1940, deck - 4)], "#5a4a4c")
    c.light([rect(-20, top - 9, 1940, top - 6)], "#ffd9a4", alpha=0.8)


def _courses(c: Canvas, deck: float) -> None:
    """The joints of the stone, only on the piers and the spandrels."""
    rng = Random(2)
    joints = []
    for x in range(-110, 2000, 168):
        for _ in range(22):
            px, py = x + rng.uniform(-20, 14), deck + rng.uniform(90, 480)
            joints.append(rect(px, py, px + rng.uniform(6, 14), py + 3))
    c.fill(joints, "#d0a68a", alpha=0.3)


def _train(c: Canvas, x: float, rail: float) -> None:
    """An engine heading right with four coaches; x is the engine's front, rail the height of the track."""
    smoke(c, x - 34, rail - 66, "#b08a80", drift=(-700, -170), puffs=16, size=13, alpha=0.3)
    smoke(c, x - 34, rail - 72, "#fffaf0", drift=(-680, -210), puffs=20, size=12, alpha=0.75)
    for i in range(4):
        _coach(c, x - 262 - i * 128, rail)
    dark = "#2b3338"
    c.fill([rect(x - 132, rail - 64, x - 92, rail - 12), rect(x - 138, rail - 71, x - 86, rail - 63)], dark)
    c.fill([rect(x - 122, rail - 57, x - 102, rail - 40)], "#ffdf9a")
    c.fill(
        [rect(x - 92, rail - 48, x - 12, rail - 16), ellipse(x - 12, rail - 32, 8, 16)],
        ("#6d8088", dark, dark),
    )
    funnel: Outline = [(x - 38, rail - 48), (x - 43, rail - 74), (x - 21, rail - 74), (x - 26, rail - 48)]
    c.fill([funnel, ellipse(x - 66, rail - 48, 10, 9)], dark)
    c.fill(
        [rect(x - 44, rail - 77, x - 20, rail - 71), rect(x - 60, rail - 48, x - 57, rail - 16)], "#c99a4a"
    )
    plough: Outline = [(x - 14, rail - 12), (x + 12, rail - 2), (x - 14, rail - 2)]
    c.fill([plough, rect(x - 134, rail - 18, x - 4, rail - 10)], "#8a3236")
    c.fill(
        [*[ellipse(x + k, rail - 11, 12) for k in (-112, -82, -54)], ellipse(x - 24, rail - 8, 8)], "#1f1c24"
    )
    c.fill([ellipse(x + k, rail - 11, 4) for k in (-112, -82, -54)], "#8a3236")
    c.fill([stroke([(x - 112, rail - 9), (x - 54, rail - 12)], 3.5)], "#c9b8a0")
    c.glow(x - 2, rail - 34, 70, "#fff0c0", alpha=0.95)


def _coach(c: Canvas, left: float, rail: float) -> None:
    c.fill([rect(left, rail - 50, left + 120, rail - 12)], ("#bd4c44", "#7b2f36"))
    c.fill([rect(left - 8, rail - 20, left + 128, rail - 14)], "#2b2530")
    c.fill([rect(left - 4, rail - 57, left + 124, rail - 50)], "#4b3038")
    c.fill([rect(left, rail - 26, left + 120, rail - 24)], "#e8b870", alpha=0.8)
    panes = [rect(left + 8 + k * 18.5, rail - 44, left + 21 + k * 18.5, rail - 29) for k in range(6)]
    c.fill(panes, "#ffe9b0")
    c.light(panes, "#ffd080", alpha=0.5, blur=4)
    c.fill([ellipse(left + k, rail - 10, 8) for k in (18, 38, 84, 104)], "#2b2530")


def orchard() -> Image.Image:
    """An orchard at noon in summer: apple trees, a ladder, beehives, heaped clouds."""
    c = Canvas("#4394cc@0", "#86c4e2@0.25", "#d3ebea@0.46", "#fbf3d9@0.6", "#fbf3d9@1")
    c.glow(500, -60, 900, "#fffbe0", alpha=0.4)
    clouds = (
        (360, 330, 420, 3),
        (1000, 190, 300, 7),
        (1640, 300, 480, 5),
        (860, 440, 240, 9),
        (1300, 470, 200, 11),
    )
    for x, y, width, seed in clouds:
        cumulus(c, x, y, width, seed, lit="#ffffff", shade="#bcd6e6")
    hills(c, 111, 560, 54, ("#9cc4cc", "#c3dcc4@0.2"), wave=430)
    hills(c, 113, 606, 44, ("#7fb394", "#a8cf96@0.3"), wave=520, rim="#eaf6d0")
    far = hills(c, 115, 660, 30, ("#6ba85c", "#93c46c@0.2", "#93c46c"), wave=620, rim="#e0f0a8")
    for i, x in enumerate(range(40, 1920, 104)):
        tall = 84 + 16 * (i % 3)
        c.fill([lens(x + 12, height_at(far, x) + 14, tall * 0.4, 10)], "#3f7a40", alpha=0.5, blur=2)
        broadleaf(c, x, height_at(far, x) + 14, tall, 40 + i, dark="#3c7442", lit="#94c45c", bark="#5a4a3a")
    hills(c, 117, 780, 24, ("#a4d468", "#6aa84c@0.3", "#2f6f3e"), wave=800, rim="#f0ffc0")
    for x, foot, tall, seed in ((905, 812, 330, 21), (1710, 842, 420, 23), (1275, 872, 520, 22)):
        c.fill([lens(x + 70, foot + 6, tall * 0.46, tall * 0.13)], "#245a34", alpha=0.55, blur=7)
        broadleaf(c, x, foot, tall, seed, dark="#24603a", lit="#9ccc54", bark="#5d4330")
        _apples(c, x, foot - tall * 0.69, tall, seed)
    _ladder(c)
    _hives(c)
    dusk(c, "#1c5434")
    rows = ridge(118, 950, 26, wave=500)
    c.fill(grass(rows, 5, count=900, size=(16, 46)), ("#7ab850", "#4a8a42"))
    flowers(c, 12, ("#fff6e6", "#ffd75a", "#f08a7a"), span=(560, 1930), rows=(890, 1000), count=60)
    ground = ridge(119, 1010, 20, wave=420)
    c.fill([below(ground)], ("#3a7c42", "#1f5234"))
    c.fill(grass(ground, 9, count=1300, size=(20, 74)), ("#4f9a48", "#2a6a3a"))
    flowers(c, 13, ("#fff6e6", "#ffd75a", "#f08a7a"), span=(900, 1930), rows=(990, 1050), count=22)
    return c.finished()


def _apples(c: Canvas, x: float, y: float, tall: float, seed: int) -> None:
    """Red apples in a crown about (x, y)."""
    rng = Random(seed)
    spots: list[Point] = []
    while len(spots) < 34:
        dx, dy = rng.uniform(-0.29, 0.29), rng.uniform(-0.2, 0.2)
        if (dx / 0.29) ** 2 + (dy / 0.21) ** 2 < 1:
            spots.append((x + dx * tall, y + dy * tall))
    size = tall * 0.0155
    c.fill([ellipse(px, py, size) for px, py in spots], ("#e0483a", "#b02a2c"))
    c.fill([ellipse(px - size * 0.3, py - size * 0.35, size * 0.36) for px, py in spots], "#ffb09a")


def _ladder(c: Canvas) -> None:
    rails = [stroke([(1108, 884), (1196, 560)], 8), stroke([(1152, 890), (1222, 562)], 8)]
    steps = (0.1, 0.23, 0.36, 0.49, 0.62, 0.75, 0.88)
    rungs = [stroke([(1108 + 88 * t, 884 - 324 * t), (1152 + 70 * t, 890 - 328 * t)], 6) for t in steps]
    c.fill([lens(1140, 892, 60, 12)], "#245a34", alpha=0.5, blur=4)
    c.fill(rails + rungs, ("#d9a868", "#a8743f"))
    c.fill([[(1034, 906), (1026, 866), (1090, 866), (1082, 906)]], ("#b8824a", "#7b5330"))
    c.fill([ellipse(1038 + 10 * k, 864 - 6 * (k % 2), 8.5) for k in range(5)], ("#e0483a", "#b02a2c"))


def _hives(c: Canvas) -> None:
    for x, y, colour in ((1470, 872, "#f6ecd2"), (1548, 882, "#9cc8d0"), (1626, 876, "#f3c76a")):
        c.fill([lens(x + 16, y + 22, 50, 12)], "#245a34", alpha=0.5, blur=4)
        c.fill([rect(x - 30, y, x - 24, y + 22), rect(x + 24, y, x + 30, y + 22)], "#6b5238")
        c.fill([rect(x - 34, y - 30, x + 34, y + 2), rect(x - 31, y - 58, x + 31, y - 31)], colour)
        c.fill([rect(x + 12, y - 58, x + 34, y + 2)], "#4a4a5a", alpha=0.18)
        c.fill([rect(x - 39, y - 68, x + 39, y - 56), rect(x - 12, y - 8, x + 12, y - 3)], "#6f7f83")
    c.fill([ellipse(1440 + (i * 67) % 230, 740 + (i * 41) % 110, 2.2) for i in range(18)], "#4a3a20")
