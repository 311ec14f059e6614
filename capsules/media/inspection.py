"""Looks inside an uploaded file and says what it is, or in plain words why it cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filetype

from capsules.media.child import Limits, Pulse, TimedOut
from capsules.media.errors import EncodeFailed, MediaRefused
from capsules.media.facts import Facts
from capsules.media.painting import paint
from capsules.media.pixels import FORMATS
from capsules.media.probe import probe

LIMITS = Limits(seconds=4.5, cpu_seconds=4, address_space=3 << 30, file_size=16 << 20, nice=0)
SNIFFED_BYTES = 8192
SAME_AS = {"image/apng": "image/png", "video/x-m4v": "video/mp4", "video/3gpp": "video/mp4"}
EXTENSIONS = {
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/webp": "webp",
    "image/avif": "avif",
    "video/mp4": "mp4",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "video/x-matroska": "mkv",
}

EMPTY = "This file is empty."
NOT_A_PICTURE = "This file is not a picture we can read. Use JPEG, PNG, WebP or AVIF."
NOT_A_FILM = "This file is not a film we can read. Use MP4, MOV or WebM."
FILM_FOR_PICTURE = "This file is a film, but a picture is needed here."
PICTURE_FOR_FILM = "This file is a picture, but a film is needed here."
TOO_SLOW = "This file takes too long to read. Please export it again with common settings."


def inspect(source: Path, kind: str) -> Facts:
    """What `source` is, when it can be used as a "picture" or "film". Answers within five seconds.

    Raises MediaRefused.
    """
    return _picture(source) if kind == "picture" else _film(source)


def sniff(source: Path) -> str:
    """The media type by the first bytes of the file; "" if unknown. Raises MediaRefused for an empty file."""
    with source.open("rb") as file:
        head = file.read(SNIFFED_BYTES)
    if not head:
        raise MediaRefused(EMPTY)
    guess = filetype.guess(head)
    media_type: str = guess.mime if guess else ""
    media_type = SAME_AS.get(media_type, media_type)
    if head[4:12] == b"ftypavis":  # an animated one, which the sniffer does not know
        return "image/avif"
    if head[4:8] == b"ftyp" and not media_type.startswith("image/"):
        return media_type if media_type in EXTENSIONS else "video/mp4"
    return media_type


def picture_type(source: Path) -> str:
    """The media type of a picture of a kind that we read. Raises MediaRefused."""
    media_type = sniff(source)
    if media_type.startswith("video/"):
        raise MediaRefused(FILM_FOR_PICTURE)
    if media_type not in FORMATS:
        raise MediaRefused(NOT_A_PICTURE)
    return media_type


def film_type(source: Path) -> str:
    """The media type of a film in a container that we read. Raises MediaRefused."""
    media_type = sniff(source)
    if media_type in FORMATS:
        raise MediaRefused(PICTURE_FOR_FILM)
    if media_type not in EXTENSIONS:
        raise MediaRefused(NOT_A_FILM)
    return media_type


@contextmanager
def refusing(message: str) -> Iterator[None]:
    """A file that stops or breaks its reader is refused: `message`, or that it takes too long."""
    try:
        yield
    except TimedOut as error:
        raise MediaRefused(TOO_SLOW) from error
    except EncodeFailed as error:
        raise MediaRefused(message) from error


def _picture(source: Path) -> Facts:
    media_type = picture_type(source)
    with refusing(NOT_A_PICTURE):
        size = paint("look", Pulse(), LIMITS, source=str(source), media_type=media_type)
    return Facts("picture", media_type, EXTENSIONS[media_type], size["width"], size["height"], None)


def _film(source: Path) -> Facts:
    media_type = film_type(source)
    with refusing(NOT_A_FILM):
        film = probe(source, Pulse(), LIMITS)
    return Facts("film", media_type, EXTENSIONS[media_type], film.width, film.height, round(film.duration, 3))
