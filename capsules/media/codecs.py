"""How films are encoded, and the `codecs` words that tell a browser beforehand whether it can play one."""

from __future__ import annotations

from pathlib import Path

from capsules.media.facts import Rendition
from capsules.media.probe import probe

# The same threads everywhere: x264 makes other bytes with another number of them.
CLEAN = ["-an", "-sn", "-dn", "-map_metadata", "-1", "-map_chapters", "-1", "-fflags", "+bitexact"]
EXACT = ["-flags:v", "+bitexact"]
BT709 = ["-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]
H264 = ["-c:v", "libx264", "-preset", "medium", "-profile:v", "high", "-pix_fmt", "yuv420p", "-threads", "2"]
MP4 = [*H264, *EXACT, *BT709, *CLEAN, "-movflags", "+faststart", "-f", "mp4"]
SCENE_MP4 = ["-crf", "24", "-g", "60", "-keyint_min", "24", *MP4]
AV1 = ["-c:v", "libsvtav1", "-preset", "8", "-crf", "36", "-g", "120", "-pix_fmt", "yuv420p10le"]
SCENE_WEBM = [*AV1, "-svtav1-params", "lp=2", *EXACT, *BT709, *CLEAN, "-f", "webm"]

WEBM_CODEC_PRIVATE = b"\x63\xa2"


def film_rendition(path: Path, *, role: str = "film") -> Rendition:
    """Describe a film that we made, after looking inside it. Raises MediaRefused if it does not play."""
    film = probe(path)
    format = path.suffix[1:]
    return Rendition(
        role=role,
        format=format,
        media_type=f'video/{format}; codecs="{_codec(path, format)}"',
        path=path,
        width=film.width,
        height=film.height,
        bytes=path.stat().st_size,
        duration=round(film.duration, 3),
    )


def _codec(path: Path, format: str) -> str:
    head = path.open("rb").read(65536)
    return h264_codec(head) if format == "mp4" else av1_codec(head)


def h264_codec(head: bytes) -> str:
    """RFC 6381: "avc1." and the profile, constraint and level bytes of the avcC box."""
    start = head.index(b"avcC") + 5
    return f"avc1.{head[start : start + 3].hex()}"


def av1_codec(head: bytes) -> str:
    """As the AV1 ISO binding says: profile, level, tier and bit depth from the av1C record."""
    start = head.index(WEBM_CODEC_PRIVATE) + 3
    level_byte, tier_byte = head[start + 1], head[start + 2]
    tier = "H" if tier_byte & 0x80 else "M"
    depth = 10 if tier_byte & 0x40 else 8
    return f"av01.{level_byte >> 5}.{level_byte & 0x1F:02}{tier}.{depth:02}"
