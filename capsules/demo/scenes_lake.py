"""Pictures by the lake and the sea: the jetty, the crossing, the lighthouse, the harbour."""

from random import Random

from PIL import Image

from .land import hills, mist, pines
from .paint import Canvas
from .shapes import Outline, arch, curve, ellipse, lens, rect, stroke
from .sky import moon, stars, streaks, sun
from .things import ferry, gulls, lamp, sailboat, smoke, walker
from .water import glitter, swell, water


def jetty() -> Image.Image:
    """Dusk over a lake; a jetty with a lamp, somebody waiting, the ferry coming in."""
    c = Canvas(
        "#2b2150@0", "#5a3574@0.16", "#a44f83@0.3", "#e0706a@0.4", "#f6a35f@0.48", "#ffd58a@0.56", "#ffd58a@1"
    )
    streaks(c, 4, "#ffb38a", top=150, bottom=330, count=8, alpha=0.4)
    streaks(c, 8, "#7a3f7c", top=60, bottom=260, count=7, alpha=0.35)
    sun(c, 1180, 470, 64, colour="#fff3cf", halo="#ffc27a", reach=9)
    hills(c, 11, 520, 66, ("#b4648a", "#d98b82@0.2", "#d98b82"), wave=420, rim="#ffd9a8")
    mist(c, 566, "#f2a884", alpha=0.5, thickness=26, seed=1)
    hills(c, 23, 572, 46, ("#74407c", "#8f4f80@0.1", "#8f4f80"), wave=600)
    shore = hills(c, 31, 596, 20, ("#45285e", "#4c2b5e"), wave=300)
    c.fill(pines(shore, 5, span=(-20, 620), count=44, size=(24, 70)), "#3a2152")
    c.fill(pines(shore, 6, span=(1500, 1940), count=34, size=(26, 84)), "#3a2152")
    ferry(c, 1010, 612, 62, hull="#2f1c48", house="#8a5a80", window="#ffe3a0", band="#c05a5e")
    smoke(c, 997, 548, "#5a3a6c", drift=(110, -66), size=6, alpha=0.5)
    water(c, 612, ("#b25f7e", "#7b4276", "#3f2657", "#2a1b45"), mirror=0.85)
    glitter(c, 1180, "#ffdf9f", 3, top=622, bottom=1000, width=60, count=190, alpha=0.75, spread=2.6)
    swell(c, 5, "#f3a58b", top=640, bottom=1080, count=50, alpha=0.22)
    _pier(c)
    return c.finished()


def _pier(c: Canvas) -> None:
    """The jetty comes in from the lower right and ends where somebody waits."""
    wood, dark = "#3a2342", "#221530"
    far_left, far_right, near_left, near_right = (1262, 812), (1352, 812), (1440, 1100), (1990, 1100)
    posts = []
    for t in (0.0, 0.22, 0.55, 1.0):
        for start, end in ((far_left, near_left), (far_right, near_right)):
            x, y, size = start[0] + (end[0] - start[0]) * t, 812 + 288 * t, 7 + 15 * t
            posts.append(rect(x - size, y - 40 - 62 * t, x + size, y + 90 + 160 * t))
    c.fill(posts[::2] + posts[1:2], dark)
    c.fill([[far_left, far_right, near_right, near_left]], ("#6d3f5c", wood))
    gaps = []
    for i in range(17):
        t = (i / 17) ** 1.7
        x0, x1 = (
            far_left[0] + (near_left[0] - far_left[0]) * t,
            far_right[0] + (near_right[0] - far_right[0]) * t,
        )
        gaps.append(rect(x0, 812 + 288 * t, x1, 812 + 288 * t + 1.5 + 4 * t))
    c.fill(gaps, dark, alpha=0.8)
    c.fill([[far_left, (1262, 824), (1434, 1108), near_left]], dark)
    c.fill(posts[3::2], dark)
    lamp(c, 1356, 812, 176, iron=dark, reach=1.1)
    c.light([lens(1330, 822, 70, 14)], "#ffc878", alpha=0.6, blur=8)
    walker(c, 1302, 822, 106, coat="#4a2440", skin="#2a1730", scarf="#d0605c", case="#2a1730")
    glitter(c, 1270, "#ffd28a", 9, top=870, bottom=1060, width=12, count=26, alpha=0.5, spread=1.2)


