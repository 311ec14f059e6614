"""Whoever is in a picture: walkers, birds, cats, a stag, camels, whales."""

from random import Random

from .paint import Canvas, Paint
from .shapes import Outline, Point, curve, ellipse, height_at, lens, placed, rect, stroke, turned


def walker(
    c: Canvas,
    x: float,
    foot: float,
    height: float,
    *,
    coat: str,
    skin: str = "#3a2431",
    scarf: str | None = None,
    case: str | None = None,
) -> None:
    """Somebody seen from behind in a long coat, perhaps with a scarf and a suitcase."""

    def put(*outlines: Outline) -> list[Outline]:
        return placed(outlines, x, foot, height)

    c.fill(put(rect(-0.07, -0.22, -0.015, 0), rect(0.02, -0.22, 0.075, 0)), skin)
    left = curve([(-0.17, -0.15), (-0.12, -0.45), (-0.135, -0.7), (-0.06, -0.815)])
    c.fill(put([*left, *[(-px, py) for px, py in reversed(left)]]), coat)
    c.fill(put(stroke([(0.0, -0.45), (0.01, -0.15)], 0.012)), skin, alpha=0.6)
    c.fill(put(ellipse(0, -0.895, 0.068, 0.085), ellipse(0, -0.93, 0.075, 0.06)), skin)
    if scarf:
        tail = stroke(curve([(0.04, -0.8), (0.14, -0.72), (0.2, -0.74), (0.27, -0.66)]), 0.05, 0.04)
        c.fill(put(rect(-0.08, -0.845, 0.08, -0.785), tail), scarf)
    if case:
        grip = stroke([(0.22, -0.24), (0.24, -0.3), (0.31, -0.3), (0.33, -0.24)], 0.02)
        c.fill(put(rect(0.15, -0.24, 0.4, -0.01), grip), case)


