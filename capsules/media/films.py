"""Scene films: any clip becomes a small silent MP4 and WebM of at most twelve seconds."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from capsules.media.beginnings import first_seen
from capsules.media.child import Pulse
from capsules.media.codecs import FILM_MP4, FILM_WEBM, film_rendition
from capsules.media.facts import Progress, Result
from capsules.media.ffmpeg import MAX_SECONDS, run_ffmpeg, untrusted
from capsules.media.inspection import film_type
from capsules.media.probe import Film, probe

LONG_SIDE = 1280
MAX_RATE = 30
#: Lays a transparent film on white, as stills are (pixels.PAPER), so that hidden colours stay hidden.
ON_PAPER = [
    "split[seen][paper];[paper]drawbox=color=white:t=fill:replace=1[white];[white][seen]overlay=format=auto"
]
HD_HEIGHT = 720  # below it, a film that does not say is taken to have the colours of television


def make_film(
    source: Path, folder: Path, *, trim: tuple[float, float] | None = None, progress: Progress
) -> Result:
    """Encode a clip as MP4 and WebM into `folder`: the part that `trim` starts and measures; else its first seconds,
    from the first frame that is not black. There its still was taken.

    Raises MediaRefused, EncodeFailed, and what `progress` raises.
    """
    film_type(source)
    pulse = Pulse(progress)
    film = probe(source, pulse)
    outputs = [folder / "film.mp4", folder / "film.webm"]
    chains = f"[0:V:0]{filters(film)},split[a][b]"
    mp4 = ["-map", "[a]", *FILM_MP4, str(outputs[0])]
    webm = ["-map", "[b]", *FILM_WEBM, str(outputs[1])]
    start, length = trim or (first_seen(source, film.decoder, pulse), MAX_SECONDS)
    seconds = min(film.duration - start, length, MAX_SECONDS)
    opened = untrusted(source, film.decoder, start=start, seconds=seconds if trim else MAX_SECONDS)
    run_ffmpeg([*opened, "-filter_complex", chains, *mp4, *webm], seconds=seconds, pulse=pulse)
    renditions = [film_rendition(path, pulse) for path in outputs]
    pulse.done()
    return Result(renditions)


def filters(film: Film) -> str:
    """The chain from a decoded film to upright, even-sized BT.709 pictures at a steady rate."""
    width, height = scene_size(film.width, film.height)
    steps = [
        *(ON_PAPER if film.transparent else []),
        "bwdif=mode=send_frame:deint=interlaced",
        f"fps={scene_rate(film.rate)}",
        *colours(film, f"scale={width}:{height}:flags=lanczos"),
        "setsar=1",
        "sidedata=mode=delete",  # what is left of HDR would be written into the new file
    ]
    return ",".join(steps)


def scene_size(width: int, height: int) -> tuple[int, int]:
    """Even, in proportion, the long side at most `LONG_SIDE`, never enlarged."""
    scale = min(1.0, LONG_SIDE / max(width, height))
    return max(2, int(width * scale / 2 + 0.25) * 2), max(2, int(height * scale / 2 + 0.25) * 2)


def scene_rate(rate: Fraction) -> Fraction:
    """At most 30 frames a second, by dropping every second frame, so that motion stays even."""
    while rate > MAX_RATE:
        rate /= 2
    return rate


def colours(film: Film, scale: str) -> list[str]:
    """The steps that scale and bring any colours to eight-bit BT.709."""
    marks = "setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709"
    if film.hdr or film.wide:
        return [scale, *_from_wide(film), "format=yuv420p", marks]
    matrix = film.matrix
    if matrix == "unknown":
        matrix = "bt709" if film.height >= HD_HEIGHT else "smpte170m"
    known = f"setparams=colorspace={matrix}" if film.matrix == "unknown" else "null"
    return [known, f"{scale}:out_color_matrix=bt709:out_range=tv", "format=yuv420p", marks]


def _from_wide(film: Film) -> list[str]:
    """Tone mapping for HDR, and BT.2020 colours into BT.709 for all wide films."""
    transfer = film.transfer if film.transfer != "unknown" else "bt2020-10"
    to_light = f"zscale=matrixin=bt2020nc:primariesin=bt2020:transferin={transfer}:transfer=linear:npl=203"
    to_709 = "zscale=primaries=bt709"
    mapped = ["tonemap=mobius:desat=0"] if film.hdr else []
    return [to_light, "format=gbrpf32le", to_709, *mapped, "zscale=transfer=bt709:matrix=bt709:range=tv"]
