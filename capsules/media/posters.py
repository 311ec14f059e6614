"""A still out of a film: one of its frames as a picture of its own."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from capsules.media.beginnings import first_seen
from capsules.media.child import Limits, Pulse
from capsules.media.facts import Facts
from capsules.media.ffmpeg import run_ffmpeg, untrusted
from capsules.media.films import ON_PAPER, colours
from capsules.media.inspection import LIMITS, NOT_A_FILM, film_type, refusing
from capsules.media.probe import Film, probe

LONG_SIDE = 1920
STILL_LIMITS = Limits(seconds=10, cpu_seconds=8, address_space=4 << 30, file_size=32 << 20, nice=0)
PNG_HEADER = 33  # bytes of a PNG before its first chunk that need not be there
LAST = 0.1  # seconds before the end: some containers count a frame more than there is


def take_still(
    source: Path, target: Path, *, at: float | None = None, seen: Film | None = None
) -> tuple[float, Facts]:
    """Writes the frame `at` seconds into the film, or its last one, as the PNG file `target`; returns at which second
    it was taken, and what that file is. Without `at` it is the frame with which the film begins to be seen. `seen`:
    what `inspect` found out about the film, where somebody has just asked.

    Raises MediaRefused.
    """
    film_type(source)
    pulse = Pulse()
    with refusing(NOT_A_FILM):
        film = seen or probe(source, pulse, LIMITS)
        at = first_seen(source, film.decoder, pulse) if at is None else at
        start = max(0.0, min(at, film.duration - LAST))
        scale = min(1.0, LONG_SIDE / max(film.width, film.height))
        width, height = max(1, round(film.width * scale)), max(1, round(film.height * scale))
        size = f"scale={width}:{height}:flags=lanczos"
        steps = [*(ON_PAPER if film.transparent else []), *colours(film, size), "setsar=1", "format=rgb24"]
        chain = ["-filter_complex", f"[0:V:0]{','.join(steps)}[out]", "-map", "[out]", "-frames:v", "1"]
        picture = [*chain, "-map_metadata", "-1", "-c:v", "png", "-f", "image2", "-update", "1", str(target)]
        run_ffmpeg(
            [*untrusted(source, film.decoder, start=start), *picture],
            seconds=1,
            pulse=pulse,
            limits=STILL_LIMITS,
        )
    return start, Facts("picture", "image/png", "png", width, height, None)


def name_film(still: Path, name: str) -> None:
    """Writes into a PNG which film it is a frame of: pictures are one where their bytes are, and two films may begin
    with the same frame.
    """
    png, text = still.read_bytes(), b"tEXtComment\0" + name.encode()
    chunk = struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text))
    still.write_bytes(png[:PNG_HEADER] + chunk + png[PNG_HEADER:])
