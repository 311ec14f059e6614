"""Pictures of lakes and lights: the jetty, the crossing, the lighthouse."""

from itertools import pairwise
from random import Random

from PIL import Image

from .beings import birds, gulls, walker
from .land import hills, mist
from .paint import Canvas
from .shapes import Outline, Point, arch, curve, ellipse, lens, rect, stroke
from .sky import beam, moon, stars, streaks, sun
from .things import ferry, lamp, smoke
from .trees import pines
from .water import glitter, swell, water


def jetty() -> Image.Image:
    """Dusk over a lake; a jetty with a lamp, somebody waiting, the ferry coming in."""
    c = Canvas(
        "#231b4a@0",
        "#4a2f70@0.14",
        "#8f4684@0.28",
        "#dc6a72@0.4",
        "#f79a5c@0.49",
        "#ffd98f@0.57",
        "#ffd98f@1",
    )
    streaks(c, 8, "#6a3a7c", top=40, bottom=260, count=9, alpha=0.5)
    sun(c, 1180, 468, 66, colour="#fff6d6", halo="#ffac62", reach=11)
    streaks(c, 4, "#ff9d84", top=150, bottom=330, count=7, alpha=0.5)
    streaks(c, 19, "#ffd9a0", top=330, bottom=440, count=8, alpha=0.5)
    hills(c, 11, 520, 66, ("#b4648a", "#e09a84@0.18"), wave=420, rim="#ffd9a8")
    mist(c, 566, "#f7b488", alpha=0.55, thickness=26, seed=1)
    hills(c, 23, 572, 46, ("#74407c", "#96527f@0.1"), wave=600, rim="#f0a090")
    shore = hills(c, 31, 596, 20, ("#45285e", "#4c2b5e"), wave=300)
    c.fill(pines(shore, 5, span=(-20, 660), count=74, size=(20, 92)), ("#4a2a60", "#331c4a"))
    c.fill(pines(shore, 6, span=(1480, 1940), count=54, size=(22, 112)), ("#4a2a60", "#331c4a"))
    ferry(c, 1010, 612, 66, hull="#2b1a44", house="#94628a", window="#ffe9b0", band="#c05a5e")
    smoke(c, 988, 546, "#5a3a6c", drift=(-150, -70), size=6, alpha=0.55)
    water(c, 612, ("#c26a7e", "#854a7c", "#472a5e", "#281a42"), mirror=0.85)
    glitter(c, 1180, "#ffe2a6", 3, top=620, bottom=1010, width=52, count=240, alpha=0.8, spread=2.4)
    swell(c, 5, "#f7b090", top=640, bottom=1080, count=60, alpha=0.24)
    birds(c, 700, 250, 3, "#3a2456", count=7, size=13)
    _pier(c)
    return c.finished()


def _pier(c: Canvas) -> None:
    """The jetty comes in from the lower right and ends where somebody waits."""
    wood, dark = "#44294a", "#211430"
    deck: Outline = [(1262, 812), (1352, 812), (1990, 1100), (1440, 1100)]
    c.fill([[(1256, 830), (1350, 850), (1560, 1100), (1380, 1100)]], dark, alpha=0.55, blur=14)
    c.fill(_piles(deck, left=True) + _piles(deck, left=False)[:1], dark)
    c.fill([deck], ("#8a5368", "#6a3f58@0.3", wood))
    c.fill(_planks(deck), dark, alpha=0.75)
    c.fill([[(1262, 812), (1262, 826), (1432, 1110), (1440, 1100)]], dark)
    c.light([stroke([(1352, 812), (1990, 1100)], 2, 7)], "#ffb08a", alpha=0.5)
    c.fill(_piles(deck, left=False)[1:], dark)
    lamp(c, 1358, 814, 180, iron=dark, reach=1.1)
    c.light([lens(1336, 826, 110, 26)], "#ffc878", alpha=0.55, blur=9)
    walker(c, 1302, 824, 108, coat="#542a46", skin="#2a1730", scarf="#e0685e", case="#2a1730")


def _piles(deck: Outline, *, left: bool) -> list[Outline]:
    """The posts along one edge of the deck, larger towards the viewer."""
    (x0, y0), (x1, y1) = (deck[0], deck[3]) if left else (deck[1], deck[2])
    posts = []
    for t in (0.0, 0.2, 0.5, 0.95):
        x, y, half = x0 + (x1 - x0) * t, y0 + (y1 - y0) * t, 7 + 14 * t
        posts.append(rect(x - half, y - 36 - 62 * t, x + half, y + 84 + 170 * t))
    return posts


def _planks(deck: Outline) -> list[Outline]:
    (x0, y0), (x1, _), (x2, y2), (x3, _) = deck
    gaps = []
    for i in range(1, 21):
        t = (i / 20) ** 1.7
        y = y0 + (y2 - y0) * t
        gaps.append(rect(x0 + (x3 - x0) * t, y, x1 + (x2 - x1) * t, y + 1.2 + 3.6 * t))
    return gaps


