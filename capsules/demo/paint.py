"""A small paint box over Pillow: antialiased shapes, gradients without bands, glows."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from random import Random

from PIL import Image, ImageChops, ImageColor, ImageDraw, ImageFilter, ImageMath

from .shapes import HEIGHT, WIDTH, Shapes

Paint = str | Sequence[str]  # one colour, or the colours of a gradient from the top down
Box = tuple[int, int, int, int]
SIZE = (WIDTH, HEIGHT)
_SAMPLES = 64  # a gradient is mixed at this many places and smoothed in between
_TILE = 128  # gradients are dithered in a strip this wide, which is then repeated


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255, of a colour such as #ffa040."""
    red, green, blue = ImageColor.getrgb(colour)[:3]
    return red, green, blue


def mix(first: str, second: str, share: float) -> str:
    """The colour that lies `share` (0 to 1) of the way from the first to the second."""
    return "#" + "".join(
        f"{round(a + (b - a) * share):02x}" for a, b in zip(rgb(first), rgb(second), strict=True)
    )


@cache
def _noise(seed: int, width: int = 512, height: int = 512) -> Image.Image:
    """White noise, the same on every machine (Pillow's own effect_noise is not)."""
    return Image.frombytes("L", (width, height), Random(seed).randbytes(width * height))


def _tiled(tile: Image.Image, size: tuple[int, int]) -> Image.Image:
    whole = Image.new(tile.mode, size)
    for y in range(0, size[1], tile.height):
        for x in range(0, size[0], tile.width):
            whole.paste(tile, (x, y))
    return whole


def _dithered(smooth: Image.Image) -> Image.Image:
    """A picture of floats (0 to 255) in 8 bits, rounded at random so that no band shows."""
    noise = _tiled(_noise(1), smooth.size)
    return ImageMath.lambda_eval(
        lambda args: args["convert"](args["smooth"] + args["float"](args["noise"]) / 256.0, "L"),
        smooth=smooth,
        noise=noise,
    )


def gradient(size: tuple[int, int], colours: Sequence[str]) -> Image.Image:
    """Colours at equal distances from top to bottom, RGB. `colour@0.4` puts one at a place of its own."""
    width, height = size
    strip = (min(width, _TILE), height)
    channels = []
    for channel in zip(*_samples(colours), strict=True):
        column = Image.new("F", (1, _SAMPLES))
        column.putdata(channel)
        smooth = column.resize((1, height), Image.Resampling.BICUBIC).resize(strip, Image.Resampling.NEAREST)
        channels.append(_dithered(smooth))
    return _tiled(Image.merge("RGB", channels), size)


def _samples(colours: Sequence[str]) -> list[tuple[float, float, float]]:
    stops = []
    for i, colour in enumerate(colours):
        name, _, place = colour.partition("@")
        stops.append((float(place) if place else i / max(1, len(colours) - 1), rgb(name)))
    return [_colour_at(stops, i / (_SAMPLES - 1)) for i in range(_SAMPLES)]


def _colour_at(stops: list[tuple[float, tuple[int, int, int]]], t: float) -> tuple[float, float, float]:
    for (start, first), (end, second) in pairwise(stops):
        if t <= end:
            share = min(1.0, max(0.0, (t - start) / (end - start)))
            red, green, blue = (a + (b - a) * share for a, b in zip(first, second, strict=True))
            return red, green, blue
    red, green, blue = stops[-1][1]
    return red, green, blue


@cache
def _falloff(power: float) -> Image.Image:
    """A round light, 256 px wide, floats: 255 in the middle, 0 at the rim and outside."""
    inside = Image.radial_gradient("L").point([255 * max(0, 1 - d / 180) ** power for d in range(256)])
    return inside.convert("F")


