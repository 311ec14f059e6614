"""Pictures of the sea: the harbour above, the whales below."""

import math
from random import Random

from PIL import Image

from .beings import gulls, shoal, walker, whale
from .land import dusk, hills, mist
from .paint import Canvas, mix
from .shapes import Outline, arch, below, curve, ellipse, height_at, lens, rect, ridge, stroke
from .sky import rays, streaks, sun
from .things import sailboat
from .water import glitter, swell, water

_HOUSES = (
    "#eebb70", "#d96f5a", "#f3e4c8", "#6fa3a3", "#ea9c86", "#c6564c", "#f1d096", "#87aab9", "#b9664e",
)  # fmt: skip
_ROOFS = ("#9c4f42", "#6a5560", "#b0604a")


def harbour() -> Image.Image:
    """A fishing harbour early on a market morning: painted houses, awnings, boats, gulls."""
    c = Canvas("#78b3d0@0", "#b0d6da@0.26", "#fbe6c4@0.46", "#ffd7a8@0.6", "#ffd7a8@1")
    sun(c, 520, 330, 52, colour="#fffdf0", halo="#fff0c8", reach=11)
    streaks(c, 21, "#ffffff", top=90, bottom=320, count=11, alpha=0.55)
    hills(c, 61, 440, 60, ("#93bcc2", "#d9dccb@0.3"), wave=420, rim="#ffffff")
    hills(c, 64, 500, 44, ("#86aeb0", "#cfd6c2@0.3"), wave=360)
    mist(c, 560, "#ffe9cc", alpha=0.6, thickness=40, seed=3)
    _church(c, 800)
    _row_of_houses(c)
    _quay(c)
    _stalls(c)
    for x, size in ((1010, 46), (1560, 70), (1760, 50)):
        sailboat(c, x, 694, size, hull="#f3ede0", sail=("#fff8ea", "#f2d9b4"), mast="#6b5040")
    water(c, 694, ("#a3c3bd", "#5a9aa4", "#2c6c7e", "#154859"), mirror=0.62, ripple=0.5)
    swell(c, 25, "#fff6e0", top=704, bottom=1080, count=90, alpha=0.34)
    glitter(c, 520, "#fff3d0", 14, top=704, bottom=1000, width=60, count=130, alpha=0.5)
    dusk(c, "#103c50")
    c.fill([lens(1270, 826, 176, 30)], "#123c4c", alpha=0.6, blur=5)
    sailboat(c, 1270, 816, 168, hull="#bd4a3f", sail=("#fffaf0", "#f0cba0"), mast="#5a4336")
    glitter(c, 1280, "#fff3e0", 15, top=836, bottom=1040, width=64, count=60, alpha=0.5, spread=1)
    gulls(c, [(1090, 240, 42), (1195, 180, 27), (1000, 330, 24), (1450, 250, 32), (1570, 170, 22)], "#ffffff")
    return c.finished()


def _church(c: Canvas, x: float) -> None:
    c.fill([rect(x - 36, 300, x + 36, 660)], ("#d8cdb4", "#b3a494"))
    c.fill([rect(x + 12, 300, x + 36, 660)], "#6a5a60", alpha=0.25)
    spire = [(x - 44, 304), *curve([(x - 40, 270), (x - 20, 240), (x - 6, 150), (x, 120)], 6)]
    c.fill([[*spire, *[(2 * x - px, py) for px, py in reversed(spire)]]], ("#7fa39c", "#4f7672"))
    c.fill([ellipse(x, 116, 6), rect(x - 1.5, 84, x + 1.5, 118), arch(x - 12, 330, x + 12, 380)], "#5b5458")


def _row_of_houses(c: Canvas) -> None:
    rng = Random(17)
    x, i = -30.0, 0
    while x < 1940:
        wide = rng.uniform(104, 150)
        _house(c, x, wide, 656 - rng.uniform(170, 290), _HOUSES[i % len(_HOUSES)], _ROOFS[i % 3], rng)
        x += wide + 1
        i += 1


