"""How films are encoded, and the `codecs` words that tell a browser beforehand whether it can play one."""

from __future__ import annotations

from pathlib import Path

from capsules.media.child import Pulse
from capsules.media.errors import EncodeFailed, MediaRefused
from capsules.media.facts import Rendition
from capsules.media.probe import probe

PICTURES_ONLY = ["-an", "-sn", "-dn", "-map_metadata", "-1", "-map_chapters", "-1"]
BT709 = ["-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]
CLEAN = [*PICTURES_ONLY, *BT709, "-fflags", "+bitexact", "-flags:v", "+bitexact"]

# One thread: with two, x264 was once seen to make other bytes on a busy machine.
H264 = ["-profile:v", "high", "-pix_fmt", "yuv420p", "-threads", "1"]
MP4 = [*H264, *CLEAN, "-movflags", "+faststart", "-f", "mp4"]
WEBM = ["-g", "120", "-pix_fmt", "yuv420p10le", "-svtav1-params", "lp=2", *CLEAN, "-f", "webm"]
SEEKABLE = ["-g", "60", "-keyint_min", "24"]

# However grainy the source, twelve seconds then stay under 12 MB, which a phone loads while it shows them.
CALM = ["-maxrate", "7M", "-bufsize", "7M"]
FILM_MP4 = ["-c:v", "libx264", "-preset", "medium", "-crf", "24", *CALM, *SEEKABLE, *MP4]
FILM_WEBM = ["-c:v", "libsvtav1", "-preset", "8", "-crf", "36", *CALM, *WEBM]
# Camera moves are easy to predict: this halves the work, and the picture is as good (see docs/adr/0002).
MOVE_MP4 = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "22", *CALM, *SEEKABLE, *MP4]
# At this ceiling eight seconds stay under 10 MB, whatever they show.
CEILING = ["-maxrate", "8M", "-bufsize", "8M"]
CLIP_MP4 = ["-c:v", "libx264", "-preset", "faster", "-crf", "23", *CEILING, "-g", "60", *MP4]

WEBM_CODEC_PRIVATE = b"\x63\xa2"


def film_rendition(path: Path, pulse: Pulse, *, role: str = "film") -> Rendition:
    """Describe a film that we made, after looking inside it. Raises EncodeFailed if it does not play."""
    try:
        film = probe(path, pulse)
    except MediaRefused as error:
        raise EncodeFailed("The encoder made a film that does not play.", detail=str(error)) from error
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