def birds(
    c: Canvas, x: float, y: float, seed: int, colour: str, *, count: int = 11, size: float = 17
) -> None:
    """A loose flock about the point, in two unequal arms."""
    rng = Random(seed)
    flock: list[Outline] = []
    for i in range(count):
        side = 1 if i % 2 else -1
        px = x + side * (i // 2 + 0.5) * size * 2.6 + rng.uniform(-14, 14)
        py = y + (i // 2) * size * 0.95 * (1 if side > 0 else 0.6) + rng.uniform(-12, 12)
        bird = turned(_bird(rng.uniform(0.1, 0.62)), rng.uniform(-14, 14))
        flock += placed(bird, px, py, size * rng.uniform(0.8, 1.15))
    c.fill(flock, colour)


def _bird(lift: float) -> list[Outline]:
    """One bird, wings one unit long each."""
    left = [(-1.0, -lift), (-0.45, -lift * 0.95), (0.0, 0.0)]
    right = [(-x, y) for x, y in left]
    return [stroke(left, 0.05, 0.17), stroke(right, 0.05, 0.17), ellipse(0, 0.02, 0.16, 0.07)]


def gulls(c: Canvas, places: list[tuple[float, float, float]], colour: str) -> None:
    """Gulls on the wing at (x, y, size)."""
    wings: list[Outline] = []
    for x, y, size in places:
        left = curve([(-1, -0.12), (-0.5, -0.34), (0, 0)], 6)
        right = curve([(0, 0), (0.5, -0.38), (1.05, -0.2)], 6)
        body = lens(0.03, 0.02, 0.24, 0.16)
        wings += placed([stroke(left, 0.04, 0.16), stroke(right, 0.16, 0.04), body], x, y, size)
    c.fill(wings, colour)


def cat(c: Canvas, x: float, foot: float, scale: float, colour: str) -> None:
    """A sitting cat seen from behind, 100 px tall at scale 1."""
    body = curve([(-31, 0), (-35, -26), (-22, -58), (-13, -78), (13, -78), (22, -58), (35, -26), (31, 0)])
    ears = [[(-24, -92), (-25, -118), (-7, -103)], [(24, -92), (25, -118), (7, -103)]]
    tail = stroke(curve([(26, -4), (58, 2), (74, 28), (60, 52), (48, 56)]), 12, 6)
    c.fill(placed([[*body, (0, 4)], ellipse(0, -89, 25, 20), *ears, tail], x, foot, scale), colour)


def stag(c: Canvas, x: float, foot: float, scale: float, paint: Paint) -> None:
    """A stag that stands facing left, its head turned up, about 170 px tall at scale 1."""
    back = [(-40, -82), (-26, -88), (4, -86), (36, -88), (54, -80), (60, -66)]
    under = [(56, -54), (42, -52), (18, -48), (-10, -46), (-32, -50), (-46, -60), (-50, -74)]
    body = curve([*back, *under, (-40, -82)])
    neck = curve([(-50, -58), (-60, -82), (-66, -106), (-58, -118), (-46, -112), (-36, -96), (-24, -84)])
    muzzle = [(-64, -124), (-78, -116), (-96, -106), (-97, -99), (-84, -99), (-66, -102)]
    head = curve([(-50, -122), *muzzle, (-52, -108), (-50, -122)])
    ear: Outline = curve([(-52, -120), (-42, -134), (-34, -134), (-42, -120)], 4)
    scut: Outline = [(58, -74), (68, -66), (58, -60)]
    paws = ((-38, -34, -42, -40), (-27, -22, -26, -22), (44, 52, 44, 50), (34, 30, 38, 36))
    legs = [_leg(*paw) for paw in paws]
    haunch = ellipse(46, -64, 16, 20)
    parts = [body, neck, head, haunch, ear, scut, *legs, *_antler(-60, 0), *_antler(-53, 1)]
    c.fill(placed(parts, x, foot, scale), paint)


def _leg(hip: float, knee: float, shin: float, hoof: float) -> Outline:
    return stroke(curve([(hip, -62), (knee, -34), (shin, -16), (hoof, 2)]), 13, 4.5)


def _antler(x: float, far: int) -> list[Outline]:
    """One antler with three tines, rooted at x; the far one leans back."""
    lean = 12 * far
    beam = curve([(x, -122), (x - 8 + lean, -140), (x + 2 + lean * 2, -160), (x - 4 + lean * 2.4, -184)], 8)
    tines = [stroke([beam[t], (beam[t][0] - 15, beam[t][1] - 13 - far * 4)], 3, 1) for t in (5, 11, 17)]
    return [stroke(beam, 4.4, 1.4), *tines]


def caravan(c: Canvas, crest: list[Point], *, first: float, count: int, size: float) -> None:
    """Camels that walk left along a crest behind their driver, the first at x `first`."""
    hump = [(-22, -55), (-12, -64), (-4, -77), (4, -78), (12, -64), (24, -57)]
    body = curve([(-36, -46), *hump, (36, -46), (32, -36), (10, -33), (-26, -35), (-36, -46)])
    neck = stroke(curve([(-30, -44), (-46, -38), (-56, -54), (-60, -76)]), 14, 7)
    head = curve([(-56, -80), (-64, -83), (-78, -77), (-77, -72), (-64, -72), (-56, -74), (-56, -80)], 4)
    legs = [
        stroke(curve([(hip, -40), (hip + bend, -20), (hip + bend * 0.4, 2)], 4), 8, 3.4)
        for hip, bend in ((-28, -6), (-18, 5), (20, -4), (29, 6))
    ]
    load = [curve([(-14, -48), (-10, -72), (4, -84), (16, -70), (18, -48)], 5), rect(-18, -60, 20, -46)]
    for i in range(count):
        x = first + i * 148 * size
        y = height_at(crest, x) + 2
        c.fill(placed([body, neck, head, *legs], x, y, size), "#4f2430")
        c.fill(placed(load, x, y, size), ("#b8463c", "#2f6a72", "#d08a3c")[i % 3])
    x = first - 92 * size
    walker(c, x, height_at(crest, x) + 2, 72 * size, coat="#3f2234", skin="#3a1f26", scarf="#2f6a72")


def whale(c: Canvas, x: float, y: float, scale: float, *, back: tuple[str, str], belly: str) -> None:
    """A humpback seen from the side, swimming right, about 780 px long at scale 1."""

    def put(*outlines: Outline) -> list[Outline]:
        return placed(turned(outlines, -5), x, y, scale)

    spine = [(340, 18), (318, -26), (240, -66), (110, -88), (-20, -76), (-150, -36), (-260, 2), (-318, 16)]
    keel = [(-262, 30), (-150, 40), (-20, 66), (110, 92), (220, 84), (310, 50), (340, 18)]
    body = curve([*spine, *keel])
    upper = [(-300, 14), (-352, -10), (-410, -52), (-436, -48), (-408, 2), (-372, 20)]
    flukes = curve([*upper, (-400, 44), (-420, 76), (-392, 78), (-340, 40), (-296, 24)])
    fin = curve([(-50, -60), (-84, -92), (-116, -94), (-112, -76), (-120, -40)])
    far = curve([(150, 66), (170, 110), (160, 150), (140, 156), (110, 70)])
    c.fill(put(flukes, fin, far), back)
    c.fill(put(body), back)
    throat = curve([(334, 26), (240, 38), (120, 46), (0, 54), (-120, 42), *keel[2:5], (310, 50), (334, 26)])
    c.fill(put(throat), belly, alpha=0.85)
    pleats = [
        stroke(curve([(326 - 6 * i, 34 + 7 * i), (220, 46 + 8 * i), (60 + 10 * i, 58 + 6 * i)]), 2.2)
        for i in range(5)
    ]
    c.fill(put(*pleats), back[1], alpha=0.55)
    flipper = curve([(120, 62), (96, 120), (40, 176), (-8, 196), (-4, 180), (40, 120), (70, 60)])
    c.fill(put(flipper), (back[0], belly, belly))
    c.fill(put(ellipse(236, 18, 6, 5)), "#081c2c")
    c.fill(put(stroke(curve([(338, 16), (280, 26), (232, 36)]), 3)), back[1])
    gleam = curve([(300, -30), (180, -70), (60, -80), (-100, -46), (60, -66), (180, -56), (300, -20)])
    c.light(put(gleam), "#dffcff", alpha=0.5, blur=5 * scale + 1)


def shoal(
    c: Canvas,
    x: float,
    y: float,
    colour: str,
    seed: int,
    *,
    count: int,
    flip: bool = False,
    size: float = 1.0,
) -> None:
    """Small fish, all heading right, or left when flipped."""
    rng = Random(seed)
    shape = curve([(-10, 0), (0, -4.4), (11, 0), (0, 4.4), (-10, 0)], 5)
    fish: list[Outline] = []
    for _ in range(count):
        tilted = turned([shape, [(-8, 0), (-16, -5), (-16, 5)]], rng.uniform(-9, 9))
        spot = (x + rng.gauss(0, 100) * size, y + rng.gauss(0, 38) * size)
        fish += placed(tilted, *spot, rng.uniform(0.7, 1.3) * size, flip=flip)
    c.fill(fish, colour, alpha=0.92)
