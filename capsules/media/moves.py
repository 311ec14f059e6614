"""The camera as a film: for what shows files and not our pages. The reader's browser moves the still itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from capsules.media import painting
from capsules.media.child import Pulse, wait_for
from capsules.media.codecs import MOVE_MP4, film_rendition
from capsules.media.facts import Progress, Result
from capsules.media.ffmpeg import LIMITS, PROGRESS, Encoder
from capsules.media.inspection import picture_type
from capsules.media.painting import Painter, paint
from capsules.painter import camera
from capsules.painter.crops import Focus, Size

TO_709 = "scale=out_color_matrix=bt709:out_range=tv:flags=bicubic+accurate_rnd,format=yuv420p"


@dataclass(frozen=True)
class Move:
    """A camera move over a picture, whose frames flow from a painter into an encoder."""

    source: Path
    focus: Focus
    size: Size
    seconds: float = camera.SECONDS
    rate: int = camera.RATE

    @property
    def count(self) -> int:
        return round(self.seconds * self.rate)

    def input(self, fd: int) -> list[str]:
        """How the encoder reads it."""
        size = f"{self.size[0]}x{self.size[1]}"
        form = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-framerate", str(self.rate)]
        return ["-protocol_whitelist", "pipe", *form, "-i", f"pipe:{fd}"]

    def painter(self, fd: int) -> Painter:
        task = {
            "source": str(self.source),
            "media_type": picture_type(self.source),
            "focus": self.focus,
            "size": self.size,
            "rate": self.rate,
            "count": self.count,
        }
        return Painter("move", painting.LIMITS, {**task, "fd": fd}, pass_fds=[fd])


def make_move(source: Path, folder: Path, *, focus: Focus, progress: Progress) -> Result:
    """Film a camera move over a picture, as MP4, into `folder`.

    Raises MediaRefused, EncodeFailed, and what `progress` raises.
    """
    pulse = Pulse(progress)
    seen = paint("look", pulse, source=str(source), media_type=picture_type(source))
    move = Move(source, focus, camera.frame_size(seen["width"], seen["height"]))
    path = folder / "film.mp4"
    marks = "setparams=color_primaries=bt709:color_trc=bt709"
    chain = ["-filter_complex", f"[0:v]{TO_709},{marks}[out]", "-map", "[out]"]
    film(lambda fds: [*move.input(fds[0]), *chain, *MOVE_MP4, str(path)], [move], camera.SECONDS, pulse)
    rendition = film_rendition(path, pulse)
    pulse.done()
    return Result([rendition])


def film(
    arguments: Callable[[Sequence[int]], list[str]], moves: Sequence[Move], seconds: float, pulse: Pulse
) -> None:
    """Let the frames of all moves flow straight into one encoder, which gets `arguments` of their descriptors.

    Raises MediaRefused, EncodeFailed, and what `pulse` raises.
    """
    with ExitStack() as running:
        with ExitStack() as pipes:  # closed once the children have them: a spare writer would hide the end
            ends = [os.pipe() for _ in moves]
            for end in (end for pair in ends for end in pair):
                pipes.callback(os.close, end)
            outlets = [outlet for outlet, _ in ends]
            command = [*PROGRESS, *arguments(outlets)]
            encoder = Encoder(command, LIMITS, seconds=seconds, reach=pulse.reach, pass_fds=outlets)
            running.enter_context(encoder)
            painters = [
                running.enter_context(move.painter(inlet))
                for move, (_, inlet) in zip(moves, ends, strict=True)
            ]
        wait_for([encoder, *painters], LIMITS.seconds, pulse.beat)
        for painter in painters:
            if not painter.lost_its_reader():
                painter.answer()
        encoder.judge()
