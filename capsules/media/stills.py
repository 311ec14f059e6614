"""Pictures made of pictures: the renditions of a still, and the link-preview picture."""

from __future__ import annotations

from pathlib import Path

from capsules.media.child import Pulse
from capsules.media.facts import Progress, Rendition, Result
from capsules.media.inspection import picture_type
from capsules.media.painting import paint
from capsules.painter.crops import Focus


def make_still(source: Path, folder: Path, *, focus: Focus, progress: Progress) -> Result:
    """Draw all sizes and formats of a still into `folder`, with its ambient colour.

    Raises MediaRefused, EncodeFailed, and what `progress` raises.
    """
    pulse = Pulse(progress)
    media_type = picture_type(source)
    made = paint("stills", pulse, source=str(source), media_type=media_type, focus=focus, folder=str(folder))
    pulse.done()
    return Result([_rendition(**one) for one in made["renditions"]], made["colour"])


def make_card(source: Path, folder: Path, *, focus: Focus, progress: Progress) -> Result:
    """Draw the link-preview picture, 1200 x 630, into `folder`. Raises as `make_still` does."""
    pulse = Pulse(progress)
    card = _cover("card", source, folder, focus, pulse)
    pulse.done()
    return Result([card])


def make_face(source: Path, folder: Path) -> Rendition:
    """Draw the square picture of a workspace into `folder`. Raises MediaRefused and EncodeFailed."""
    return _cover("face", source, folder, (0.5, 0.5), Pulse())


def _cover(role: str, source: Path, folder: Path, focus: Focus, pulse: Pulse) -> Rendition:
    media_type, path = picture_type(source), str(folder / f"{role}.jpeg")
    made = paint("cover", pulse, source=str(source), media_type=media_type, focus=focus, path=path, role=role)
    return _rendition(**made)


def _rendition(role: str, format: str, path: str, size: tuple[int, int]) -> Rendition:
    width, height = size
    return Rendition(role, format, f"image/{format}", Path(path), width, height, Path(path).stat().st_size)
