"""Small copies of the pictures that come with the service, shown where their renditions are not made yet."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from django.templatetags.static import static

PICTURES = Path(__file__).parent / "demo" / "pictures"


@cache
def stems() -> dict[str, str]:
    """The picture that a stored original is, by its name in the storage without the ending."""
    return {hashlib.sha256(file.read_bytes()).hexdigest(): file.stem for file in PICTURES.glob("*.webp")}


def url_of(picture: str) -> str:
    """Where the small copy of a picture is, by its file's name without the ending."""
    return static(f"examples/{picture}.webp")


def stand_in_for(original: str) -> str | None:
    """The small copy of a stored original, by its name in the storage; None for what people brought."""
    picture = stems().get(Path(original).stem)
    return url_of(picture) if picture else None