def crossing() -> Image.Image:
    """Night on the lake: the ferry under the moon."""
    c = Canvas("#040a1e@0", "#0b1c42@0.25", "#1c4078@0.45", "#3f6fa5@0.56", "#3f6fa5@1")
    stars(c, 2, count=420, floor=560)
    moon(c, 985, 205, 70)
    streaks(c, 15, "#7f9fca", top=260, bottom=420, count=6, alpha=0.22)
    hills(c, 41, 540, 60, ("#2d5688", "#3f6b9c@0.2"), wave=460, rim="#9fc0e4")
    mist(c, 590, "#7ea6cf", alpha=0.35, thickness=30, seed=2)
    shore = hills(c, 43, 588, 26, ("#142c54", "#173561"), wave=520)
    c.fill(pines(shore, 8, span=(1480, 1940), count=40, size=(20, 66)), "#10254a")
    c.fill(pines(shore, 9, span=(-20, 420), count=40, size=(20, 58)), "#10254a")
    c.light([ellipse(180 + 37 * i, 592 - 5 * (i % 3), 1.8) for i in range(7)], "#ffd58a", alpha=0.9)
    c.glow(1245, 560, 330, "#ffc873", alpha=0.3, power=2.6)
    ferry(c, 1245, 622, 128, hull="#0c1730", house="#3a4a6c")
    smoke(c, 1216, 490, "#5f7398", drift=(-210, -86), size=10, alpha=0.42)
    water(c, 622, ("#2c5688", "#16376a", "#0b1f46", "#071633"), mirror=0.8)
    glitter(c, 985, "#dfe9f4", 12, top=634, bottom=1040, width=44, count=170, alpha=0.55, spread=2.0)
    for i in range(7):
        glitter(
            c, 1160 + i * 24, "#ffcd7a", 60 + i, top=632, bottom=860, width=9, count=26, alpha=0.7, spread=1.5
        )
    c.light([lens(1050, 634, 200, 4), lens(1130, 642, 260, 3)], "#cfe0f2", alpha=0.5, blur=1)
    swell(c, 7, "#8fb4dc", top=650, bottom=1080, count=44, alpha=0.16)
    return c.finished()


def lighthouse() -> Image.Image:
    """A lighthouse on its rock, two beams through the fog."""
    c = Canvas("#06161d@0", "#12303a@0.25", "#2b5a60@0.45", "#6b9a98@0.6", "#6b9a98@1")
    stars(c, 61, count=90, floor=260)
    hills(c, 51, 640, 40, ("#4b7c7f", "#6b9a98@0.12"), wave=700)
    for seed, y in ((1, 600), (2, 660)):
        mist(c, y, "#9cc0ba", alpha=0.4, thickness=60, seed=seed)
    water(c, 690, ("#4d8082", "#234a52", "#12303a", "#0b222b"), mirror=0.6)
    swell(c, 77, "#cfe6df", top=700, bottom=1080, count=46, alpha=0.18)
    x, lantern = 1240, 250
    for side, drop in ((-1, 190), (1, -60)):
        for spread, alpha, blur in ((120, 0.34, 20), (56, 0.5, 9)):
            reach = x + side * 1300
            c.light(
                [
                    [
                        (x, lantern - 7),
                        (x, lantern + 7),
                        (reach, lantern + drop + spread),
                        (reach, lantern + drop - spread),
                    ]
                ],
                "#ffe9b8",
                alpha=alpha,
                blur=blur,
            )
    _mirrored_tower(c, x)
    _rock(c, x)
    _tower(c, x, 640, lantern)
    mist(c, 706, "#b5d2ca", alpha=0.34, thickness=34, seed=5)
    c.glow(x, lantern, 420, "#ffe2a0", alpha=0.62, power=3)
    c.glow(x, lantern, 120, "#fff6dc", alpha=0.95, power=2)
    gulls(c, [(1010, 420, 26), (930, 470, 18), (1500, 380, 22)], "#d6e6e0")
    return c.finished()


