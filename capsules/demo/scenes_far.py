"""Pictures from far away: the desert, the mountain hut, the observatory."""

import math
from random import Random

from PIL import Image

from .beings import caravan, walker
from .land import dusk, hills, mist, peak, sunlit
from .paint import Canvas
from .shapes import Outline, Point, arch, below, curve, ellipse, height_at, lens, raised, rect, ridge, stroke
from .sky import aurora, snowfall, stars, streaks, sun
from .things import cottage, smoke
from .trees import grass, pine, pines

_CREST: tuple[Point, ...] = (
    (-40, 742), (260, 716), (560, 742), (860, 716), (1180, 664), (1420, 676), (1700, 728), (1980, 700),
)  # fmt: skip


def desert() -> Image.Image:
    """A balloon over dunes in the evening, a caravan on a crest below it."""
    c = Canvas("#215a78@0", "#6fa8a0@0.18", "#f0d69c@0.4", "#ffb070@0.54", "#ff9462@0.62", "#ff9462@1")
    streaks(c, 62, "#3f7f8a", top=40, bottom=240, count=7, alpha=0.35)
    sun(c, 975, 552, 88, colour="#fff8dc", halo="#ffd488", reach=10)
    streaks(c, 61, "#fff0d0", top=160, bottom=470, count=11, alpha=0.45)
    mesas = _mesas()
    c.fill(mesas, ("#d88f78", "#eeb08a"))
    hills(c, 141, 610, 24, ("#dd8f6c", "#f3b07e@0.15"), wave=260, octaves=5, rim="#ffe8b8")
    mist(c, 640, "#ffc890", alpha=0.5, thickness=26, seed=3)
    hills(c, 143, 650, 24, ("#cc7458", "#ec9c6c@0.2"), wave=420, rim="#ffe0a8")
    crest = curve(_CREST, 30)
    c.fill([below(crest)], ("#f6ae68", "#dd7f44@0.4", "#b8552f"))
    _lee_side(c, crest)
    sunlit(c, crest, "#ffe6ac", depth=4)
    caravan(c, crest, first=930, count=5, size=0.66)
    low = curve([(-40, 900), (300, 836), (640, 880), (900, 960), (1240, 1010), (1600, 940), (1980, 960)], 30)
    c.fill([below(low)], ("#cf6c40", "#923f34@0.5", "#642a2e"))
    for i in range(10):
        wind = [(x, y + 26 + i * (16 + i) + 5 * math.sin(x / 46 + i * 1.7)) for x, y in low]
        c.fill([stroke(wind, 2 + 0.35 * i)], "#ffb070", alpha=0.15, within=[below(low)])
    sunlit(c, low, "#ffd498", depth=6)
    _balloon(c, 1262, 292, 150)
    _balloon(c, 760, 250, 40)
    _balloon(c, 1610, 400, 24)
    return c.finished()


def _mesas() -> list[Outline]:
    """Table mountains on the horizon."""
    shapes = []
    for x, wide, tall in ((240, 150, 92), (420, 70, 120), (1560, 190, 104), (1790, 90, 70)):
        shapes.append(
            [
                (x - wide * 1.5, 660),
                (x - wide * 0.9, 625 - tall * 0.2),
                (x - wide * 0.75, 615 - tall),
                (x + wide * 0.2, 612 - tall),
                (x + wide * 0.25, 618 - tall * 0.9),
                (x + wide * 0.7, 616 - tall * 0.88),
                (x + wide * 0.9, 625 - tall * 0.2),
                (x + wide * 1.5, 660),
            ]
        )
    return shapes


def _lee_side(c: Canvas, crest: list[Point]) -> None:
    """The shaded side of the great dune, right of the line that winds down from its top."""
    line = [(1180, 664), (1128, 720), (1150, 790), (1070, 880), (1084, 980), (990, 1100)]
    shade = [*curve(line, 20), (2000, 1100), (1980, 700), (1700, 728), (1420, 676)]
    c.fill([shade], ("#b8604a", "#8c3e3a@0.5", "#642b32"), within=[below(crest)])
    c.light([stroke(curve(line, 20), 4, 9)], "#ffd59a", alpha=0.55, blur=2)