class Canvas:
    """A picture in the making. Later strokes cover earlier ones."""

    def __init__(self, *sky: str) -> None:
        self.image = gradient(SIZE, sky)

    def fill(
        self,
        outlines: Shapes,
        paint: Paint,
        *,
        alpha: float = 1.0,
        blur: float = 0.0,
        within: Shapes | None = None,
    ) -> None:
        """Paint the outlines together; a gradient spans their common height. `within` clips them."""
        covered = _mask(outlines, blur, alpha, within)
        if covered is None:
            return
        mask, box = covered
        if isinstance(paint, str):
            self.image.paste(rgb(paint), box, mask)
            return
        top, bottom = _vertical_reach(outlines, blur)
        colours = gradient((mask.width, max(1, bottom - top)), paint)
        self.image.paste(colours.crop((0, box[1] - top, mask.width, box[3] - top)), box, mask)

    def light(
        self,
        outlines: Shapes,
        colour: str,
        *,
        alpha: float = 1.0,
        blur: float = 0.0,
        within: Shapes | None = None,
        fade: tuple[float, float] | None = None,
    ) -> None:
        """Add light in the shape of the outlines; `fade` is the x of its full strength and of its end."""
        covered = _mask(outlines, blur, alpha, within)
        if covered is None:
            return
        mask, box = covered
        if fade is not None:
            mask = ImageChops.multiply(mask, _ramp(box, *fade))
        self._screen(mask, box, colour)

    def glow(
        self,
        x: float,
        y: float,
        radius: float,
        colour: str,
        *,
        alpha: float = 1.0,
        power: float = 2.0,
    ) -> None:
        """Add a round light that fades outwards; a greater power gathers it in the middle."""
        reach = int(radius)
        left, top = int(x) - reach, int(y) - reach
        box = _clipped((left, top, left + 2 * reach, top + 2 * reach))
        if box is None:
            return
        zoom = 128 / reach
        part = ((box[0] - left) * zoom, (box[1] - top) * zoom, (box[2] - left) * zoom, (box[3] - top) * zoom)
        size = (box[2] - box[0], box[3] - box[1])
        smooth = _falloff(power).resize(size, Image.Resampling.BICUBIC, box=part)
        mask = _dithered(smooth.point(lambda v: v * alpha + 0))
        self._screen(mask, box, colour)

    def show(self, picture: Image.Image, outlines: Shapes) -> None:
        """Let another picture of the same size be seen through the outlines, as through a window."""
        covered = _mask(outlines, 0, 1, None)
        if covered is not None:
            mask, box = covered
            self.image.paste(picture.crop(box), box, mask)

    def _screen(self, mask: Image.Image, box: Box, colour: str) -> None:
        tinted = Image.merge("RGB", [mask.point([v * c // 255 for v in range(256)]) for c in rgb(colour)])
        self.image.paste(ImageChops.screen(self.image.crop(box), tinted), box)

    def finished(self, *, grain: int = 5) -> Image.Image:
        """The picture with a breath of paper and grain, which also hides what bands are left."""
        paper, fine = _paper(), _grain(grain)
        textured = ImageChops.add(self.image, paper, 1, -6)
        return ImageChops.add(textured, fine, 1, -(grain // 2))


@cache
def _paper() -> Image.Image:
    """Slow, faint unevenness, as of gouache: 0 to 12, mean about 6, RGB."""
    coarse = _noise(2, 160, 90).filter(ImageFilter.GaussianBlur(2.2))
    levels = [min(12, max(0, round(6 + (v - 127) * 0.07))) for v in range(256)]
    wide = coarse.resize(SIZE, Image.Resampling.BICUBIC).point(levels)
    return Image.merge("RGB", [wide] * 3)


@cache
def _grain(amount: int) -> Image.Image:
    """Fine noise of `amount` levels, RGB, the same in each channel."""
    fine = _tiled(_noise(3, 640, 540), SIZE).point([v * amount // 256 for v in range(256)])
    return Image.merge("RGB", [fine] * 3)


def _ramp(box: Box, full: float, end: float) -> Image.Image:
    """Light that falls off from one x to another, L, of the box's size."""
    shares = [min(1.0, max(0.0, (end - x) / (end - full))) for x in range(box[0], box[2])]
    row = Image.frombytes("L", (len(shares), 1), bytes(round(255 * share**1.1) for share in shares))
    return row.resize((box[2] - box[0], box[3] - box[1]), Image.Resampling.NEAREST)


def _vertical_reach(outlines: Shapes, blur: float) -> tuple[int, int]:
    """The first and the last row that the outlines, blurred, can reach."""
    heights = [y for outline in outlines for _, y in outline]
    pad = _pad(blur)
    return int(min(heights) - pad) - 1, int(max(heights) + pad) + 1


def _pad(blur: float) -> float:
    return blur * 2.5 + 2


def _clipped(box: tuple[float, float, float, float]) -> Box | None:
    left, top = max(0, int(box[0])), max(0, int(box[1]))
    right, bottom = min(WIDTH, int(box[2])), min(HEIGHT, int(box[3]))
    return (left, top, right, bottom) if left < right and top < bottom else None


def _mask(
    outlines: Shapes, blur: float, alpha: float, within: Shapes | None
) -> tuple[Image.Image, Box] | None:
    """What the outlines cover, L, with the box it lies in; None when nothing can be seen."""
    xs = [x for outline in outlines for x, _ in outline]
    ys = [y for outline in outlines for _, y in outline]
    pad = _pad(blur)
    box = _clipped((min(xs) - pad, min(ys) - pad, max(xs) + pad, max(ys) + pad)) if xs else None
    if box is None:
        return None
    mask = _covered(outlines, box, blur)
    if within is not None:
        mask = ImageChops.multiply(mask, _covered(within, box, 0))
    if alpha < 1:
        mask = mask.point([round(v * alpha) for v in range(256)])
    return mask, box


def _covered(outlines: Shapes, box: Box, blur: float) -> Image.Image:
    width, height = box[2] - box[0], box[3] - box[1]
    scale = _resolution(width * height, blur)
    margin = blur * 2.5 * scale if blur else 0  # a blur must see what lies beyond the picture's edge
    edge = int(margin) + 1 if blur else 0
    drawn = Image.new("L", (round(width * scale) + 2 * edge, round(height * scale) + 2 * edge))
    pen = ImageDraw.Draw(drawn)
    for outline in outlines:
        if len(outline) > 2:
            pen.polygon(
                [((x - box[0]) * scale + edge, (y - box[1]) * scale + edge) for x, y in outline], fill=255
            )
    if blur:
        drawn = drawn.filter(ImageFilter.GaussianBlur(blur * scale))
        drawn = drawn.crop((edge, edge, drawn.width - edge, drawn.height - edge))
    if scale > 1:
        return drawn.reduce(int(scale))
    return drawn if scale == 1 else drawn.resize((width, height), Image.Resampling.BICUBIC)


def _resolution(area: int, blur: float) -> float:
    """Pixels drawn for each pixel shown: sharp small shapes get many, blurred ones few."""
    if blur >= 24:
        return 0.125
    if blur >= 6:
        return 0.25
    if blur:
        return 1
    return 4 if area < 250_000 else 3 if area < 700_000 else 2
