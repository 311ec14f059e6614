"""`animation = "auto"`: a still becomes a film by a slow camera move."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from capsules.media import camera, ffmpeg, painting
from capsules.media.child import Pulse, follow
from capsules.media.codecs import MOVE_MP4, MOVE_WEBM, film_rendition
from capsules.media.facts import Focus, Progress, Result
from capsules.media.ffmpeg import PROGRESS, Encoder
from capsules.media.inspection import picture_type
from capsules.media.painting import Painter, paint


def make_move(source: Path, folder: Path, *, focus: Focus, progress: Progress) -> Result:
    """Film a camera move over a picture, as MP4 and WebM, into `folder`.

    Raises MediaRefused, EncodeFailed, and what `progress` raises.
    """
    media_type = picture_type(source)
    seen = paint("look", progress, source=str(source), media_type=media_type)
    size = camera.frame_size(seen["width"], seen["height"])
    outputs = [folder / "film.mp4", folder / "film.webm"]
    task: dict[str, Any] = {
        "source": str(source),
        "media_type": media_type,
        "focus": focus,
        "size": size,
    }
    _film(task, _arguments(size, outputs), Pulse(progress))
    renditions = [film_rendition(path) for path in outputs]
    progress(100)
    return Result(renditions)


def _film(task: dict[str, Any], arguments: list[str], pulse: Pulse) -> None:
    """Let the painter's frames flow straight into the encoder."""
    frames_out, frames_in = os.pipe()
    try:
        encoder = Encoder(
            arguments, ffmpeg.LIMITS, seconds=camera.SECONDS, reach=pulse.reach, stdin=frames_out
        )
    finally:
        os.close(frames_out)
    with encoder:
        try:
            painter = Painter("move", painting.LIMITS, {**task, "fd": frames_in}, pass_fds=[frames_in])
        finally:
            os.close(frames_in)
        with painter:
            follow([encoder, painter], ffmpeg.LIMITS.seconds, pulse.beat)
            if not painter.lost_its_reader():
                painter.answer()
            encoder.judge()


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
