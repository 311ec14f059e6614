"""What ffmpeg sees in a film: size as displayed, length, rate, colours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from capsules.media.child import Limits, Pulse, wait_for
from capsules.media.errors import MediaRefused
from capsules.media.ffmpeg import DAMAGED, MAX_SECONDS, Encoder, untrusted
from capsules.painter.crops import MAX_RATIO, MIN_SIDE

LIMITS = Limits(seconds=60, cpu_seconds=30, address_space=4 << 30, file_size=16 << 20)

TOO_SMALL = f"This film is too small. Each side needs at least {MIN_SIDE} pixels."
TOO_NARROW = f"This film is too narrow. The long side may be at most {MAX_RATIO} times the short one."

DURATION = re.compile(r"^\[info\]   Duration: (\d+):(\d\d):(\d\d\.\d+)", re.MULTILINE)
#: Decoders that see the transparency of these; ffmpeg's own ones show the colours that it hides.
ALPHA_DECODERS = {"vp8": "libvpx", "vp9": "libvpx-vp9"}
ALPHA_CODEC = re.compile(r"^\[info\]   Stream #.*: Video: (vp[89])\b", re.MULTILINE)
SOUND = re.compile(r"^\[info\]   Stream #.*: Audio: ", re.MULTILINE)
ALPHA_MODE = re.compile(r"^\[info\]\s+alpha_mode\s*: 1$", re.MULTILINE)
ALPHA_PIXELS = re.compile(r"yuva|gbrap|rgba|bgra|argb|abgr|ya(8|16)")
DECODED = re.compile(
    r"Video: wrapped_avframe, (?P<pixels>\w+)(?:\((?P<colours>[^\n]*?)\))?, (?P<width>\d+)x(?P<height>\d+)"
    r"(?: \[SAR (?P<sar>\d+:\d+) DAR [^]]*\])?(?:[^\n]*, (?P<rate>[\d.]+)(?P<kilo>k?) fps)?"
)


@dataclass(frozen=True)
class Film:
    """The pictures of a film, as decoded and turned upright."""

    width: int  # of square pixels
    height: int
    duration: float  # seconds
    rate: Fraction  # frames a second
    pixels: str  # ffmpeg's name of the pixel format
    matrix: str  # colour space, primaries and transfer as ffmpeg names them, or "unknown"
    primaries: str
    transfer: str
    transparent: bool = False
    sound: bool = False
    decoder: str | None = None  # the one to read it with, where not ffmpeg's usual one

    @property
    def hdr(self) -> bool:
        return self.transfer in ("smpte2084", "arib-std-b67")

    @property
    def wide(self) -> bool:
        return self.primaries == "bt2020"


class Packets:
    """Hears ffmpeg's `framecrc` listing and remembers when the first packet is shown and the last one ends."""

    def __init__(self) -> None:
        self._tick = Fraction(1)
        self._first: int | None = None
        self._end = 0

    def hear(self, line: bytes) -> None:
        if line.startswith(b"#tb 0: "):
            self._tick = Fraction(line[7:].decode())
        elif not line.startswith(b"#"):
            _, _, shown, lasts, *_ = line.split(b",")
            self._first = int(shown) if self._first is None else self._first
            self._end = max(self._end, int(shown) + int(lasts))

    @property
    def begins(self) -> float:
        """In seconds; 0 where there was none."""
        return float((self._first or 0) * self._tick)

    @property
    def seconds(self) -> float:
        return float(self._end * self._tick)


def probe(source: Path, pulse: Pulse, limits: Limits = LIMITS) -> Film:
    """Decode the first frame of a film and walk through its first twelve seconds.

    Raises MediaRefused, EncodeFailed, and what `pulse` raises.
    """
    packets = Packets()
    first_frame = ["-map", "0:V:0", "-map_metadata", "-1", "-frames:v", "1", "-f", "null", "-"]
    all_packets = ["-map", "0:V:0", "-c", "copy", "-f", "framecrc", "pipe:1"]
    with Encoder(
        ["-nostats", *untrusted(source), *first_frame, *all_packets], limits, hear=packets.hear
    ) as encoder:
        wait_for([encoder], limits.seconds, pulse.beat)
        log = encoder.log().decode(errors="replace")
        encoder.judge()
    film = read_log(log, packets.seconds)
    check_size(film)
    return film


def check_size(film: Film) -> None:
    """Raises MediaRefused. Encoders crash on the tiniest, and nobody can watch a ribbon."""
    short, long = sorted((film.width, film.height))
    if short < MIN_SIDE:
        raise MediaRefused(TOO_SMALL)
    if long > MAX_RATIO * short:
        raise MediaRefused(TOO_NARROW)


def read_log(log: str, seconds: float) -> Film:
    """Raises MediaRefused when no frame was decoded.

    Metadata of the file cannot pose as ffmpeg's words: it is printed before the part that is read here.
    """
    decoded = DECODED.search(log.rpartition("Output #0")[2])
    if not decoded or not seconds:
        raise MediaRefused(DAMAGED)
    matrix, primaries, transfer = _colours(decoded["colours"] or "")
    decoder = _alpha_decoder(log)
    horizontal, vertical = map(int, (decoded["sar"] or "1:1").split(":"))
    return Film(
        width=max(1, round(int(decoded["width"]) * horizontal / vertical)),
        height=int(decoded["height"]),
        duration=_duration(log, seconds),
        rate=_rate(decoded),
        pixels=decoded["pixels"],
        matrix=matrix,
        primaries=primaries,
        transfer=transfer,
        transparent=decoder is not None or bool(ALPHA_PIXELS.match(decoded["pixels"])),
        sound=bool(SOUND.search(log)),
        decoder=decoder,
    )


def _alpha_decoder(log: str) -> str | None:
    codec = ALPHA_CODEC.search(log)
    return ALPHA_DECODERS[codec[1]] if codec and ALPHA_MODE.search(log) else None


def _duration(log: str, seconds: float) -> float:
    """As the file says, where more than the twelve seconds were there to be counted."""
    said = DURATION.search(log)
    if not said or seconds < MAX_SECONDS - 1:
        return seconds
    hours, minutes, rest = said.groups()
    return max(seconds, int(hours) * 3600 + int(minutes) * 60 + float(rest))


def _rate(decoded: re.Match[str]) -> Fraction:
    """Frames a second; 30 where the file gives none that makes sense. 23.98 and the like become exact."""
    rate = float(decoded["rate"] or 0)
    if decoded["kilo"] or not 1 <= rate <= 240:
        return Fraction(30)
    whole = round(rate + 0.01)
    if abs(whole * 1000 / 1001 - rate) < 0.006:
        return Fraction(whole * 1000, 1001)
    return Fraction(decoded["rate"])


def _colours(words: str) -> tuple[str, str, str]:
    """ffmpeg prints "tv, bt2020nc/bt2020/smpte2084, progressive", or one name when all three are the same."""
    for word in words.split(", "):
        if word.count("/") == 2:
            matrix, primaries, transfer = word.split("/")
            return matrix, primaries, transfer
        if word in ("bt709", "smpte170m", "bt470bg", "smpte240m"):
            return word, word, word
    return "unknown", "unknown", "unknown"