def _balloon(c: Canvas, x: float, y: float, r: float) -> None:
    """A striped hot-air balloon, its middle at (x, y), r its greatest half width."""

    def half(t: float) -> float:
        """The half width at a share t of the way down, 0 to 1."""
        return (
            math.sqrt(max(0.0, 1 - (1 - t / 0.44) ** 2))
            if t < 0.44
            else 0.17 + 0.83 * math.cos((t - 0.44) / 0.56 * math.pi / 2) ** 1.15
        )

    def edge(share: float) -> Outline:
        """The seam between two stripes, from crown to mouth; share is -1 to 1 across."""
        return [(x + r * half(i / 30) * share, y - r * 1.05 + i / 30 * r * 2.35) for i in range(31)]

    shares = [math.sin(math.radians(-90 + 180 * i / 12)) for i in range(13)]
    colours = ("#c73f3c", "#fff1d6", "#ea943e", "#fff1d6", "#2f7484", "#fff1d6")
    for i in range(12):
        c.fill([edge(shares[i]) + edge(shares[i + 1])[::-1]], colours[i % 6])
    whole = [edge(-1) + edge(1)[::-1]]
    if r > 60:
        belt = [(px, py) for px, py in edge(-1) if abs(py - y + r * 0.02) < r * 0.1]
        c.fill([belt + [(2 * x - px, py) for px, py in reversed(belt)]], "#23566a", within=whole)
    c.fill(
        [ellipse(x + r * 0.6, y + r * 0.25, r, r * 1.6)], "#6b2440", alpha=0.36, blur=r * 0.22, within=whole
    )
    c.light(
        [ellipse(x - r * 0.45, y - r * 0.42, r * 0.3, r * 0.46)],
        "#fff3d0",
        alpha=0.42,
        blur=r * 0.14,
        within=whole,
    )
    _basket(c, x, y + r * 1.3, r)


def _basket(c: Canvas, x: float, mouth: float, r: float) -> None:
    """The basket with two people under the mouth of a balloon of half width r."""
    c.fill([rect(x - r * 0.17, mouth - r * 0.04, x + r * 0.17, mouth + r * 0.03)], "#7a3a30")
    ropes = [
        stroke([(x + s * r * 0.17, mouth), (x + s * r * 0.13, mouth + r * 0.42)], max(1.2, r * 0.012))
        for s in (-1, -0.4, 0.4, 1)
    ]
    c.fill(ropes, "#5a3430")
    c.fill([ellipse(x + k * r, mouth + r * 0.31, r * 0.032, r * 0.045) for k in (-0.06, 0.05)], "#43241f")
    c.fill(
        [
            rect(x + k * r - r * 0.04, mouth + r * 0.34, x + k * r + r * 0.04, mouth + r * 0.44)
            for k in (-0.06, 0.05)
        ],
        "#2f5d66",
    )
    hull = [
        (x - r * 0.15, mouth + r * 0.4),
        (x + r * 0.15, mouth + r * 0.4),
        (x + r * 0.12, mouth + r * 0.64),
        (x - r * 0.12, mouth + r * 0.64),
    ]
    c.fill([hull], ("#b87a42", "#6b4028"))
    c.fill([rect(x - r * 0.16, mouth + r * 0.39, x + r * 0.16, mouth + r * 0.43)], "#6b3a26")
    c.glow(x, mouth + r * 0.12, r * 0.55, "#ffd070", alpha=0.85)