def _house(c: Canvas, x: float, wide: float, top: float, wall: str, roof: str, rng: Random) -> None:
    """A gabled town house from x to x + wide whose eaves are at `top`, lit from the left."""
    peak = top - rng.uniform(48, 78)
    gable: Outline = [(x, 664), (x, top), (x + wide / 2, peak), (x + wide, top), (x + wide, 664)]
    c.fill([rect(x + wide * 0.66, peak - 6, x + wide * 0.78, top)], mix(roof, "#3a2a30", 0.3))
    c.fill([gable], (mix(wall, "#fff3d6", 0.25), wall, mix(wall, "#6b5a66", 0.55)))
    c.fill([rect(x + wide * 0.84, top, x + wide, 664)], "#4a3a4c", alpha=0.2, blur=5, within=[gable])
    c.fill([stroke([(x - 6, top + 4), (x + wide / 2, peak), (x + wide + 6, top + 4)], 12)], roof)
    c.fill([ellipse(x + wide / 2, top + 2, 9)], "#55636e")
    frames, shutters = [], []
    for floor in range(int((640 - top) // 58)):
        y = top + 22 + floor * 58
        for share in (0.14, 0.42, 0.70):
            left = x + wide * share
            frames.append(rect(left, y, left + wide * 0.16, y + 34))
            shutters += [
                rect(left - 6, y, left - 1, y + 34),
                rect(left + wide * 0.16 + 1, y, left + wide * 0.16 + 6, y + 34),
            ]
    c.fill(shutters, mix(wall, "#3a4450", 0.55), alpha=0.8)
    c.fill(frames, "#fdf5e6")
    c.fill([rect(a[0] + 3, a[1] + 3, b[0] - 3, b[1] - 3) for a, _, b, _ in frames], ("#56707e", "#8aa6ae"))


def _quay(c: Canvas) -> None:
    c.fill([rect(-10, 644, 1930, 702)], ("#d9c4a6", "#a08c7a"))
    c.fill([rect(-10, 674, 1930, 702)], ("#77696a", "#4e4a52"))
    c.fill([rect(x, 676, x + 2, 702) for x in range(20, 1930, 62)], "#3f3b44", alpha=0.6)
    c.fill([rect(x - 5, 656, x + 5, 676) for x in range(90, 1920, 230)], "#3a3640")
    c.light([rect(-10, 672, 1930, 675)], "#fff0d0", alpha=0.6)


def _stalls(c: Canvas) -> None:
    """Striped awnings over crates of fruit, and people among them."""
    rng = Random(3)
    for i, x in enumerate(range(760, 1900, 150)):
        colour = ("#cf4a40", "#2f858c", "#e3a23c")[i % 3]
        c.fill([rect(x + 4, 596, x + 8, 664), rect(x + 110, 596, x + 114, 664)], "#5a4336")
        for k in range(8):
            left, low = x + 10 + k * 12, x + 3 + k * 14
            flap = [
                (left, 568),
                (left + 12, 568),
                (low + 14, 602),
                *ellipse(low + 7, 602, 7, 6, arc=(0, 180)),
                (low, 602),
            ]
            c.fill([flap], colour if k % 2 else "#fff6e6")
        c.fill([rect(x + 3, 572, x + 115, 606)], "#5a3a30", alpha=0.14)
        c.fill([rect(x + 10 + k * 25, 636, x + 32 + k * 25, 660) for k in range(4)], "#9a6b45")
        fruit = ("#e0653c", "#e8b23c", "#7f9c46")
        for k in range(3):
            heap = [ellipse(x + 14 + j * 6.5, 634 + rng.uniform(-3, 2), 4.6) for j in range(15) if j % 3 == k]
            c.fill(heap, fruit[(i + k) % 3])
    for x, coat in (
        (900, "#35506b"),
        (1040, "#8c3a3a"),
        (1186, "#3d5c4a"),
        (1395, "#6b4a6b"),
        (1640, "#35506b"),
    ):
        walker(c, x, 668, 68, coat=coat, skin="#5a3d36", scarf="#e8b23c" if x == 1040 else None)


def undersea() -> Image.Image:
    """Under the sea: a whale and her calf in the light that falls from above."""
    c = Canvas("#c9f5e6@0", "#67cdd0@0.1", "#2296ae@0.32", "#0e5c84@0.6", "#083554@0.84", "#051f38@1")
    rays(
        c,
        1150,
        -340,
        "#d6fff0",
        angles=(48, 58, 66, 74, 83, 90, 99, 109, 120, 131),
        length=1900,
        alpha=0.22,
        spread=4,
    )
    c.glow(1150, -60, 900, "#f0fff4", alpha=0.6, power=2)
    rng = Random(9)
    for _ in range(3):
        crests = [
            lens(rng.uniform(200, 1950), rng.uniform(0, 50), rng.uniform(40, 170), rng.uniform(3, 9))
            for _ in range(24)
        ]
        c.light(crests, "#ffffff", alpha=0.4, blur=2.5)
    for seed, paint, base in ((161, ("#126485", "#0a3a5c"), 880), (162, ("#0b486c", "#072c4a"), 960)):
        c.fill([below(ridge(seed, base, 80, wave=230, octaves=5))], paint, alpha=0.85)
        mist(c, base + 40, "#1a7a98", alpha=0.22, thickness=50, seed=seed)
    shoal(c, 700, 330, "#0f5a7a", 3, count=60)
    whale(c, 1250, 400, 1.0, back=("#38708f", "#12395a"), belly="#a4d0d6")
    whale(c, 1000, 600, 0.4, back=("#44809c", "#1d4d6e"), belly="#b6d9de")
    shoal(c, 1560, 740, "#f7bd62", 5, count=48, flip=True, size=1.1)
    shoal(c, 560, 640, "#2f8ba4", 8, count=26, size=0.7)
    _kelp(c, rng)
    _reef(c, rng)
    bubbles = [ellipse(1440 + rng.gauss(0, 20) + i * 2, 330 - i * 11, rng.uniform(2, 7)) for i in range(26)]
    c.light(bubbles, "#dffcff", alpha=0.4)
    motes = [ellipse(rng.uniform(0, 1920), rng.uniform(80, 1000), rng.uniform(0.8, 2.4)) for _ in range(280)]
    c.light(motes, "#cff6ff", alpha=0.3)
    return c.finished()


def _kelp(c: Canvas, rng: Random) -> None:
    """Kelp on the right and, lower, at the left edge: wavering stems with long blades."""
    for x in (1488, 1560, 1640, 1716, 1790, 1850, 1906, 24, 84, 150):
        tall = rng.uniform(300, 620) * (0.45 if x < 400 else 1)
        phase, depth = rng.uniform(0, 6), rng.random()
        stem = curve([(x + 22 * math.sin(i * 0.9 + phase), 1090 - tall * i / 8) for i in range(9)], 6)
        blades: list[Outline] = [stroke(stem, 8, 2)]
        for i, (px, py) in enumerate(stem[5::4]):
            side, long = (1 if i % 2 else -1), rng.uniform(40, 72)
            blade = [
                (px, py),
                (px + side * long * 0.3, py - long * 0.5),
                (px + side * long * 0.5, py - long * 1.25),
            ]
            blades += [stroke(curve(blade, 6), 12, 1), ellipse(px + side * 4, py - 3, 4.5)]
        top = mix("#2f9a80", "#0f6a7a", depth)
        c.fill(blades, (top, mix(top, "#06283f", 0.75)), alpha=0.94)


def _reef(c: Canvas, rng: Random) -> None:
    """Corals of several growths on the sea floor, right of the middle."""
    floor = ridge(165, 1036, 26, wave=300)
    for _ in range(3):
        for colour in ("#d6586f", "#f09362", "#9553a0", "#3aa59b", "#f2c26a"):
            x = rng.uniform(930, 1900)
            y = height_at(floor, x) + 14
            growth = rng.choice((_branches, _fan, _brain))
            c.fill(growth(rng, x, y), (colour, mix(colour, "#072c4a", 0.6)), alpha=0.92)
    c.fill([below(floor)], ("#0c3c58", "#04182c"))


def _branches(rng: Random, x: float, y: float) -> list[Outline]:
    parts = []
    for k in range(-3, 4):
        tip = (x + k * 17 + rng.uniform(-7, 7), y - rng.uniform(46, 104))
        fork = (tip[0] + rng.uniform(-18, 18), tip[1] + 10)
        middle = (x + k * 8, y - 36)
        parts += [stroke(curve([(x, y), middle, tip]), 12, 7), stroke([middle, fork], 8, 6)]
        parts += [ellipse(*tip, 4.5), ellipse(*fork, 4)]
    return parts


def _fan(rng: Random, x: float, y: float) -> list[Outline]:
    size = rng.uniform(60, 100)
    ribs = []
    for k in range(11):
        angle = math.radians(-160 + 14 * k)
        tip = (x + math.cos(angle) * size, y + math.sin(angle) * size * 1.1)
        ribs.append(stroke(curve([(x, y), (x + math.cos(angle) * size * 0.4, y - size * 0.5), tip]), 5, 3))
    arcs = [stroke(ellipse(x, y, size * s, size * 1.1 * s, arc=(200, 340)), 2.4) for s in (0.5, 0.72, 0.94)]
    return [*ribs, *arcs]


def _brain(rng: Random, x: float, y: float) -> list[Outline]:
    return [ellipse(x + k * 24, y - 6, rng.uniform(20, 32), rng.uniform(16, 26)) for k in (-1, 0, 1)]
