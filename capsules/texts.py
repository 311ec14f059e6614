"""What text of an author can be kept, and what counts as text."""

from __future__ import annotations

import re
import unicodedata

from django.core.exceptions import ValidationError

#: NUL, which PostgreSQL cannot store, and halves of surrogate pairs, which no UTF-8 has.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
INVISIBLE = (
    "Cc",
    "Cf",
    "Zs",
    "Zl",
    "Zp",
)  # controls, zero-width characters and marks of direction, every space
BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters and symbols by category, empty on the screen

NOT_STORABLE = "This text has a character that cannot be stored (NUL or half of a surrogate pair)."


def check_storable(value: str) -> None:
    """Raises ValidationError for text that a database or a page would break on."""
    if UNSTORABLE.search(value):
        raise ValidationError(NOT_STORABLE)


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing of it; zero-width characters alone are not text."""
    return all(char in BLANK or unicodedata.category(char) in INVISIBLE for char in text)
