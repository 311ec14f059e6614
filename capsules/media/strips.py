"""A strip of frames of a whole film, side by side, on which an author chooses the part that is shown."""

from __future__ import annotations

from pathlib import Path

from capsules.media.child import Limits, Pulse
from capsules.media.ffmpeg import run_ffmpeg, untrusted
from capsules.media.films import colours
from capsules.media.inspection import LIMITS, NOT_A_FILM, film_type, refusing
from capsules.media.posters import LAST
from capsules.media.probe import probe

FRAMES = 10
HEIGHT = 112  # pixels: sharp on a phone, where it is half as high
WIDEST = 3  # times as wide as high
STRIP_LIMITS = Limits(seconds=30, cpu_seconds=25, address_space=6 << 30, file_size=4 << 20, nice=5)


def draw_strip(source: Path, target: Path) -> None:
    """Writes frames from the middle of each tenth of a film as one JPEG file. Raises MediaRefused."""
    film_type(source)
    pulse = Pulse()
    with refusing(NOT_A_FILM):
        film = probe(source, pulse, LIMITS)
        width = max(2, round(HEIGHT * min(WIDEST, film.width / film.height)))
        inputs: list[str] = []
        chains: list[str] = []
        for number in range(FRAMES):
            at = min(film.duration * (number + 0.5) / FRAMES, film.duration - LAST)
            inputs += untrusted(source, film.decoder, start=max(0.0, at), seconds=1)
            steps = [*colours(film, f"scale={width}:{HEIGHT}:flags=area"), "setsar=1", "format=rgb24"]
            chains.append(f"[{number}:V:0]{','.join(steps)}[frame{number}]")
        frames = "".join(f"[frame{number}]" for number in range(FRAMES))
        graph = ";".join([*chains, f"{frames}hstack=inputs={FRAMES},format=yuvj420p[out]"])
        picture = ["-filter_complex", graph, "-map", "[out]", "-frames:v", "1", "-map_metadata", "-1"]
        jpeg = ["-c:v", "mjpeg", "-q:v", "5", "-f", "image2", "-update", "1", str(target)]
        run_ffmpeg([*inputs, *picture, *jpeg], seconds=1, pulse=pulse, limits=STRIP_LIMITS)