def _tower(c: Canvas, x: float, foot: float, lantern: float) -> None:
    """The striped tower, its gallery and its lantern room, and the keeper's house."""
    top, wide, narrow = lantern + 34, 50, 32

    def half(y: float) -> float:
        return narrow + (wide - narrow) * (y - top) / (foot - top)

    stripes = 6
    for i in range(stripes):
        y0, y1 = top + (foot - top) * i / stripes, top + (foot - top) * (i + 1) / stripes
        lit, shade = ("#eef2ea", "#a9bdb9") if i % 2 == 0 else ("#c2433c", "#7f2a31")
        c.fill([[(x - half(y0), y0), (x + half(y0), y0), (x + half(y1), y1), (x - half(y1), y1)]], shade)
        c.fill([[(x - half(y0), y0), (x + 6, y0), (x + 8, y1), (x - half(y1), y1)]], lit)
    c.fill([arch(x - 9, 400, x + 7, 430), arch(x - 10, 500, x + 8, 532)], "#ffdf9a")
    c.fill([arch(x - 14, 590, x + 12, 642)], "#2c3f44")
    c.fill(
        [rect(x - 46, top - 6, x + 46, top + 5), rect(x - 24, lantern - 26, x + 24, lantern + 30)], "#1b2d33"
    )
    c.fill(
        [
            rect(x - 46, top - 24, x + 46, top - 21),
            *[rect(x + i, top - 24, x + i + 2, top) for i in range(-45, 46, 15)],
        ],
        "#24383d",
    )
    c.fill([rect(x - 20, lantern - 22, x + 20, lantern + 22)], "#fff3c9")
    c.fill([rect(x + i, lantern - 24, x + i + 2.5, lantern + 24) for i in (-8, 6)], "#5a4a3a")
    c.fill(
        [
            [
                (x - 30, lantern - 24),
                *curve([(x - 22, lantern - 44), (x, lantern - 60), (x + 22, lantern - 44)]),
                (x + 30, lantern - 24),
            ]
        ],
        ("#d6564a", "#7f2a31"),
    )
    c.fill([rect(x - 1.5, lantern - 84, x + 1.5, lantern - 56), ellipse(x, lantern - 62, 5)], "#1b2d33")
    c.fill([[(x + 96, 652), (x + 96, 586), (x + 132, 552), (x + 168, 586), (x + 168, 652)]], "#c9d4cc")
    c.fill([rect(x + 168, 586, x + 226, 652)], "#93a8a5")
    c.fill(
        [
            [(x + 132, 546), (x + 200, 546), (x + 236, 592), (x + 166, 592)],
            stroke([(x + 88, 594), (x + 132, 548), (x + 176, 594)], 8),
        ],
        "#8f3136",
    )
    panes = [rect(x + 118, 604, x + 144, 632), rect(x + 186, 604, x + 208, 628)]
    c.fill(panes, "#ffd98a")
    c.light(panes, "#ffd98a", alpha=0.8, blur=9)


def _rock(c: Canvas, x: float) -> None:
    crest = curve(
        [
            (x - 300, 716),
            (x - 220, 688),
            (x - 150, 662),
            (x - 96, 634),
            (x - 20, 628),
            (x + 90, 640),
            (x + 236, 648),
            (x + 300, 682),
            (x + 400, 700),
            (x + 500, 718),
        ]
    )
    rock = [*crest, (x + 380, 734), (x - 180, 732)]
    c.fill([rock], ("#2d474a", "#16292e", "#0d1d22"))
    facets: list[Outline] = [
        [(x - 150, 662), (x - 96, 634), (x - 60, 690), (x - 130, 726)],
        [(x - 20, 628), (x + 60, 638), (x + 20, 700), (x - 40, 724)],
        [(x + 236, 648), (x + 300, 682), (x + 260, 726), (x + 200, 690)],
    ]
    c.fill(facets, "#4d6b6b", alpha=0.5, within=[rock])
    foam = [
        lens(x - 250, 722, 120, 8),
        lens(x + 40, 735, 260, 8),
        lens(x + 420, 722, 130, 7),
        lens(x - 60, 746, 180, 5),
    ]
    c.light(foam, "#e6f2ec", alpha=0.7, blur=2)


