"""The ffmpeg program: how it opens files we do not trust, and how its ending is judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from capsules.media.child import Child, Limits, Pulse, TimedOut, wait_for
from capsules.media.errors import MediaRefused

MAX_SECONDS = 12
MAX_PIXELS = 8_847_360  # 4096 x 2160
CONTAINERS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm"
DECODERS = "h264,hevc,vp8,vp9,libvpx,libvpx-vp9,libdav1d,av1,mpeg4,prores,mjpeg"
LIMITS = Limits(seconds=600, cpu_seconds=400, address_space=4 << 30, file_size=32 << 20)

DAMAGED = "This film is damaged or breaks off. Please export it again and upload the new file."
NO_PICTURES = (
    "This file has no moving pictures that we can read. Use MP4 or WebM with H.264, HEVC, VP9 or AV1."
)
TOO_LARGE = "This film has too many pixels. The most we take is 4096 x 2160."

# A file that ends early is read to that point without an error status: only the log tells.
BREAKS_OFF = re.compile(rb"\[error\] .*(?:partial file|File ended prematurely)")
READING_FAILED = re.compile(rb"^(?:\[[^]]*\] )*\[(?:in|vist)#.*\[(?:error|fatal)\]", re.MULTILINE)
NO_STREAM = re.compile(rb"matches no streams|Error while opening decoder|no decoder found")
EXCEEDS_PIXELS = re.compile(rb"\[error\] .*exceeds specified max pixel count")


@lru_cache(maxsize=1)
def binary() -> str:
    """The path of the ffmpeg program that its package brings along."""
    import imageio_ffmpeg  # late: every painter imports this module too, and that would cost it 40 ms

    return imageio_ffmpeg.get_ffmpeg_exe()


@lru_cache(maxsize=1)
def ffmpeg_build() -> str:
    """The encoder's own version line, e.g. "ffmpeg version 7.1"; part of the hash of every recipe."""
    lines: list[bytes] = []
    with Child([binary(), "-version"], LIMITS, hear=lines.append) as child:
        wait_for([child], LIMITS.seconds)
        if failure := child.failure():
            raise failure
    return lines[0].decode().partition(" Copyright")[0]


def untrusted(
    source: Path, decoder: str | None = None, *, start: float = 0, seconds: float = MAX_SECONDS
) -> list[str]:
    """Arguments that open a foreign film: these containers and codecs, no other file, no sound."""
    chosen = [*(["-ss", f"{start:.3f}"] if start else []), *(["-c:v", decoder] if decoder else [])]
    openable = ["-protocol_whitelist", "file", "-format_whitelist", CONTAINERS, "-codec_whitelist", DECODERS]
    bounds = ["-max_pixels", str(MAX_PIXELS), "-threads", "2", "-t", f"{seconds:g}", "-an", "-sn", "-dn"]
    return [*openable, *bounds, *chosen, "-i", f"file:{source.absolute()}"]


class Encoder(Child):
    """One ffmpeg command that stops at the first fault. It tells `reach` the percentage of `seconds` done."""

    def __init__(
        self,
        arguments: Sequence[str],
        limits: Limits,
        *,
        seconds: float = 0,
        reach: Callable[[int], None] = lambda percent: None,
        hear: Callable[[bytes], None] | None = None,
        pass_fds: Sequence[int] = (),
    ) -> None:
        self._seconds = seconds
        self._reach = reach
        command = [
            binary(),
            "-hide_banner",
            "-nostdin",
            "-loglevel",
            "level+info",
            "-xerror",
            "-y",
            *arguments,
        ]
        super().__init__(command, limits, hear=hear or self._progressed, pass_fds=pass_fds)

    def judge(self) -> None:
        """Raises MediaRefused when the log blames the source, EncodeFailed for any other failure."""
        log, failure = self.log(), self.failure()
        if EXCEEDS_PIXELS.search(log):
            raise MediaRefused(TOO_LARGE)
        if failure and NO_STREAM.search(log):
            raise MediaRefused(NO_PICTURES)
        stopped = self.process.returncode < 0 or isinstance(failure, TimedOut) or self.out_of_memory()
        if BREAKS_OFF.search(log) or (failure and not stopped and READING_FAILED.search(log)):
            raise MediaRefused(DAMAGED)
        if failure:
            raise failure

    def _progressed(self, line: bytes) -> None:
        name, _, value = line.strip().partition(b"=")
        if name == b"out_time_us" and value.isdigit():
            self._reach(int(int(value) / 10_000 / self._seconds))


PROGRESS = ["-nostats", "-progress", "pipe:1", "-stats_period", "0.5"]


def run_ffmpeg(arguments: Sequence[str], *, seconds: float, pulse: Pulse, limits: Limits = LIMITS) -> None:
    """Run one encode that lasts `seconds`. Raises MediaRefused, EncodeFailed, and what `pulse` raises."""
    with Encoder([*PROGRESS, *arguments], limits, seconds=seconds, reach=pulse.reach) as encoder:
        wait_for([encoder], limits.seconds, pulse.beat)
        encoder.judge()
