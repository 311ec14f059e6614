"""`animation = "auto"`: a still becomes a film by a slow camera move."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from capsules.media import camera, painting
from capsules.media.child import Pulse, follow
from capsules.media.codecs import MOVE_MP4, MOVE_WEBM, film_rendition
from capsules.media.facts import Focus, Progress, Result
from capsules.media.ffmpeg import LIMITS, PROGRESS, Encoder
from capsules.media.inspection import picture_type
from capsules.media.painting import Painter, paint


def make_move(source: Path, folder: Path, *, focus: Focus, progress: Progress) -> Result:
    """Film a camera move over a picture, as MP4 and WebM, into `folder`.

    Raises MediaRefused, EncodeFailed, and what `progress` raises.
    """
    media_type = picture_type(source)
    pulse = Pulse(progress)
    seen = paint("look", pulse, source=str(source), media_type=media_type)
    size = camera.frame_size(seen["width"], seen["height"])
    outputs = [folder / "film.mp4", folder / "film.webm"]
    task: dict[str, Any] = {
        "source": str(source),
        "media_type": media_type,
        "focus": focus,
        "size": size,
    }
    _film(task, _arguments(size, outputs), pulse)
    renditions = [film_rendition(path, pulse) for path in outputs]
    pulse.done()
    return Result(renditions)


def _film(task: dict[str, Any], arguments: list[str], pulse: Pulse) -> None:
    """Let the painter's frames flow straight into the encoder."""
    with ExitStack() as running:
        with _pipe() as (outlet, inlet):
            encoder = Encoder(arguments, LIMITS, seconds=camera.SECONDS, reach=pulse.reach, stdin=outlet)
            running.enter_context(encoder)
            painter = Painter("move", painting.LIMITS, {**task, "fd": inlet}, pass_fds=[inlet])
            running.enter_context(painter)
        follow([encoder, painter], LIMITS.seconds, pulse.beat)
        if not painter.lost_its_reader():
            painter.answer()
        encoder.judge()


@contextmanager
def _pipe() -> Iterator[tuple[int, int]]:
    """A pipe's two ends, closed once the children have them: a spare writer would hide the end of the frames."""
    outlet, inlet = os.pipe()
    try:
        yield outlet, inlet
    finally:
        os.close(outlet)
        os.close(inlet)


def _arguments(size: tuple[int, int], outputs: list[Path]) -> list[str]:
    raw = [
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-s",
        f"{size[0]}x{size[1]}",
        "-framerate",
        str(camera.RATE),
    ]
    source = ["-protocol_whitelist", "pipe", *raw, "-i", "pipe:0"]
    to_709 = "scale=out_color_matrix=bt709:out_range=tv:flags=bicubic+accurate_rnd,format=yuv420p"
    chain = f"[0:v]{to_709},setparams=color_primaries=bt709:color_trc=bt709,split[a][b]"
    mp4 = ["-map", "[a]", *MOVE_MP4, str(outputs[0])]
    webm = ["-map", "[b]", *MOVE_WEBM, str(outputs[1])]
    return [*PROGRESS, *source, "-filter_complex", chain, *mp4, *webm]