def hut() -> Image.Image:
    """A mountain hut in the snow, one window lit, northern lights above the peaks."""
    c = Canvas("#040920@0", "#0a1f44@0.3", "#184862@0.52", "#45848a@0.68", "#45848a@1")
    stars(c, 71, count=460, floor=640)
    aurora(c, 27, "#9a5cff", y=250, height=300, tilt=-0.04, alpha=0.55)
    aurora(c, 17, "#4fc8ff", y=330, height=300, tilt=0.05, alpha=0.45)
    aurora(c, 12, "#3ff5a6", y=440, height=380, tilt=-0.07, alpha=0.95)
    _range(c)
    mist(c, 780, "#7cbcbc", alpha=0.6, thickness=56, seed=11)
    back = hills(c, 151, 790, 26, ("#4a7f98", "#6fa5b4@0.3"), wave=460, rim="#a8f0d8")
    c.fill(pines(back, 21, span=(-20, 1000), count=110, size=(26, 110)), ("#1d425a", "#16344c"))
    c.fill(pines(back, 22, span=(1480, 1940), count=60, size=(40, 130)), ("#1d425a", "#16344c"))
    snow = raised(ridge(153, 885, 20, wave=700), 1260, 96, 330)
    c.fill([below(snow)], ("#b4dae2", "#6496b6@0.3", "#2a5480"))
    sunlit(c, snow, "#c8ffe6", depth=5)
    for x, y, wide in ((420, 960, 420), (1640, 980, 320), (900, 1050, 380)):
        c.fill([lens(x, y, wide, 46)], "#8fc0d6", alpha=0.3, blur=20)
    dusk(c, "#1a3f6c")
    foot = height_at(snow, 1250) + 14
    c.glow(1230, foot - 30, 420, "#ffb860", alpha=0.5, power=2.4)
    smoke(c, 1325, foot - 190, "#d9eef0", drift=(-130, -270), size=9, alpha=0.5)
    _cabin(c, 1250, foot)
    trees = (
        (1500, 250, 31),
        (1575, 190, 32),
        (1680, 320, 33),
        (1815, 380, 34),
        (1040, 150, 37),
        (70, 260, 35),
        (170, 180, 36),
    )
    for x, tall, seed in trees:
        _snowy_pine(c, x, height_at(snow, x) + 16, tall, seed)
    _tracks(c, foot)
    snowfall(c, 7, count=280)
    return c.finished()


def _range(c: Canvas) -> None:
    """Two ranks of peaks, the farther ones paler; the lights of the sky tint their left sides."""
    for x, top, width, seed in (
        (480, 560, 330, 11),
        (980, 520, 380, 12),
        (1480, 540, 360, 13),
        (60, 590, 300, 14),
    ):
        peak(c, x, top, 830, width, seed, shade=("#3f7488", "#5a939c"), lit=("#7fb4bc", "#6fa5aa"), side=-1)
    mist(c, 760, "#7cbcbc", alpha=0.4, thickness=50, seed=10)
    for x, top, width, seed in (
        (230, 450, 430, 1),
        (1740, 420, 480, 2),
        (720, 410, 420, 3),
        (1250, 330, 540, 4),
    ):
        peak(c, x, top, 850, width, seed, shade=("#23486a", "#3a6c86"), lit=("#c4e6e6", "#6a9fb0"), side=-1)


def _cabin(c: Canvas, x: float, foot: float) -> None:
    cottage(
        c, x, foot, 112, wall="#6b473c", shade="#48332f", roof="#e4f2f6", window="#ffdc94", chimney="#3a3033"
    )
    logs = [rect(x - 112, foot - k, x - 11, foot - k + 2) for k in range(10, 80, 12)]
    logs += [rect(x - 11, foot - k, x + 112, foot - k + 2) for k in range(10, 80, 12)]
    c.fill(logs, "#2c1d1c", alpha=0.35)
    c.fill([lens(x - 60, foot + 2, 70, 18), lens(x + 60, foot + 4, 90, 22)], "#c4e2ea")
    c.light(
        [[(x - 80, foot + 4), (x - 42, foot + 4), (x + 50, foot + 140), (x - 170, foot + 140)]],
        "#ffc878",
        alpha=0.45,
        blur=14,
    )
    c.light(
        [[(x + 10, foot + 6), (x + 100, foot + 6), (x + 150, foot + 70), (x + 10, foot + 70)]],
        "#ffc878",
        alpha=0.3,
        blur=12,
    )
    icicles = [
        [(x - 4 + i * 9, foot - 76), (x + 2 + i * 9, foot - 76), (x - 1 + i * 9, foot - 76 + 5 + 7 * (i % 3))]
        for i in range(14)
    ]
    c.fill(icicles, "#e4f2f6", alpha=0.9)


