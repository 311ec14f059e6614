"""The ambient colour: what a picture fades into, under white text."""

from __future__ import annotations

import math

from PIL import Image

LOWER_PART = 0.35  # of the height: where the fade begins on portrait screens
MAX_LUMINANCE = (
    1.05 / 10 - 0.05
)  # white text then has a contrast of 10:1; 7:1 is promised, darker looks better
MAX_CHROMA = 0.07  # in Oklab: beyond it a surface behind text glares

Triple = tuple[float, float, float]


def ambient(picture: Image.Image) -> str:
    """A dark "#rrggbb" from the lower part of an RGB picture. White on it has a contrast of 7:1 or more."""
    top = round(picture.height * (1 - LOWER_PART))
    band = picture.crop((0, min(top, picture.height - 1), picture.width, picture.height))
    mean = band.resize((1, 1), Image.Resampling.BOX).getpixel((0, 0))
    assert isinstance(mean, tuple)  # noqa: S101 - an RGB picture has tuples; for the type checker
    return "#{:02x}{:02x}{:02x}".format(*_darkened(mean))


def luminance(rgb: tuple[int, ...]) -> float:
    """Relative luminance as WCAG defines it, 0 to 1, of an 8-bit sRGB colour."""
    red, green, blue = (_to_linear(value / 255) for value in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _darkened(rgb: tuple[int, ...]) -> tuple[int, ...]:
    """The same hue, darkened until white text stands out from it, less vivid where it must be. Oklab keeps it."""
    lightness, a, b = _to_oklab(rgb)
    calm = min(1.0, MAX_CHROMA / max(math.hypot(a, b), 1e-9))
    a, b = a * calm, b * calm
    while luminance(darker := _from_oklab((lightness, a, b))) > MAX_LUMINANCE:
        lightness, a, b = lightness * 0.97, a * 0.985, b * 0.985
    return darker


def _to_linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _to_gamma(value: float) -> float:
    value = min(max(value, 0.0), 1.0)
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055


def _to_oklab(rgb: tuple[int, ...]) -> Triple:
    """8-bit sRGB to Oklab (Björn Ottosson, bottosson.github.io/posts/oklab)."""
    red, green, blue = (_to_linear(value / 255) for value in rgb)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _from_oklab(lab: Triple) -> tuple[int, ...]:
    lightness, a, b = lab
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return tuple(round(_to_gamma(value) * 255) for value in linear)
