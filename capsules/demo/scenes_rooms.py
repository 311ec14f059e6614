"""Pictures of rooms: the kitchen at blue hour, the reading room at night."""

import math
from random import Random

from PIL import Image

from .beings import cat
from .land import hills
from .paint import Canvas, mix
from .scenes_town import town
from .shapes import arch, curve, ellipse, lens, rect, stroke
from .sky import crescent, moon, stars, streaks
from .trees import pines


def kitchen() -> Image.Image:
    """A kitchen window at blue hour: a kettle, a cup, herbs on the sill, hills outside."""
    c = Canvas("#33202c@0", "#5a3838@0.35", "#6e4439@0.6", "#4a2c30@1")
    c.glow(1560, 300, 1200, "#ffb468", alpha=0.5, power=1.7)
    _wall_tiles(c)
    c.show(_outside().image, [rect(960, 130, 1500, 690)])
    c.light([[(990, 690), (1080, 130), (1130, 130), (1040, 690)]], "#dfe8ff", alpha=0.07, blur=3)
    frame = [
        rect(936, 106, 1524, 136),
        rect(936, 676, 1524, 706),
        rect(936, 106, 966, 706),
        rect(1494, 106, 1524, 706),
    ]
    c.fill([*frame, rect(1221, 130, 1239, 690), rect(960, 397, 1500, 413)], ("#f0d6b0", "#b8906c"))
    c.fill(
        [rect(966, 136, 970, 676), rect(1239, 136, 1243, 676), rect(966, 136, 1494, 140)],
        "#4a2f30",
        alpha=0.4,
    )
    _curtains(c)
    _shelf(c)
    c.fill([rect(880, 698, 1580, 730)], ("#e6c296", "#9c7250"))
    c.fill([rect(900, 730, 1560, 748)], "#2a181c", alpha=0.4, blur=6)
    _herbs(c)
    c.fill([rect(-10, 838, 1930, 1100)], ("#b8804f", "#74492f@0.35", "#38222a"))
    grain = [
        stroke([(x, 852 + i * 26), (x + 700, 856 + i * 27)], 2)
        for i in range(9)
        for x in range(-100 + 90 * (i % 3), 1900, 860)
    ]
    c.fill(grain, "#4a2a22", alpha=0.35)
    c.light([rect(-10, 836, 1930, 842)], "#ffce90", alpha=0.55)
    c.light([lens(1420, 880, 520, 110)], "#ffce8a", alpha=0.3, blur=30)
    _kettle(c, 1190, 850)
    _cup(c, 1430, 872)
    _hanging_lamp(c, 1660)
    return c.finished()


def _outside() -> Canvas:
    """What the kitchen window shows."""
    view = Canvas("#121f4a@0", "#34497f@0.3", "#7d74a4@0.48", "#f0a890@0.6", "#f0a890@1")
    stars(view, 111, count=220, floor=440)
    crescent(view, 1100, 235, 40)
    streaks(view, 113, "#f0a8a0", top=430, bottom=560, count=9, alpha=0.4)
    hills(view, 201, 580, 40, ("#6a6698", "#a0809c@0.3"), wave=330, rim="#ffc8b0")
    far = hills(view, 203, 640, 30, ("#353f70", "#404878"), wave=400, rim="#7a78a8")
    view.fill(pines(far, 30, span=(940, 1640), count=60, size=(24, 96)), "#252e5a")
    lights = [rect(1330, 626, 1337, 634), rect(1343, 626, 1350, 634)]
    view.fill(lights, "#ffe0a0")
    view.light(lights, "#ffc060", alpha=0.9, blur=6)
    return view


