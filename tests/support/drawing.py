"""Pictures for tests, drawn without the service."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw


def draw_picture(path: Path, size: tuple[int, int] = (320, 180), colour: str = "#46507a") -> Path:
    """A small picture with something in it."""
    picture = Image.new("RGB", size, colour)
    ImageDraw.Draw(picture).ellipse(
        [size[0] * 0.6, size[1] * 0.2, size[0] * 0.8, size[1] * 0.55], fill="#f6e7c1"
    )
    picture.save(path)
    return path