def _snowy_pine(c: Canvas, x: float, foot: float, tall: float, seed: int) -> None:
    """A spruce with snow on its boughs."""
    tree = pine(x, foot, tall, seed)
    c.fill([lens(x + tall * 0.1, foot - 2, tall * 0.22, tall * 0.06)], "#2f608a", alpha=0.6, blur=4)
    c.fill(tree, ("#24506a", "#112f46"))
    for tier in tree[1:]:
        (_, top), right, left = tier[0], tier[2], tier[8]
        caps = []
        for tip, share in ((left, 0.94), (right, 0.8)):
            end = (x + (tip[0] - x) * share, tip[1] - tall * 0.012)
            caps.append(
                [
                    (x, top + tall * 0.004),
                    (x + (end[0] - x) * 0.55, top + (end[1] - top) * 0.5),
                    end,
                    (x + (end[0] - x) * 0.4, end[1] - tall * 0.035),
                ]
            )
        c.fill(caps, "#dff1f4", alpha=0.88, within=tree)


def _tracks(c: Canvas, foot: float) -> None:
    prints = []
    for i in range(32):
        t = i / 32
        x, y = 1190 - 200 * t**1.3 + 70 * math.sin(t * 5), foot + 14 + 210 * t**1.25
        prints.append(ellipse(x + (6 + 9 * t) * (1 if i % 2 else -1), y, 3 + 7 * t, 1.6 + 3.4 * t))
    c.fill(prints, "#2f5a80", alpha=0.6)


def observatory() -> Image.Image:
    """An observatory on a ridge under the Milky Way, its dome open."""
    c = Canvas("#050515@0", "#0f1234@0.35", "#2c2a5e@0.58", "#74507c@0.72", "#d08a80@0.81", "#d08a80@1")
    _milky_way(c)
    stars(c, 81, count=900, floor=780)
    for share in (1.0, 0.6, 0.3):
        c.light(
            [stroke([(1700 - 230 * share, 250 - 110 * share), (1700, 250)], 0.4, 3.6)],
            "#ffffff",
            alpha=0.55,
            blur=1,
        )
    c.glow(1700, 250, 26, "#ffffff", alpha=0.95)
    hills(c, 171, 800, 50, ("#4f3e6c", "#966880@0.3"), wave=330, rim="#e0a0a0")
    mist(c, 850, "#d89a94", alpha=0.4, thickness=36, seed=13)
    back = hills(c, 173, 860, 34, ("#322c56", "#443862@0.4"), wave=420, rim="#8a6a90")
    c.fill(pines(back, 24, span=(-20, 900), count=110, size=(18, 80)), "#262046")
    crest = raised(ridge(175, 950, 16, wave=600), 1260, 190, 380)
    c.fill(pines(crest, 25, span=(1480, 1940), count=40, size=(50, 190), sink=16), ("#1f1b3e", "#14122c"))
    c.fill([below(crest)], ("#1d1a3c", "#0b0a1e"))
    sunlit(c, crest, "#9a80ac", depth=4)
    _dome(c, 1260, height_at(crest, 1260) + 14)
    c.fill(grass(crest, 4, count=600, size=(5, 18)), "#14122c")
    walker(c, 1090, height_at(crest, 1090) + 4, 66, coat="#342c54", skin="#0f0e26", scarf="#e06a50")
    return c.finished()


