"""The process that draws: every foreign picture is decoded here, apart from the worker. See capsules/media/painting.py.

It is given the name of a task and its arguments as JSON. It prints one JSON object a line: {"percent": 40},
and at the end {"done": ...} or {"refused": "a sentence"}.
"""

from __future__ import annotations

import errno
import gc
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from PIL import Image, ImageFilter

from capsules.painter import camera, pixels
from capsules.painter.colour import ambient
from capsules.painter.crops import PORTRAIT_RATIO, Box, Focus, Size, crop_box, subject_box

LANDSCAPE_WIDTHS = (640, 1280, 1920)
PORTRAIT_WIDTHS = (720, 1080)
CARD = (1200, 630)
HAIR, CHIN = 0.3, 0.15  # of a face's height: what a head has above and below what is found of it
#: By role: the link-preview picture, and the picture of a workspace.
COVERS: dict[str, Size] = {"card": CARD, "face": (256, 256)}


def look(source: str, media_type: str) -> dict[str, object]:
    """The displayed size of a picture that can be decoded to its end, and whether it is an animated one."""
    (width, height), moves = pixels.measure(Path(source), media_type)
    return {"width": width, "height": height, "moves": moves}


def stills(source: str, media_type: str, focus: Focus, folder: str) -> dict[str, object]:
    """All renditions of a still, and its ambient colour."""
    largest = (LANDSCAPE_WIDTHS[-1], round(PORTRAIT_WIDTHS[-1] / PORTRAIT_RATIO))
    picture = pixels.read_picture(Path(source), media_type, largest)
    portrait = picture.crop(_whole(crop_box(picture.size, PORTRAIT_RATIO, focus)))
    drawn = [
        *_scaled("landscape", picture, LANDSCAPE_WIDTHS),
        *_scaled("portrait", portrait, PORTRAIT_WIDTHS),
    ]
    made = []
    for number, (role, image) in enumerate(drawn):
        for step, format in enumerate(pixels.SAVE_AS):
            path = Path(folder) / f"{role}-{image.width}.{format}"
            pixels.save_picture(image, path, format)
            made.append({"role": role, "format": format, "path": str(path), "size": image.size})
            _tell(percent=100 * (3 * number + step + 1) // (3 * len(drawn)))
    return {"renditions": made, "colour": ambient(portrait)}


def cover(source: str, media_type: str, focus: Focus, path: str, role: str) -> dict[str, object]:
    """A picture that is always of the same size, that of its role, enlarged if need be."""
    size = COVERS[role]
    picture = pixels.read_picture(Path(source), media_type, cover=size)
    box = crop_box(picture.size, size[0] / size[1], focus)
    drawn = picture.resize(size, Image.Resampling.LANCZOS, box=box)
    high = box[3] - box[1]
    head = _head_at(focus, picture) if role == "card" and high < picture.height else None
    if head and head[1] - head[0] > high:
        drawn = _whole_over(drawn.filter(ImageFilter.GaussianBlur(40)), picture, *head)
    drawn.save(path, "JPEG", quality=82, progressive=True, optimize=True)
    return {"role": role, "format": "jpeg", "path": path, "size": size}


def _head_at(focus: Focus, picture: Image.Image) -> tuple[float, float] | None:
    """Top and bottom of the face that a focus lies in, or of all where it is their middle, with hair and chin, in
    pixels.
    """
    from capsules.painter import subjects  # late: other tasks need not wait for its libraries

    small = picture.copy()
    small.thumbnail((subjects.SIDE, subjects.SIDE))
    middle, faces = subjects.main_subject(small)
    near = all(abs(one - other) < 0.02 for one, other in zip(middle, focus, strict=True))
    face = subject_box(faces, focus, focus if near else None)
    if face is None:
        return None
    top, bottom = face[1] * picture.height, face[3] * picture.height
    high = bottom - top
    return max(0, top - HAIR * high), min(picture.height, bottom + CHIN * high)


def _whole_over(ground: Image.Image, picture: Image.Image, top: float, bottom: float) -> Image.Image:
    """The part of a picture between `top` and `bottom`, as high as `ground` and in its middle."""
    width = min(ground.width, round(picture.width * ground.height / (bottom - top)))
    part = picture.resize(
        (width, ground.height), Image.Resampling.LANCZOS, box=(0, top, picture.width, bottom)
    )
    ground.paste(part, ((ground.width - width) // 2, 0))
    return ground


def subject(source: str, media_type: str) -> dict[str, object]:
    """What the picture is about: the point that crops should keep, and its faces."""
    from capsules.painter import subjects  # late: other tasks need not wait for its libraries

    picture = pixels.read_picture(Path(source), media_type, (subjects.SIDE, subjects.SIDE))
    focus, faces = subjects.main_subject(picture)
    return {"focus": focus, "faces": faces}


def move(
    source: str, media_type: str, focus: Focus, size: Size, fd: int, rate: int, count: int
) -> dict[str, object]:
    """Write the first `count` frames of the camera move, raw RGB, into the pipe `fd`."""
    picture = pixels.read_picture(Path(source), media_type, camera.working_size(size))
    with os.fdopen(fd, "wb") as pipe:
        for frame in camera.frames(picture, size, focus, rate=rate, count=count):
            pipe.write(frame)
    return {}


TASKS: dict[str, Callable[..., dict[str, object]]] = {
    "look": look,
    "stills": stills,
    "cover": cover,
    "subject": subject,
    "move": move,
}


def main(task: str, arguments: str) -> None:
    try:
        _tell(done=TASKS[task](**json.loads(arguments)))
        gc.freeze()  # else Python looks for garbage among all that it loaded before it ends
    except pixels.Refused as refusal:
        _tell(refused=str(refusal))
    except BrokenPipeError:
        sys.exit(errno.EPIPE)  # the encoder went away and says why itself


def _tell(**message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _whole(box: Box) -> tuple[int, int, int, int]:
    left, top, right, bottom = box
    return round(left), round(top), max(round(right), round(left) + 1), max(round(bottom), round(top) + 1)


def _scaled(role: str, picture: Image.Image, steps: tuple[int, ...]) -> list[tuple[str, Image.Image]]:
    sizes = [
        (width, max(1, round(picture.height * width / picture.width)))
        for width in pixels.widths(picture.width, steps)
    ]
    return [(role, picture.resize(size, Image.Resampling.LANCZOS)) for size in sizes]
