"""Looks inside an uploaded file and says what it is, or in plain words why it cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filetype

from capsules.media.child import Limits, Pulse, TimedOut
from capsules.media.errors import EncodeFailed, Interrupted, MediaRefused
from capsules.media.facts import Facts
from capsules.media.painting import paint
from capsules.media.probe import probe

LIMITS = Limits(seconds=20, cpu_seconds=10, address_space=3 << 30, file_size=16 << 20, nice=0)
SNIFFED_BYTES = 8192
PICTURE_BRANDS = (b"avif", b"avis", b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
SAME_AS = {"image/apng": "image/png", "video/x-m4v": "video/mp4", "video/3gpp": "video/mp4"}
PICTURES = {
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/webp": "webp",
    "image/avif": "avif",
    "image/heic": "heic",
    "image/gif": "gif",
}
FILMS = {
    "video/mp4": "mp4",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "video/x-matroska": "mkv",
}

EMPTY = "This file is empty."
NOT_A_PICTURE = "This file is not a picture we can read. Use JPEG, PNG, WebP, AVIF or HEIC."
ANIMATED = "This picture moves. Save it as an MP4 film and upload that as a film."
NOT_A_FILM = "This file is not a film we can read. Use MP4, MOV or WebM."
FILM_FOR_PICTURE = "This file is a film, but a picture is needed here."
PICTURE_FOR_FILM = "This file is a picture, but a film is needed here."
TOO_SLOW = "This file takes too long to read. Please export it again with common settings."


def inspect(source: Path, kind: str) -> Facts:
    """What `source` is, when it can be used as a "picture" or "film". Answers within twenty seconds.

    Raises MediaRefused, and Interrupted where it could not be told.
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
    if head[4:8] == b"ftyp":
        return _ftyp(head) or (media_type if media_type in FILMS else "video/mp4")
    return media_type


def _ftyp(head: bytes) -> str:
    """The picture's media type in a container that pictures share with films; "" for a film."""
    brands = {head[place : place + 4] for place in range(8, min(int.from_bytes(head[:4]), 256), 4)}
    if head[8:12] not in PICTURE_BRANDS:
        return ""
    return "image/avif" if brands & {b"avif", b"avis"} else "image/heic"


def picture_type(source: Path) -> str:
    """The media type of a picture of a kind that we read. Raises MediaRefused."""
    media_type = sniff(source)
    if media_type.startswith("video/"):
        raise MediaRefused(FILM_FOR_PICTURE)
    if media_type not in PICTURES:
        raise MediaRefused(NOT_A_PICTURE)
    return media_type


def film_type(source: Path) -> str:
    """The media type of a film in a container that we read. Raises MediaRefused."""
    media_type = sniff(source)
    if media_type == "image/gif":
        raise MediaRefused(ANIMATED)
    if media_type in PICTURES:
        raise MediaRefused(PICTURE_FOR_FILM)
    if media_type not in FILMS:
        raise MediaRefused(NOT_A_FILM)
    return media_type


@contextmanager
def refusing(message: str) -> Iterator[None]:
    """A file that stops or breaks its reader is refused: `message`, or that it takes too long. Raises Interrupted."""
    try:
        yield
    except Interrupted:
        raise
    except TimedOut as error:
        raise MediaRefused(TOO_SLOW) from error
    except EncodeFailed as error:
        raise MediaRefused(message) from error


def _picture(source: Path) -> Facts:
    media_type = picture_type(source)
    with refusing(NOT_A_PICTURE):
        size = paint("look", Pulse(), LIMITS, source=str(source), media_type=media_type)
    if size["moves"]:
        raise MediaRefused(ANIMATED)
    return Facts("picture", media_type, PICTURES[media_type], size["width"], size["height"], None)


def _film(source: Path) -> Facts:
    media_type = film_type(source)
    with refusing(NOT_A_FILM):
        film = probe(source, Pulse(), LIMITS)
    size = film.width, film.height
    return Facts("film", media_type, FILMS[media_type], *size, round(film.duration, 3), film.sound, film)
