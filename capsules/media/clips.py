"""The social clip: a few seconds of every scene, faded into one another, for link previews."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from capsules.media.child import Pulse
from capsules.media.codecs import CLIP_MP4, film_rendition
from capsules.media.facts import Progress, Result
from capsules.media.ffmpeg import untrusted
from capsules.media.films import colours
from capsules.media.inspection import sniff
from capsules.media.moves import TO_709, Move, film
from capsules.media.probe import probe
from capsules.painter.crops import Focus, crop_box
from capsules.painter.tasks import CARD

SECONDS = 8
RATE = 30
FADE = 0.6  # seconds
MAX_SHOTS = 6  # more would flicker
SHORTEST_SHOT = 1.2
LONGEST_STILL = 4.0
MIDDLE = (0.5, 0.5)

Source = TypeVar("Source")


@dataclass(frozen=True)
class Shot:
    """One piece of the clip: the steps that bring it to the clip's form, its seconds, and where it comes from: a film
    that ffmpeg reads, or a still that the camera moves over.
    """

    steps: list[str]
    seconds: float
    read: list[str]
    move: Move | None = None


def make_clip(
    sources: Sequence[Path], folder: Path, *, points: Sequence[Focus] | None = None, progress: Progress
) -> Result:
    """Cut scene films, and camera moves over the pictures of scenes without one, into one MP4 of 1200 x 630.

    `points`: the focus of each source. Raises MediaRefused, EncodeFailed, and what `progress` raises.
    """
    taken = choose_shots(list(zip(sources, points or [MIDDLE] * len(sources), strict=True)))
    pulse = Pulse(progress)
    path = folder / "clip.mp4"
    _mix(_shots(taken, pulse), path, pulse)
    rendition = film_rendition(path, pulse, role="clip")
    pulse.done()
    return Result([rendition])


def choose_shots(sources: Sequence[Source]) -> list[Source]:
    """At most `MAX_SHOTS`, the first among them, the rest spread evenly over the story."""
    count = min(len(sources), MAX_SHOTS)
    return [sources[place * len(sources) // count] for place in range(count)]


def _shots(sources: list[tuple[Path, Focus]], pulse: Pulse) -> list[Shot]:
    """Shots of equal length, which together last the clip's seconds where the films are long enough."""
    slot = (SECONDS + FADE * (len(sources) - 1)) / len(sources)
    return [
        _film_shot(source, focus, slot, pulse)
        if sniff(source).startswith("video/")
        else _still_shot(source, focus, slot)
        for source, focus in sources
    ]


def _mix(shots: list[Shot], path: Path, pulse: Pulse) -> None:
    moves = [shot.move for shot in shots if shot.move]
    seconds = sum(shot.seconds for shot in shots) - FADE * (len(shots) - 1)

    def arguments(fds: Sequence[int]) -> list[str]:
        pipes = iter(fds)
        reads = [word for s in shots for word in (s.move.input(next(pipes)) if s.move else s.read)]
        graph = ["-filter_complex", _graph(shots), "-map", "[out]", "-t", f"{seconds:.3f}"]
        return [*reads, *graph, *CLIP_MP4, str(path)]

    film(arguments, moves, seconds, pulse)


def _still_shot(source: Path, focus: Focus, slot: float) -> Shot:
    seconds = min(slot, LONGEST_STILL)
    return Shot([TO_709], seconds, [], Move(source, focus, CARD, seconds, RATE))


def _film_shot(source: Path, focus: Focus, slot: float, pulse: Pulse) -> Shot:
    seen = probe(source, pulse)
    scale = max(CARD[0] / seen.width, CARD[1] / seen.height)
    size = max(CARD[0], round(seen.width * scale)), max(CARD[1], round(seen.height * scale))
    left, top, _, _ = crop_box(size, CARD[0] / CARD[1], focus)
    crop = f"crop={CARD[0]}:{CARD[1]}:{left:.0f}:{top:.0f}"
    cover = f"scale={size[0]}:{size[1]}:flags=lanczos"
    steps = [f"fps={RATE}", *colours(seen, cover), crop, "sidedata=mode=delete"]
    seconds = min(slot, max(SHORTEST_SHOT, seen.duration))
    # A film shorter than its shot rests on its last frame.
    rest = f"tpad=stop_mode=clone:stop_duration={seconds:.3f}"
    return Shot([*steps, rest], seconds, untrusted(source))


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