def _wall_tiles(c: Canvas) -> None:
    """A row of faint tiles above the table."""
    tiles = [rect(x, y, x + 58, y + 50) for y in (724, 780) for x in range(-40 + (y - 724) // 2, 1960, 64)]
    c.fill(tiles, ("#7d5244", "#6a4238"), alpha=0.6)


def _curtains(c: Canvas) -> None:
    """A curtain on each side, gathered by a band, its hem below the sill."""
    for side in (-1, 1):
        outer = 1230 + side * 376

        def at(inward: float, y: float, side: int = side, outer: float = outer) -> tuple[float, float]:
            return (outer - side * inward, y)

        inner = curve(
            [at(196, 96), at(190, 220), at(150, 380), at(74, 500), at(52, 540), at(70, 620), at(92, 744)], 8
        )
        cloth = [at(0, 96), *inner, at(-14, 744), at(0, 560)]
        c.fill([cloth], ("#e2776a", "#c0544f", "#8a3840"))
        for k in (0.2, 0.4, 0.6, 0.8):
            fold = [(outer - side * (abs(x - outer) * k), y) for x, y in inner]
            c.fill([stroke(fold, 12, 7)], "#7a2f3c", alpha=0.4, blur=3, within=[cloth])
            c.light(
                [stroke([(x + side * 12, y) for x, y in fold], 8, 5)],
                "#ffb49a",
                alpha=0.22,
                blur=3,
                within=[cloth],
            )
        c.fill([stroke([at(-4, 530), at(28, 546), at(56, 540)], 18)], ("#f0c078", "#c08a4c"))
    c.fill([rect(826, 84, 1634, 98), ellipse(826, 91, 13), ellipse(1634, 91, 13)], ("#a87450", "#5c3a2a"))


def _shelf(c: Canvas) -> None:
    """Two shelves with jars and cups on the wall to the left, dim."""
    rng = Random(5)
    for y in (300, 490):
        c.fill([rect(226, y + 14, 764, y + 40)], "#1f1218", alpha=0.4, blur=8)
        x = 250.0
        while x < 720:
            x += _jar(c, rng, x, y) + rng.uniform(10, 24)
        c.fill([rect(230, y, 760, y + 13)], ("#9a6a50", "#573632"))
        c.fill([[(x, y + 13), (x + 10, y + 13), (x + 10, y + 34)] for x in (290, 690)], "#573632")


def _jar(c: Canvas, rng: Random, x: float, foot: float) -> float:
    """A jar with a lid that stands on the shelf at x; returns its width."""
    wide, tall = rng.uniform(40, 64), rng.uniform(54, 104)
    colour = rng.choice(("#a06a4c", "#7a7660", "#b8864f", "#84565a", "#627076", "#8f8a6a"))
    c.fill([rect(x, foot - tall, x + wide, foot)], (colour, mix(colour, "#33202c", 0.5)))
    c.fill([rect(x + 4, foot - tall - 11, x + wide - 4, foot - tall)], mix(colour, "#33202c", 0.45))
    c.light([rect(x + wide - 11, foot - tall + 6, x + wide - 6, foot - 8)], "#ffd9a8", alpha=0.25, blur=2)
    c.fill(
        [rect(x + wide * 0.22, foot - tall * 0.62, x + wide * 0.78, foot - tall * 0.34)],
        "#e8d2ac",
        alpha=0.55,
    )
    return wide


def _herbs(c: Canvas) -> None:
    """Three pots of herbs on the sill."""
    rng = Random(4)
    for x, leaf, tall in ((1022, "#5c8c4e", 92), (1118, "#3f7350", 70), (1394, "#7fa04e", 96)):
        for tone, count in ((mix(leaf, "#14303a", 0.5), 40), (leaf, 40), (mix(leaf, "#ffe6a0", 0.4), 20)):
            leaves = []
            for _ in range(count):
                angle, out = rng.uniform(180, 360), math.sqrt(rng.random())
                px, py = (
                    x + math.cos(math.radians(angle)) * 52 * out,
                    644 + math.sin(math.radians(angle)) * tall * out,
                )
                leaves.append(ellipse(px, py, rng.uniform(7, 13), rng.uniform(5, 9)))
            c.fill(leaves, tone)
        c.fill([[(x - 38, 644), (x + 38, 644), (x + 28, 704), (x - 28, 704)]], ("#dc9060", "#9c5640"))
        c.fill([[(x + 10, 644), (x + 38, 644), (x + 28, 704), (x + 8, 704)]], "#5a2a30", alpha=0.3)
        c.fill([rect(x - 43, 632, x + 43, 650)], ("#eda574", "#c47850"))


def _kettle(c: Canvas, x: float, foot: float) -> None:
    side = [(92, 0), (106, -40), (98, -84), (68, -126), (34, -144)]
    body = curve(
        [*[(x - dx, foot + dy) for dx, dy in side], *[(x + dx, foot + dy) for dx, dy in reversed(side)]]
    )
    c.fill([lens(x + 10, foot + 6, 168, 30)], "#2a1820", alpha=0.65, blur=8)
    bow = curve(
        [
            (x - 78, foot - 110),
            (x - 86, foot - 214),
            (x, foot - 250),
            (x + 86, foot - 214),
            (x + 78, foot - 110),
        ]
    )
    c.fill([stroke(bow, 13)], ("#6a4636", "#2a1a22"))
    c.fill([stroke(bow[14:28], 19)], ("#b87848", "#7a4a30"))
    spout = [
        (x + 84, foot - 74),
        *curve([(x + 120, foot - 92), (x + 148, foot - 142), (x + 176, foot - 158)], 6),
    ]
    c.fill(
        [[*spout, *curve([(x + 182, foot - 138), (x + 154, foot - 98), (x + 94, foot - 28)], 6)]],
        ("#5aa4ae", "#24586a"),
    )
    c.fill([body], ("#7cc4c8", "#3f8c9a@0.45", "#1c5060"))
    c.fill([ellipse(x + 70, foot - 30, 70, 110)], "#0f3444", alpha=0.4, blur=18, within=[body])
    c.light([ellipse(x - 48, foot - 88, 18, 42)], "#e6fffa", alpha=0.6, blur=5, within=[body])
    c.light([ellipse(x + 84, foot - 84, 8, 40)], "#ffc88a", alpha=0.5, blur=4, within=[body])
    c.fill([rect(x - 94, foot - 8, x + 94, foot)], "#143c4a")
    c.fill([ellipse(x, foot - 143, 42, 10), ellipse(x, foot - 160, 12)], ("#3f6a78", "#1c3a48"))
    _steam(c, x + 188, foot - 166, 1.0)


def _steam(c: Canvas, x: float, y: float, size: float) -> None:
    for k, (drift, wide) in enumerate(((30, 13), (62, 20), (6, 10))):
        wisp = [
            (x, y),
            (x + drift * 0.7, y - 60 * size),
            (x + drift * 0.1, y - 130 * size),
            (x + drift, y - 210 * size),
            (x + drift * 0.4, y - 290 * size),
        ]
        for share in (1.0, 0.7, 0.4):
            line = curve(wisp, 8)[: round(33 * share)]
            c.light([stroke(line, wide * 0.5, wide * 2.2 * share)], "#fff4e4", alpha=0.13 - 0.02 * k, blur=10)


def _cup(c: Canvas, x: float, foot: float) -> None:
    c.fill([lens(x + 8, foot + 12, 130, 26)], "#2a1820", alpha=0.55, blur=6)
    c.fill([ellipse(x, foot + 4, 92, 13)], ("#fff3e0", "#cbb096"))
    c.fill([ellipse(x, foot + 2, 60, 7)], "#b89a80", alpha=0.6)
    c.fill([stroke(ellipse(x + 58, foot - 46, 25, 25), 10)], ("#f0dcc0", "#c8a888"))
    side = [(58, -86), (56, -44), (38, -8), (0, -1)]
    bowl = [
        *curve([(x - dx, foot + dy) for dx, dy in side], 6),
        *curve([(x + dx, foot + dy) for dx, dy in reversed(side)], 6),
    ]
    c.fill([bowl], ("#fff8ea", "#e6cdb0", "#c4a284"))
    c.fill([rect(x - 60, foot - 66, x + 60, foot - 57)], "#d0645c", alpha=0.85, within=[bowl])
    c.fill([ellipse(x - 40, foot - 40, 30, 60)], "#7a4a4c", alpha=0.3, blur=10, within=[bowl])
    c.fill([ellipse(x, foot - 86, 58, 11)], "#f6e4cc")
    c.fill([ellipse(x, foot - 85, 51, 8)], ("#6e3420", "#a0583a"))
    _steam(c, x - 14, foot - 96, 0.8)


def _hanging_lamp(c: Canvas, x: float) -> None:
    c.glow(x, 290, 620, "#ffd08a", alpha=0.5, power=2)
    c.light([[(x - 90, 272), (x + 90, 272), (x + 330, 840), (x - 330, 840)]], "#ffdca0", alpha=0.1, blur=26)
    c.fill([rect(x - 2, -10, x + 2, 190), rect(x - 12, 176, x + 12, 196)], "#2a1a20")
    shade = [
        (x - 22, 194),
        *curve([(x - 30, 214), (x - 70, 246), (x - 96, 272)], 6),
        *curve([(x + 96, 272), (x + 70, 246), (x + 30, 214)], 6),
        (x + 22, 194),
    ]
    c.fill([shade], ("#3f7a78", "#1f4a4c"))
    c.light(
        [stroke(curve([(x - 34, 222), (x - 66, 250), (x - 84, 268)], 6), 6, 9)], "#a0e0d0", alpha=0.4, blur=3
    )
    c.fill([ellipse(x, 272, 96, 14)], "#fff3cc")
    c.glow(x, 280, 190, "#fff3cf", alpha=0.85)


_SPINES = ("#96403a", "#466650", "#bc8a42", "#355272", "#75405a", "#b46a42", "#5c6c50", "#94785a", "#424868")


def library() -> Image.Image:
    """A reading room at night: a tall window, the moon, a green lamp, a cat on the sill."""
    view = Canvas("#07122e@0", "#16305c@0.38", "#4a6c96@0.6", "#4a6c96@1")
    stars(view, 121, count=560, floor=640)
    moon(view, 1318, 262, 62)
    streaks(view, 123, "#7f9cc4", top=340, bottom=480, count=7, alpha=0.3)
    hills(view, 211, 570, 40, ("#274a74", "#3a628c@0.4"), wave=330, rim="#8fb0d8")
    town(view, Random(4), 650, "#172c50", "#0f2142", 56, lit=0.3)
    c = Canvas("#1a1216@0", "#382420@0.5", "#281818@1")
    c.fill([rect(940, -10, 1540, 900)], ("#553830", "#3d2722"))
    panels = [
        stroke([(x, 760), (x + 150, 760), (x + 150, 862), (x, 862), (x, 760)], 5) for x in (975, 1165, 1355)
    ]
    c.fill(panels, "#2a1a18")
    window = arch(1020, 84, 1460, 722)
    c.fill([arch(992, 56, 1488, 740)], ("#a8744e", "#6b4632"))
    c.show(view.image, [window])
    bars = [
        rect(1236, 84, 1244, 722),
        rect(1127, 120, 1132, 722),
        rect(1348, 120, 1353, 722),
        rect(1020, 300, 1460, 307),
        rect(1020, 510, 1460, 517),
    ]
    c.fill([*bars, stroke(ellipse(1240, 304, 112, arc=(180, 360)), 5)], "#241614", within=[window])
    c.fill([stroke(window, 12)], ("#6b4632", "#3a2420"))
    c.fill([rect(970, 716, 1510, 746)], ("#b8825a", "#6b4632"))
    c.light([rect(1020, 716, 1460, 720)], "#b8d0ff", alpha=0.5)
    _shelves(c, 0, 940, dim=0.42)
    _shelves(c, 1540, 1960, dim=0.25)
    c.light([[(1030, 730), (1450, 730), (1300, 1090), (640, 1090)]], "#8ab0ec", alpha=0.14, blur=30)
    cat(c, 1120, 720, 1.18, "#100a10")
    c.light([stroke(curve([(1092, 640), (1086, 670), (1084, 712)], 5), 4)], "#a8c4f4", alpha=0.5, blur=1.5)
    c.fill([rect(-10, 880, 1930, 1100)], ("#845236", "#4e2e24@0.4", "#281716"))
    c.light([rect(-10, 877, 1930, 882)], "#e8a868", alpha=0.6)
    _desk_lamp(c, 1420, 884)
    _open_book(c, 1210, 906)
    return c.finished()


def _shelves(c: Canvas, left: float, right: float, *, dim: float) -> None:
    """Bookshelves over the whole height between two x; `dim` (0 to 1) is how far they lie in the dark."""
    rng = Random(int(left) + 5)
    c.fill([rect(left - 10, -10, right, 900)], "#170e11")
    for row in range(6):
        y = 130.0 + row * 150
        _row_of_books(c, rng, left + 8, right - 24, y, dim)
        c.fill([rect(left - 10, y, right, y + 13)], ("#6b4634", "#2f1c1a"))
        c.fill([rect(left - 10, y + 13, right, y + 40)], "#0a0608", alpha=0.5, blur=6)
    inner = right - 18 if left < 900 else left
    c.fill([rect(inner, -10, inner + 18, 900)], ("#7a5240", "#45291f"))


def _row_of_books(c: Canvas, rng: Random, x: float, end: float, foot: float, dim: float) -> None:
    while x < end:
        wide, tall = rng.uniform(14, 40), rng.uniform(82, 124)
        if rng.random() < 0.06:
            x += wide
            continue
        colour = mix(rng.choice(_SPINES), "#170e11", dim)
        right = min(x + wide, end)
        c.fill([rect(x, foot - tall, right, foot)], (colour, mix(colour, "#0f0808", 0.4)))
        gilt = mix("#f0c878", "#170e11", dim)
        bands = [rect(x + 3, foot - tall + k, right - 3, foot - tall + k + 3) for k in (12, tall - 18)]
        c.fill(bands, gilt, alpha=0.55)
        c.light([rect(x + 1, foot - tall, x + 3, foot)], "#ffe0b0", alpha=0.14 * (1 - dim))
        x += wide + 1.5


def _desk_lamp(c: Canvas, x: float, foot: float) -> None:
    c.glow(x, foot - 140, 700, "#ffcf7a", alpha=0.55, power=2.2)
    c.light([lens(x - 60, foot + 34, 460, 110)], "#ffd68a", alpha=0.5, blur=26)
    c.fill([lens(x + 4, foot + 10, 90, 22)], "#1a0f10", alpha=0.6, blur=5)
    c.fill(
        [ellipse(x, foot, 62, 12), rect(x - 6, foot - 150, x + 6, foot), ellipse(x, foot - 70, 11, 8)],
        ("#f0c878", "#8a6030"),
    )
    dome = curve(
        [
            (x - 114, foot - 150),
            (x - 106, foot - 184),
            (x - 70, foot - 208),
            (x, foot - 216),
            (x + 70, foot - 208),
            (x + 106, foot - 184),
            (x + 114, foot - 150),
        ],
        6,
    )
    c.fill([dome], ("#5cc49a", "#2f8a68", "#186048"))
    c.light([lens(x - 30, foot - 192, 60, 16)], "#d6ffe8", alpha=0.6, blur=4)
    c.fill([lens(x, foot - 150, 114, 14)], "#fff6d4")
    c.fill([rect(x + 30, foot - 148, x + 31.5, foot - 110), ellipse(x + 31, foot - 108, 3.4)], "#f0c878")


def _open_book(c: Canvas, x: float, foot: float) -> None:
    top = curve([(x, foot + 6), (x - 36, foot - 16), (x - 90, foot - 18), (x - 134, foot - 8)], 6)
    low = curve([(x - 158, foot + 40), (x - 104, foot + 28), (x - 46, foot + 30), (x, foot + 54)], 6)
    left = [*top, *low]
    c.fill([lens(x + 6, foot + 46, 200, 44)], "#1a0f10", alpha=0.65, blur=8)
    c.fill([[(px, py + 7) for px, py in left], [(2 * x - px, py + 7) for px, py in left]], "#7a3a34")
    c.fill([left], ("#f6e6c6", "#dcc49e"))
    c.fill([[(2 * x - px, py) for px, py in left]], ("#fff8e0", "#f0deb8"))
    lines = [
        stroke([(x + s * (26 + k), foot + 3 + k * 6.4), (x + s * (118 + k * 3), foot - 5 + k * 7)], 1.8)
        for s in (-1, 1)
        for k in range(5)
    ]
    c.fill(lines, "#8a6a50", alpha=0.55)
    c.fill([stroke([(x, foot + 8), (x, foot + 54)], 3)], "#a88a68")
    c.fill(
        [
            [
                (x + 60, foot + 34),
                (x + 70, foot + 34),
                (x + 74, foot + 84),
                (x + 67, foot + 78),
                (x + 60, foot + 84),
            ]
        ],
        "#c8504a",
    )