def crossing() -> Image.Image:
    """Night on the lake: the ferry under the moon."""
    c = Canvas("#040a1e@0", "#0a1a40@0.2", "#193a72@0.42", "#42739f@0.57", "#42739f@1")
    stars(c, 2, count=460, floor=560)
    moon(c, 985, 205, 70)
    streaks(c, 15, "#7f9fca", top=250, bottom=440, count=8, alpha=0.28)
    hills(c, 41, 536, 60, ("#2d5688", "#4f7fab@0.2"), wave=460, rim="#a9c9ea")
    mist(c, 590, "#86aed4", alpha=0.4, thickness=30, seed=2)
    hills(c, 45, 580, 30, ("#1f4270", "#2c5482@0.2"), wave=380, rim="#7fa6d0")
    shore = hills(c, 43, 598, 22, ("#122a50", "#15305a"), wave=520)
    c.fill(pines(shore, 8, span=(1440, 1940), count=64, size=(18, 92)), "#0d2246")
    c.fill(pines(shore, 9, span=(-20, 520), count=64, size=(16, 76)), "#0d2246")
    village = [ellipse(560 + 31 * i + 9 * (i % 2), 602 - 5 * (i % 3), 1.9) for i in range(7)]
    c.light(village, "#ffd58a", alpha=0.9)
    c.light(village, "#ffc060", alpha=0.7, blur=5)
    c.glow(1245, 560, 360, "#ffc873", alpha=0.34, power=2.6)
    ferry(c, 1245, 622, 132, hull="#0b152c", house="#46587c")
    smoke(c, 1216, 486, "#7288ae", drift=(-230, -90), size=10, alpha=0.42)
    water(c, 622, ("#33608f", "#183b6c", "#0b1f46", "#061430"), mirror=0.82)
    glitter(c, 985, "#e6eef6", 12, top=632, bottom=1050, width=42, count=220, alpha=0.6, spread=1.9)
    for i in range(7):
        glitter(
            c, 1156 + i * 26, "#ffcd7a", 60 + i, top=634, bottom=880, width=9, count=30, alpha=0.7, spread=1.5
        )
    c.light(
        [lens(1030, 632, 220, 4), lens(1110, 641, 280, 3), lens(1000, 652, 320, 3)],
        "#d9e7f5",
        alpha=0.5,
        blur=1,
    )
    swell(c, 7, "#9abce2", top=650, bottom=1080, count=54, alpha=0.17)
    return c.finished()


def lighthouse() -> Image.Image:
    """A lighthouse on its rock, two beams through the fog."""
    x, lantern = 1240.0, 250.0
    c = Canvas("#050f16@0", "#0f2a35@0.22", "#28565e@0.44", "#76a5a1@0.61", "#76a5a1@1")
    stars(c, 61, count=110, floor=280)
    streaks(c, 66, "#6f9a9a", top=300, bottom=560, count=9, alpha=0.25)
    hills(c, 51, 636, 44, ("#477a7e", "#76a5a1@0.14"), wave=520)
    for seed, y in ((1, 590), (2, 660)):
        mist(c, y, "#a6c8c1", alpha=0.45, thickness=60, seed=seed)
    water(c, 690, ("#578a8a", "#26505a", "#10303b", "#08202a"), mirror=0.6)
    swell(c, 77, "#cfe6df", top=700, bottom=1080, count=64, alpha=0.2)
    beam(c, x, lantern, (-120, 470), "#ffe9b8", width=130, alpha=0.6)
    beam(c, x, lantern, (2000, 180), "#ffe9b8", width=80, alpha=0.62)
    _mirrored_tower(c, x)
    _rock(c, x)
    _tower(c, x, 640, lantern)
    _lantern_room(c, x, lantern)
    _keepers_house(c, x + 132, 652)
    mist(c, 712, "#bcd8cf", alpha=0.36, thickness=34, seed=5)
    c.glow(x, lantern, 460, "#ffdf9a", alpha=0.6, power=3)
    c.glow(x, lantern, 130, "#fff6dc", alpha=0.95, power=2)
    gulls(c, [(1010, 430, 26), (935, 480, 18), (1500, 380, 22)], "#dcebe5")
    return c.finished()


def _tower(c: Canvas, x: float, foot: float, lantern: float) -> None:
    """The striped tower, lit from the left, with its gallery."""
    top, stripes = lantern + 34, 6

    def half(y: float) -> float:
        return 31 + 20 * ((y - top) / (foot - top)) ** 1.25

    for i in range(stripes):
        y0, y1 = top + (foot - top) * i / stripes, top + (foot - top) * (i + 1) / stripes
        light, shade = ("#f3f4ea", "#a3bab6") if i % 2 == 0 else ("#cf4a40", "#7b2830")
        c.fill([[(x - half(y0), y0), (x + half(y0), y0), (x + half(y1), y1), (x - half(y1), y1)]], shade)
        c.fill([[(x - half(y0), y0), (x + 7, y0), (x + 9, y1), (x - half(y1), y1)]], light)
        edge = [(x + half(y0) * 0.72, y0), (x + half(y0), y0), (x + half(y1), y1), (x + half(y1) * 0.72, y1)]
        c.fill([edge], "#1b3038", alpha=0.28)
    panes = [arch(x - 10, 396, x + 6, 428), arch(x - 11, 500, x + 7, 534)]
    c.fill(panes, "#ffe2a0")
    c.light(panes, "#ffd080", alpha=0.7, blur=7)
    c.fill([arch(x - 15, 588, x + 13, 642)], "#2c3f44")
    c.fill([[(x - 36, top + 16), (x - 48, top), (x + 48, top), (x + 36, top + 16)]], "#22343a")
    posts = [rect(x + i, top - 24, x + i + 2, top) for i in range(-47, 48, 12)]
    c.fill(
        [rect(x - 48, top - 26, x + 48, top - 23), rect(x - 48, top - 13, x + 48, top - 11), *posts],
        "#24383d",
    )