def _milky_way(c: Canvas) -> None:
    """The Milky Way, from the lower left to the upper right, with its dark lane."""
    rng = Random(14)
    bands = (
        ("#4a4fa8", 150, 0.38, 44),
        ("#8f6fb8", 92, 0.4, 30),
        ("#d8a8c0", 48, 0.36, 24),
        ("#fff0dc", 22, 0.36, 16),
    )
    for colour, spread, alpha, blur in bands:
        clouds = []
        for i in range(84):
            t = i / 84
            x, y = 480 + 1300 * t + rng.gauss(0, spread), 880 - 1020 * t + rng.gauss(0, spread * 0.7)
            size = rng.uniform(0.5, 1.2) * (24 + spread * 0.4)
            clouds.append(ellipse(x, y, size, size * 0.75))
        c.light(clouds, colour, alpha=alpha, blur=blur)
    for _ in range(2):
        dust = []
        for i in range(40):
            t = i / 40
            x, y = 540 + 1200 * t + 30 * math.sin(t * 19), 826 - 940 * t + rng.gauss(0, 12)
            dust.append(ellipse(x, y, rng.uniform(12, 50), rng.uniform(5, 15)))
        c.fill(dust, "#15143c", alpha=0.4, blur=10)
    specks = []
    for _ in range(1500):
        t = rng.random()
        specks.append(
            ellipse(
                480 + 1300 * t + rng.gauss(0, 80), 880 - 1020 * t + rng.gauss(0, 74), rng.uniform(0.5, 1.2)
            )
        )
    c.light(specks, "#fff0e0", alpha=0.55)


def _dome(c: Canvas, x: float, foot: float) -> None:
    """The round house with its dome, the slit open on a warm red light and the telescope."""
    wall: Outline = [(x - 118, foot), (x - 118, foot - 96), (x + 118, foot - 96), (x + 118, foot)]
    c.fill([wall], ("#c4b4ca", "#766892"))
    c.fill([rect(x + 10, foot - 96, x + 118, foot)], "#352e5c", alpha=0.5)
    shell = ellipse(x, foot - 100, 134, 142, arc=(180, 360))
    c.fill([shell], ("#ece0ea", "#9a8bae"))
    c.fill(
        [[(x + 8, foot - 242), *ellipse(x, foot - 100, 134, 142, arc=(273, 360)), (x + 44, foot - 100)]],
        "#4a4070",
        alpha=0.5,
        within=[shell],
    )
    ribs = [stroke(ellipse(x, foot - 100, 134 * k, 142, arc=(180, 360)), 2) for k in (0.36, 0.72)]
    c.fill(ribs, "#7a6c94", alpha=0.6, within=[shell])
    _slit(c, x, foot, shell)
    c.fill([rect(x - 140, foot - 108, x + 140, foot - 92)], ("#6a5e8c", "#3a3360"))
    lit = [
        arch(x - 92, foot - 60, x - 60, foot),
        ellipse(x - 26, foot - 56, 10),
        ellipse(x + 62, foot - 56, 10),
    ]
    c.fill(lit, "#ffd79a")
    c.light(lit, "#ffb868", alpha=0.9, blur=10)
    c.light(
        [[(x - 92, foot), (x - 60, foot), (x - 40, foot + 50), (x - 140, foot + 50)]],
        "#ffb868",
        alpha=0.35,
        blur=8,
    )


def _slit(c: Canvas, x: float, foot: float, shell: Outline) -> None:
    """The open slit of the dome with the telescope in it."""
    left = curve([(x + 2, foot - 100), (x + 8, foot - 180), (x + 22, foot - 244)], 6)
    right = curve([(x + 66, foot - 232), (x + 66, foot - 176), (x + 62, foot - 100)], 6)
    slit = [*left, *right]
    c.fill([slit], ("#4a2440", "#ff9a5c"), within=[shell])
    c.fill(
        [
            stroke([(x + 16, foot - 104), (x + 58, foot - 232)], 24, 30),
            stroke([(x + 54, foot - 222), (x + 62, foot - 246)], 38),
        ],
        "#1d1a38",
    )
    c.light([stroke([(x + 8, foot - 108), (x + 46, foot - 228)], 4)], "#ffc090", alpha=0.7)
    c.glow(x + 36, foot - 150, 190, "#ff9a54", alpha=0.45)
    c.fill([stroke(left, 5), stroke(right, 5)], "#5a5080")
