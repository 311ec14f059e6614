"""Pictures for tests, drawn without the service."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw, ImageFilter


def draw_picture(path: Path, size: tuple[int, int] = (320, 180), colour: str = "#46507a") -> Path:
    """A small picture with something in it."""
    picture = Image.new("RGB", size, colour)
    ImageDraw.Draw(picture).ellipse(
        [size[0] * 0.6, size[1] * 0.2, size[0] * 0.8, size[1] * 0.55], fill="#f6e7c1"
    )
    picture.save(path)
    return path


def draw_faces(path: Path, places: list[tuple[float, float]], *, size: tuple[int, int], face: int) -> Path:
    """A wall with faces, so wide, in whose middle each of `places` lies."""
    picture = Image.new("RGB", size, (120, 140, 160))
    draw = ImageDraw.Draw(picture)
    for x, y in places:

        def ellipse(left: float, top: float, right: float, bottom: float, fill: tuple[int, int, int]) -> None:
            box = (x + left * face, y + top * face, x + right * face, y + bottom * face)  # noqa: B023
            draw.ellipse(box, fill=fill)

        ellipse(-0.55, -0.75, 0.55, 0.3, (60, 40, 30))
        ellipse(-0.48, -0.45, 0.48, 0.62, (224, 180, 150))
        for eye in (-0.2, 0.2):
            ellipse(eye - 0.13, -0.28, eye + 0.13, -0.21, (70, 45, 35))
            ellipse(eye - 0.12, -0.21, eye + 0.12, -0.06, (120, 80, 65))
            ellipse(eye - 0.05, -0.16, eye + 0.05, -0.07, (25, 20, 20))
        ellipse(-0.09, -0.1, 0.09, 0.17, (200, 150, 122))
        ellipse(-0.09, 0.14, 0.09, 0.18, (150, 100, 85))
        ellipse(-0.2, 0.28, 0.2, 0.38, (150, 60, 60))
    picture.filter(ImageFilter.GaussianBlur(face / 80)).save(path)
    return path
