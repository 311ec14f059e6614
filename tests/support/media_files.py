"""Sample pictures and films, good and hostile, all made by code; and ways to look at what became of them."""

from __future__ import annotations

import struct
import subprocess
import zlib
from pathlib import Path

from PIL import Image, ImageCms, ImageDraw

from capsules.media import Rendition
from capsules.media.ffmpeg import binary

GPS_TAG = 0x8825
ORIENTATION_TAG = 0x0112


def picture(width: int = 320, height: int = 200) -> Image.Image:
    """A red left half, a blue right half, a green top stripe: enough to see turns and crops."""
    image = Image.new("RGB", (width, height), (200, 30, 30))
    draw = ImageDraw.Draw(image)
    draw.rectangle((width // 2, 0, width, height), fill=(30, 30, 200))
    draw.rectangle((0, 0, width, height // 8), fill=(30, 160, 30))
    return image


def photo(width: int, height: int) -> Image.Image:
    """Soft clouds: as hard to encode as a photograph."""
    clouds = [Image.effect_noise((width // 8, height // 8), 90) for _ in range(3)]
    return Image.merge("RGB", [cloud.resize((width, height), Image.Resampling.BICUBIC) for cloud in clouds])


def saved(folder: Path, name: str, image: Image.Image | None = None, **options: object) -> Path:
    path = folder / name
    (image or picture()).save(path, **options)
    return path


def rotated_jpeg_with_gps(folder: Path) -> Path:
    """Stored lying, 320 x 200, shown standing, 200 x 320; it tells where it was taken."""
    exif = Image.Exif()
    exif[ORIENTATION_TAG] = 6
    exif.get_ifd(GPS_TAG).update({1: "N", 2: (57.0, 41.0, 0.0), 3: "E", 4: (11.0, 58.0, 0.0)})
    exif[0x010E] = "SECRET PLACE"
    return saved(folder, "turned.jpg", exif=exif, comment=b"SECRET PLACE")


def swapped_profile_png(folder: Path) -> Path:
    """Its profile has red and blue exchanged, so who ignores it shows the wrong colours for all to see."""
    return saved(folder, "profile.png", icc_profile=_swapped_profile())


def _swapped_profile() -> bytes:
    """sRGB's own ICC profile, with the places of its red and its blue colorant exchanged in the tag table."""
    data = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    count = struct.unpack(">I", data[128:132])[0]
    starts = {bytes(data[start : start + 4]): start for start in range(132, 132 + 12 * count, 12)}
    red, blue = (slice(starts[name] + 4, starts[name] + 12) for name in (b"rXYZ", b"bXYZ"))
    data[red], data[blue] = data[blue], data[red]
    return bytes(data)


def png_chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png_bomb(folder: Path, width: int = 50_000, height: int = 50_000) -> Path:
    """A few kilobytes that promise to unpack to gigabytes of white."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packer = zlib.compressobj(9)
    body = b"".join(packer.compress(b"\0" * (1 << 20)) for _ in range(4)) + packer.flush()
    path = folder / "bomb.png"
    chunks = png_chunk(b"IHDR", header) + png_chunk(b"IDAT", body) + png_chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)
    return path


def cut(source: Path, share: float = 0.6) -> Path:
    """The same file, broken off after `share` of its bytes."""
    path = source.with_name(f"cut-{source.name}")
    data = source.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return path


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def film(
    folder: Path, name: str = "clip.mp4", *, size: str = "160x90", rate: int = 25, seconds: float = 1
) -> Path:
    """A moving test picture with a tone, as cameras make them."""
    sources = f"-f lavfi -i testsrc2=s={size}:r={rate}:d={seconds} -f lavfi -i sine=d={seconds}"
    codec = (
        "libvpx-vp9 -deadline realtime -cpu-used 8" if name.endswith("webm") else "libx264 -preset ultrafast"
    )
    return ffmpeg(folder / name, f"{sources} -c:v {codec} -pix_fmt yuv420p")


def ffmpeg(target: Path, arguments: str, source: Path | None = None) -> Path:
    """Run ffmpeg with `arguments`, `SOURCE` among them standing for the path of another file."""
    words = [str(source) if word == "SOURCE" else word for word in arguments.split()]
    subprocess.run([binary(), "-v", "error", "-y", *words, str(target)], check=True, timeout=60)
    return target


def hdr_film(folder: Path, plain: Path, transfer: str) -> Path:
    """The same film in ten bits and BT.2020, as phones record it; `transfer` is smpte2084 or arib-std-b67."""
    to_light = (
        "setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709,zscale=t=linear:npl=203"
    )
    to_hdr = f"format=gbrpf32le,zscale=p=bt2020:t={transfer}:m=bt2020nc:r=tv:npl=203,format=yuv420p10le"
    marks = f"-color_primaries bt2020 -color_trc {transfer} -colorspace bt2020nc -color_range tv"
    encoder = "-c:v libx265 -preset ultrafast -crf 10 -x265-params log-level=0"
    return ffmpeg(folder / "hdr.mp4", f"-i SOURCE -an -vf {to_light},{to_hdr} {encoder} {marks}", plain)


def rotated_film(folder: Path) -> Path:
    """Stored 160 x 90, shown 90 x 160."""
    return ffmpeg(folder / "turned.mp4", "-display_rotation 90 -i SOURCE -c copy", film(folder))


def sound_only(folder: Path) -> Path:
    return ffmpeg(folder / "sound.mp4", "-f lavfi -i sine=d=1 -c:a aac")


def ignore(percent: int) -> None:
    """A progress function for tests that do not look at it."""


def opened(rendition: Rendition) -> Image.Image:
    image = Image.open(rendition.path)
    image.load()
    return image


def frame_of(source: Path, folder: Path, at: float = 0) -> Image.Image:
    """One frame of a film, as a browser would show it."""
    return Image.open(ffmpeg(folder / "frame.png", f"-ss {at} -i SOURCE -frames:v 1", source)).convert("RGB")


def ffmpeg_sees(film: Path) -> str:
    command = [binary(), "-hide_banner", "-i", str(film)]
    return subprocess.run(command, capture_output=True, text=True, timeout=30).stderr
