"""The social clip: a few seconds of every scene, faded into one another, for link previews."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from capsules.media.child import Pulse
from capsules.media.codecs import CLIP_MP4, film_rendition
from capsules.media.facts import Progress, Result
from capsules.media.ffmpeg import encode, untrusted
from capsules.media.films import colours
from capsules.media.inspection import picture_type, sniff
from capsules.media.painter import CARD
from capsules.media.painting import paint
from capsules.media.probe import probe

SECONDS = 8
RATE = 30
FADE = 0.6  # seconds
MAX_SHOTS = 6  # more would flicker
SHORTEST_SHOT = 1.2
LONGEST_STILL = 4.0
MIDDLE = (0.5, 0.5)


@dataclass(frozen=True)
class Shot:
    """One piece of the clip: how ffmpeg reads it, the steps that bring it to the clip's form, its seconds."""

    read: list[str]
    steps: list[str]
    seconds: float


def make_clip(films: Sequence[Path], folder: Path, *, progress: Progress) -> Result:
    """Cut scene films, and pictures where a scene has none, into one MP4 of 1200 x 630 in `folder`.

    Raises MediaRefused, EncodeFailed, and what `progress` raises.
    """
    sources = chosen(films)
    pulse = Pulse(progress)
    path = folder / "clip.mp4"
    with TemporaryDirectory(dir=folder) as slides:
        shots = _shots(sources, Path(slides), pulse)
        _mix(shots, path, pulse)
    rendition = film_rendition(path, pulse, role="clip")
    pulse.done()
    return Result([rendition])


def chosen(films: Sequence[Path]) -> list[Path]:
    """At most `MAX_SHOTS`, the first among them, the rest spread evenly over the story."""
    count = min(len(films), MAX_SHOTS)
    return [films[place * len(films) // count] for place in range(count)]


def _shots(sources: list[Path], slides: Path, pulse: Pulse) -> list[Shot]:
    """Shots of equal length, which together last the clip's seconds where the films are long enough."""
    slot = (SECONDS + FADE * (len(sources) - 1)) / len(sources)
    shots = []
    for place, source in enumerate(sources):
        if sniff(source).startswith("video/"):
            shots.append(_film_shot(source, slot, pulse))
        else:
            shots.append(_still_shot(source, slot, slides / f"{place}.rgb", pulse))
    return shots


def _mix(shots: list[Shot], path: Path, pulse: Pulse) -> None:
    reads = [word for shot in shots for word in shot.read]
    seconds = sum(shot.seconds for shot in shots) - FADE * (len(shots) - 1)
    arguments = [*reads, "-filter_complex", _graph(shots), "-map", "[out]", "-t", f"{seconds:.3f}"]
    encode([*arguments, *CLIP_MP4, str(path)], seconds=seconds, pulse=pulse)


def _still_shot(source: Path, slot: float, slide: Path, pulse: Pulse) -> Shot:
    media_type = picture_type(source)
    paint("slide", pulse, source=str(source), media_type=media_type, focus=MIDDLE, path=str(slide))
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{CARD[0]}x{CARD[1]}", "-framerate", str(RATE)]
    still = ["loop=loop=-1:size=1", "scale=out_color_matrix=bt709:out_range=tv", "format=yuv420p"]
    return Shot(["-protocol_whitelist", "file", *raw, "-i", f"file:{slide}"], still, min(slot, LONGEST_STILL))


def _film_shot(source: Path, slot: float, pulse: Pulse) -> Shot:
    film = probe(source, pulse)
    scale = max(CARD[0] / film.width, CARD[1] / film.height)
    size = max(CARD[0], round(film.width * scale)), max(CARD[1], round(film.height * scale))
    cover = f"scale={size[0]}:{size[1]}:flags=lanczos"
    steps = [f"fps={RATE}", *colours(film, cover), f"crop={CARD[0]}:{CARD[1]}", "sidedata=mode=delete"]
    seconds = min(slot, max(SHORTEST_SHOT, film.duration))
    # A film shorter than its shot rests on its last frame.
    return Shot(untrusted(source), [*steps, f"tpad=stop_mode=clone:stop_duration={seconds:.3f}"], seconds)


def _graph(shots: list[Shot]) -> str:
    """The filter graph: every shot trimmed to its length, then one crossfade after another."""
    parts = []
    for place, shot in enumerate(shots):
        trim = f"trim=duration={shot.seconds:.3f}"
        form = ["setsar=1", "settb=AVTB", trim, "setpts=PTS-STARTPTS"]
        parts.append(f"[{place}:V:0]{','.join([*shot.steps, *form])}[shot{place}]")
    shown, offset = "[shot0]", 0.0
    for place, shot in enumerate(shots[:-1], start=1):
        offset += shot.seconds - FADE
        parts.append(f"{shown}[shot{place}]xfade=duration={FADE}:offset={offset:.3f}[mix{place}]")
        shown = f"[mix{place}]"
    marks = "setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709"
    parts.append(f"{shown}fps={RATE},{marks}[out]")
    return ";".join(parts)
