"""What text of an author can be kept, and what counts as text."""

from __future__ import annotations

import unicodedata

from config.texts import check_characters

INVISIBLE = (
    "Cc",
    "Cf",
    "Zs",
    "Zl",
    "Zp",
)  # controls, zero-width characters and marks of direction, every space
BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters and symbols by category, empty on the screen


def check_storable(value: str) -> None:
    """The validator of every text of an author, under the name that migrations have of it. Raises ValidationError."""
    check_characters(value)


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing of it; zero-width characters alone are not text."""
    return all(char in BLANK or unicodedata.category(char) in INVISIBLE for char in text)
