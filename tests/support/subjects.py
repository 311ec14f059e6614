"""Pictures of a subject that is well off the middle, with the box that it stands in: what a focus is measured by."""

from __future__ import annotations

import random
from collections.abc import Iterator

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from capsules.demo import pictures

Box = tuple[float, float, float, float]  # left, top, right, bottom, as fractions
SIZE = (480, 320)
#: Where the middle of a subject stands; none of its boxes reaches the middle of the picture.
PLACES = [
    (0.18, 0.22),
    (0.82, 0.22),
    (0.18, 0.78),
    (0.82, 0.78),
    (0.5, 0.16),
    (0.5, 0.84),
    (0.14, 0.5),
    (0.86, 0.5),
]
WIDE, HIGH = 0.11, 0.15  # half of a subject's box
INKS = ["#f4d35e", "#1d2f4e", "#c8553d", "#e9edf2"]
GROUNDS = ["#5d7387", "#c3b9a4", "#39463c", "#8f9aa5"]
#: What a demo picture is about, where that is one thing with little beside it: measured with a ruler.
BOXES: dict[str, Box] = {
    "lighthouse": (0.6, 0.14, 0.8, 0.7),
    "crossing": (0.56, 0.4, 0.74, 0.6),
    "autumn": (0.59, 0.5, 0.72, 0.76),
    "hill-house": (0.58, 0.31, 0.82, 0.69),
    "glasshouse": (0.38, 0.2, 0.92, 0.78),
    "undersea": (0.4, 0.25, 0.86, 0.66),
    "observatory": (0.56, 0.47, 0.74, 0.74),
    "hut": (0.56, 0.55, 0.74, 0.8),
}
SHARE = 0.62  # of a picture's sides that a crop has


def drawn() -> Iterator[tuple[str, Image.Image, Box]]:
    """48 pictures: two subjects at each place on a plain ground, on a softly noisy one and under a sky."""
    for kind, ground in enumerate((plain, noisy, landscape)):
        for number, (x, y) in enumerate(PLACES * 2):
            chance = random.Random(100 * kind + number)
            picture = ground(GROUNDS[(number + kind) % 4], chance)
            box = (x - WIDE, y - HIGH, x + WIDE, y + HIGH)
            put_subject(picture, box, INKS[number % 4], chance)
            yield f"{ground.__name__} {number}", picture, box


def placed(picture: Image.Image, box: Box) -> Iterator[tuple[Image.Image, Box]]:
    """Crops of a picture that have its subject whole and well off their middle, so far as there are any."""
    for towards_x in (0.0, 0.5, 1.0):
        for towards_y in (0.0, 0.5, 1.0):
            left = crop_start(box[0], box[2], towards_x)
            top = crop_start(box[1], box[3], towards_y)
            found = tuple(
                (side - start) / SHARE for side, start in zip(box, (left, top, left, top), strict=True)
            )
            if min(found) >= 0 and max(found) <= 1 and not is_inside((0.5, 0.5), found):
                sides = (left, top, left + SHARE, top + SHARE)
                cut = tuple(
                    round(side * length) for side, length in zip(sides, picture.size * 2, strict=True)
                )
                yield picture.crop(cut), found


def crop_start(low: float, high: float, towards: float) -> float:
    """Where a crop begins that has low to high near its end (0), in its middle or near its beginning (1)."""
    margin = 0.04
    least, most = max(0.0, high + margin - SHARE), min(1 - SHARE, max(0.0, low - margin))
    return least + (most - least) * towards


def of_the_demo() -> Iterator[tuple[str, Image.Image, Box]]:
    for name, box in BOXES.items():
        picture = Image.open(pictures.file_of(name)).convert("RGB")
        for number, (crop, found) in enumerate(placed(picture, box)):
            yield f"{name} {number}", crop, found


def is_inside(point: tuple[float, float], box: Box) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


# --- Drawing -------------------------------------------------------------------------------------------------------


def plain(colour: str, chance: random.Random) -> Image.Image:
    return Image.new("RGB", SIZE, colour)


def noisy(colour: str, chance: random.Random) -> Image.Image:
    """Soft clouds of grey over the colour, and a fine grain."""
    picture = Image.new("RGB", SIZE, colour)
    for width, strength, softness in ((12, 36, 20), (SIZE[0], 24, 1)):
        height = width * SIZE[1] // SIZE[0]
        noise = Image.frombytes("L", (width, height), chance.randbytes(width * height))
        cloud = noise.resize(SIZE, Image.Resampling.BICUBIC).filter(ImageFilter.GaussianBlur(softness))
        grey = cloud.point(lambda value: value * strength // 255)  # noqa: B023
        picture = ImageChops.add(picture, Image.merge("RGB", [grey] * 3), 1, -strength // 2)
    return picture


def landscape(colour: str, chance: random.Random) -> Image.Image:
    """Sky, which grows lighter toward an even ground."""
    sky = Image.linear_gradient("L").resize(SIZE)
    picture = Image.composite(Image.new("RGB", SIZE, "#dfe7ee"), Image.new("RGB", SIZE, "#6d8fb3"), sky)
    top = round(SIZE[1] * 0.62)
    picture.paste(Image.new("RGB", (SIZE[0], SIZE[1] - top), colour), (0, top))
    return picture.filter(ImageFilter.GaussianBlur(1.5))


def put_subject(picture: Image.Image, box: Box, ink: str, chance: random.Random) -> None:
    """Something round with a texture of its own, which fills the box."""
    left, top, right, bottom = (round(side * length) for side, length in zip(box, SIZE * 2, strict=True))
    size = (right - left, bottom - top)
    texture = Image.new("RGB", size, ink)
    draw = ImageDraw.Draw(texture)
    other = chance.choice(["#20242c", "#fdf6e3"]) if ink != "#1d2f4e" else "#e8c9a0"
    for _ in range(40):
        x, y, wide = chance.randrange(size[0]), chance.randrange(size[1]), chance.randrange(2, 13)
        draw.ellipse((x, y, x + wide, y + wide), fill=other)
    mask = Image.new("L", size, 0)
    ImageDraw.Draw(mask).ellipse((0, 0, size[0] - 1, size[1] - 1), fill=255)
    picture.paste(texture.filter(ImageFilter.GaussianBlur(1)), (left, top), mask)