def _lantern_room(c: Canvas, x: float, y: float) -> None:
    c.fill([rect(x - 24, y - 26, x + 24, y + 30)], "#1b2d33")
    c.fill([rect(x - 20, y - 22, x + 20, y + 22)], "#fff3c9")
    c.fill([rect(x + i, y - 24, x + i + 2.5, y + 24) for i in (-9, 6)], "#6a5a46")
    roof = curve([(x - 30, y - 24), (x - 22, y - 44), (x, y - 60), (x + 22, y - 44), (x + 30, y - 24)])
    c.fill([roof], ("#e0604e", "#8a2f34"))
    c.fill([rect(x - 1.5, y - 86, x + 1.5, y - 56), ellipse(x, y - 62, 5)], "#1b2d33")


def _keepers_house(c: Canvas, x: float, foot: float) -> None:
    """The keeper's house; x is the middle of its gable."""
    gable: Outline = [
        (x - 36, foot),
        (x - 36, foot - 66),
        (x, foot - 100),
        (x + 36, foot - 66),
        (x + 36, foot),
    ]
    c.fill([rect(x + 62, foot - 124, x + 76, foot - 90)], "#7b8f8c")
    c.fill([rect(x + 36, foot - 66, x + 94, foot)], "#8fa5a1")
    c.fill([gable], "#d3dbd1")
    c.fill([[(x, foot - 106), (x + 70, foot - 106), (x + 106, foot - 60), (x + 34, foot - 60)]], "#94353a")
    c.fill([stroke([(x - 44, foot - 58), (x, foot - 104), (x + 44, foot - 58)], 8)], "#b0433f")
    panes = [rect(x - 13, foot - 48, x + 13, foot - 20), rect(x + 54, foot - 48, x + 78, foot - 22)]
    c.fill(panes, "#ffe0a0")
    c.light(panes, "#ffd080", alpha=0.8, blur=9)
    c.fill(
        [rect(x - 1.5, foot - 48, x + 1.5, foot - 20), rect(x + 65, foot - 48, x + 67, foot - 22)], "#6a5a46"
    )


_ROCK: tuple[Point, ...] = (
    (-320, 720), (-236, 700), (-196, 678), (-148, 668), (-96, 636), (-40, 630), (88, 642), (238, 648),
    (270, 668), (330, 682), (400, 704), (520, 720),
)  # fmt: skip


def _rock(c: Canvas, x: float) -> None:
    """The islet, a craggy block with ledges that catch the light, and foam about its foot."""
    crest = [(x + dx, y) for dx, y in _ROCK]
    rock = [*crest, (x + 390, 736), (x - 190, 734)]
    c.fill([rock], ("#33504f", "#192f34", "#0c1c21"))
    rng = Random(4)
    foot = [(x + dx * 0.98 + rng.uniform(-26, 26), 742.0) for dx, _ in _ROCK]
    for i, ((top, after), (low, beyond)) in enumerate(zip(pairwise(crest), pairwise(foot), strict=True)):
        light = ("#7fa19b", "#0b1a1f", "#4f6f6d")[i % 3]
        c.fill([[top, after, beyond, low]], light, alpha=0.26, within=[rock])
    c.light([stroke(crest, 3)], "#a8cfc6", alpha=0.4, blur=1.2)
    foam = [
        lens(x - 250, 724, 130, 9),
        lens(x + 40, 738, 280, 9),
        lens(x + 430, 724, 140, 8),
        lens(x - 60, 750, 200, 5),
    ]
    c.light(foam, "#e6f2ec", alpha=0.7, blur=2)


def _mirrored_tower(c: Canvas, x: float) -> None:
    """The tower's broken image in the water, in slices that drift apart."""
    rng = Random(8)
    red: list[Outline] = []
    white: list[Outline] = []
    for i, y in enumerate(range(752, 1064, 9)):
        slide, half = rng.uniform(-10, 10) * (1 + (y - 752) / 180), 50 - (y - 752) * 0.05
        (red if (i // 6) % 2 else white).append(lens(x + slide, y, half, 11))
    c.fill([lens(x + 80, 742, 440, 70)], "#0a1a20", alpha=0.75, blur=6)
    c.fill(white, "#a9c5c0", alpha=0.42, blur=1)
    c.fill(red, "#9c3a3c", alpha=0.5, blur=1)
    glitter(c, x, "#ffe2a0", 21, top=760, bottom=1070, width=34, count=80, alpha=0.5, spread=1.4)