def _mirrored_tower(c: Canvas, x: float) -> None:
    """The tower's broken image in the water, in slices that drift apart."""
    rng = Random(8)
    red, white = [], []
    for i, y in enumerate(range(752, 1060, 9)):
        slide, half = rng.uniform(-10, 10) * (1 + (y - 752) / 200), 48 - (y - 752) * 0.04
        (red if (i // 6) % 2 else white).append(lens(x + slide, y, half, 11))
    c.fill(white, "#9fbdb8", alpha=0.4, blur=1)
    c.fill(red, "#8f3a3c", alpha=0.5, blur=1)
    c.fill([lens(x + 60, 740, 470, 60)], "#0d1d22", alpha=0.7, blur=6)
    glitter(c, x, "#ffe2a0", 21, top=760, bottom=1070, width=34, count=60, alpha=0.45, spread=1.4)


def harbour() -> Image.Image:
    """A fishing harbour early on a market morning: painted houses, awnings, boats, gulls."""
    c = Canvas("#7fb4cf@0", "#b4d6d8@0.3", "#fbe3c0@0.52", "#ffd9b0@0.6", "#ffd9b0@1")
    sun(c, 520, 330, 52, colour="#fffbe9", halo="#fff0c8", reach=9)
    streaks(c, 21, "#ffffff", top=110, bottom=300, count=8, alpha=0.5)
    hills(c, 61, 470, 60, ("#8fb7bd", "#d9d9c6@0.3"), wave=420)
    mist(c, 560, "#ffe9cc", alpha=0.6, thickness=40, seed=3)
    _row_of_houses(c)
    _stalls(c)
    for x, size in ((1060, 44), (1500, 66)):
        sailboat(c, x, 690, size, hull="#f3ede0", sail=("#fff8ea", "#f2d9b4"), mast="#6b5040")
    water(c, 690, ("#8fb9bb", "#4f8f9c", "#276577", "#164a5c"), mirror=0.82)
    swell(c, 25, "#fff3da", top=700, bottom=1080, count=60, alpha=0.3)
    glitter(c, 520, "#fff3d0", 14, top=700, bottom=1000, width=60, count=90, alpha=0.5)
    sailboat(c, 1270, 800, 150, hull="#b3483f", sail=("#fffaf0", "#f0cfa2"), mast="#5a4336")
    c.fill([lens(1270, 812, 190, 22)], "#123c4c", alpha=0.5, blur=5)
    glitter(c, 1275, "#fff3e0", 15, top=820, bottom=1010, width=60, count=50, alpha=0.45, spread=1)
    gulls(c, [(1090, 240, 40), (1190, 180, 26), (1010, 330, 24), (1440, 260, 32), (1560, 180, 22)], "#ffffff")
    return c.finished()


_HOUSES = (
    "#e9b872",
    "#d9705c",
    "#f2e3c6",
    "#6fa0a0",
    "#e79a86",
    "#c9574e",
    "#f0cf94",
    "#86a8b8",
    "#b8654f",
    "#efe0cc",
)


def _row_of_houses(c: Canvas) -> None:
    rng = Random(17)
    x = -30.0
    i = 0
    while x < 1940:
        wide, tall = rng.uniform(104, 150), rng.uniform(170, 275)
        top, colour = 650 - tall, _HOUSES[i % len(_HOUSES)]
        roof = top - rng.uniform(44, 72)
        c.fill(
            [[(x, 660), (x, top), (x + wide / 2, roof), (x + wide, top), (x + wide, 660)]],
            (colour, colour, "#6b5a5c"),
        )
        c.fill([rect(x + wide * 0.8, top, x + wide, 660)], "#4a3a48", alpha=0.16)
        c.fill(
            [stroke([(x - 5, top + 3), (x + wide / 2, roof), (x + wide + 5, top + 3)], 11)],
            "#8a4a42" if i % 3 else "#5d5560",
        )
        panes: list[Outline] = []
        for floor in range(int(tall // 62)):
            panes += [
                rect(x + wide * k, top + 20 + floor * 58, x + wide * (k + 0.17), top + 52 + floor * 58)
                for k in (0.15, 0.42, 0.69)
            ]
        c.fill(panes, "#fbf2e0")
        c.fill(
            [rect(a[0][0] + 3, a[0][1] + 3, a[1][0] - 3, a[2][1] - 3) for a in panes], ("#53707f", "#7c97a0")
        )
        x += wide + 1
        i += 1


def _stalls(c: Canvas) -> None:
    """The quay with striped awnings over crates."""
    c.fill([rect(-10, 644, 1930, 700)], ("#cdb79c", "#8d7a6c"))
    c.fill([rect(-10, 672, 1930, 700)], ("#6f6260", "#4c4a50"))
    rng = Random(3)
    for i, x in enumerate(range(700, 1900, 150)):
        colour = ("#c9483f", "#2f7f86", "#e0a03c")[i % 3]
        c.fill([rect(x + 4, 596, x + 8, 660), rect(x + 106, 596, x + 110, 660)], "#5a4336")
        for k in range(8):
            c.fill(
                [
                    [
                        (x + 10 + k * 12, 572),
                        (x + 22 + k * 12, 572),
                        (x + 20 + k * 14.5, 604),
                        (x + 5.5 + k * 14.5, 604),
                    ]
                ],
                colour if k % 2 else "#fff6e6",
            )
        c.fill([rect(x + 10 + k * 25, 634, x + 32 + k * 25, 656) for k in range(4)], "#9a6b45")
        c.fill(
            [ellipse(x + 14 + k * 6.5, 632 + rng.uniform(-2, 2), 4.5) for k in range(15)],
            ("#e0653c", "#e8b23c", "#7f9c46")[i % 3],
        )
    for x, coat in (
        (880, "#35506b"),
        (1010, "#8c3a3a"),
        (1180, "#3d5c4a"),
        (1340, "#6b4a6b"),
        (1620, "#35506b"),
    ):
        walker(c, x, 664, 66, coat=coat, skin="#5a3d36")
