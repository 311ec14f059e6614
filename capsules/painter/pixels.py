"""Pictures as pixels: reading them safely and upright in sRGB, cropping around a point, writing them small.

Runs only in the painter's own process, with limits on memory and time: decoders of foreign files live here.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, ImageCms, ImageOps

from capsules.painter.crops import MAX_RATIO, MIN_SIDE, Size

FORMATS = {
    "image/jpeg": "JPEG",
    "image/png": "PNG",
    "image/webp": "WEBP",
    "image/avif": "AVIF",
    "image/heic": "HEIF",
    "image/gif": "GIF",
}
MOVING = ("image/png", "image/webp", "image/avif", "image/gif")  # a JPEG or HEIC may hold several stills
MAX_PIXELS = 50_000_000
ORIENTATION = 0x0112  # EXIF
SIDEWAYS = (5, 6, 7, 8)
PAPER = (255, 255, 255)  # behind what was transparent

UNREADABLE = "This picture is damaged or incomplete. Please export it again and upload the new file."
TOO_LARGE = "This picture has too many pixels. The most we take is 50 megapixels."
TOO_SMALL = f"This picture is too small. Each side needs at least {MIN_SIDE} pixels."
TOO_NARROW = f"This picture is too narrow. The long side may be at most {MAX_RATIO} times the short one."

SAVE_AS: dict[str, dict[str, object]] = {
    "avif": {"quality": 58, "speed": 8, "max_threads": 2},
    "webp": {"quality": 76, "method": 4},
    "jpeg": {"quality": 78, "progressive": True, "optimize": True},
}

Image.MAX_IMAGE_PIXELS = MAX_PIXELS


class Refused(Exception):
    """A picture that we do not take. `str(error)` is one sentence for its author."""


@contextmanager
def reading() -> Iterator[None]:
    """Whatever a decoder makes of hostile bytes becomes Refused; a lack of memory stays one."""
    try:
        yield
    except (MemoryError, Refused):
        raise
    except Image.DecompressionBombError as error:
        raise Refused(TOO_LARGE) from error
    except Exception as error:  # Pillow's readers let many kinds escape
        raise Refused(UNREADABLE) from error


def measure(source: Path, media_type: str) -> tuple[Size, bool]:
    """Width and height, turned upright, of a picture that decodes to its end; whether it moves. Raises Refused."""
    with reading():
        picture = _open(source, media_type)
        size = picture.size
        moves = media_type in MOVING and getattr(picture, "is_animated", False)
        _draft(picture, cover=(1, 1))
        picture.load()
        turned = picture.getexif().get(ORIENTATION, 1) in SIDEWAYS
    return (size[1], size[0]) if turned else size, moves


def read_picture(source: Path, media_type: str, cover: Size) -> Image.Image:
    """The first frame: upright, RGB in sRGB, opaque, without metadata. Raises Refused.

    It is shrunk as far as it still fills `cover` (width, height).
    """
    with reading():
        picture = _open(source, media_type)
        _draft(picture, cover)
        picture.load()
        return _clean(ImageOps.exif_transpose(picture), cover)


def shrink_to_cover(size: Size, cover: Size) -> Size:
    """`size` scaled down, in proportion, to the smallest that still fills `cover`. Never enlarged."""
    scale = min(1.0, max(cover[0] / size[0], cover[1] / size[1]))
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def widths(available: float, steps: Sequence[int]) -> list[int]:
    """The widths to make of a picture `available` pixels wide: the steps that need no enlarging, and its own
    where the largest of them would lose more than a tenth of it.
    """
    fitting = [step for step in steps if step <= available]
    own = min(math.floor(available), steps[-1])
    if not fitting or own > fitting[-1] * 11 / 10:
        fitting.append(own)
    return fitting


def save_picture(picture: Image.Image, path: Path, format: str) -> None:
    picture.save(path, format.upper(), **SAVE_AS[format])


def _open(source: Path, media_type: str) -> Image.Image:
    """Read the header only, as the one format the file was sniffed as."""
    if media_type == "image/heic":
        from pillow_heif import register_heif_opener  # late: no other picture needs its libraries

        register_heif_opener(decode_threads=2)
    picture = Image.open(source, formats=[FORMATS[media_type]])
    # Up to twice MAX_PIXELS Pillow only warns, and its warnings are not for threads to turn into errors.
    if picture.width * picture.height > MAX_PIXELS:
        raise Refused(TOO_LARGE)
    if min(picture.size) < MIN_SIDE:
        raise Refused(TOO_SMALL)
    if max(picture.size) > MAX_RATIO * min(picture.size):
        raise Refused(TOO_NARROW)
    return picture


def _draft(picture: Image.Image, cover: Size) -> None:
    """Let the JPEG decoder itself shrink by 2, 4 or 8 where enough is left: quicker, and less memory."""
    long_side = max(cover)
    smallest = min(picture.size)
    if picture.format in ("JPEG", "MPO") and smallest > long_side:
        scale = long_side / smallest
        picture.draft(None, (round(picture.width * scale), round(picture.height * scale)))


def _clean(picture: Image.Image, cover: Size) -> Image.Image:
    profile = picture.info.get("icc_profile")
    picture = _eight_bit(picture)
    picture.info.clear()
    size = shrink_to_cover(picture.size, cover)
    if size != picture.size:
        picture = picture.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
    if picture.mode != "RGBA":
        return _to_srgb(picture, profile)
    opaque = Image.new("RGB", picture.size, PAPER)
    opaque.paste(_to_srgb(picture.convert("RGB"), profile), mask=picture.getchannel("A"))
    return opaque


def _eight_bit(picture: Image.Image) -> Image.Image:
    """L, RGB, RGBA or CMYK, 8 bits a channel."""
    if picture.mode.startswith("I"):  # 16-bit grey; `convert` would clip it at 255
        return picture.convert("I").point(lambda value: value / 256).convert("L")
    if picture.has_transparency_data:
        return picture.convert("RGBA")
    return picture if picture.mode in ("L", "RGB", "CMYK") else picture.convert("RGB")


def _to_srgb(picture: Image.Image, profile: bytes | None) -> Image.Image:
    """RGB in sRGB. A profile that is broken or does not fit the pixels is passed over, as browsers do."""
    if profile:
        try:
            converted = ImageCms.profileToProfile(
                picture, io.BytesIO(profile), ImageCms.createProfile("sRGB"), outputMode="RGB"
            )
        except (ImageCms.PyCMSError, OSError, ValueError):
            converted = None
        if converted is not None:
            converted.info.clear()
            return converted
    return picture.convert("RGB")
