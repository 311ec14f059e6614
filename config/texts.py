"""Text that people wrote, where it has to fit: on one line, into so many characters, into a header of a mail."""

from __future__ import annotations

import re
import unicodedata

from django.core.exceptions import ValidationError

#: Joiners and marks of direction: nobody sees them, but Persian, Hebrew, Hindi and many emoji are written with them.
PART_OF_WORDS = "\u200c\u200d\u200e\u200f"
LONGEST_SUBJECT = 150  # characters

#: A scheme, www., a mail address, or two words joined by a full stop; not initials, as in U.S.News.
ADDRESS = re.compile(r"\w+://\S*|www\.\S*|\S+@\S+\.\S+|\w[\w-]+\.[^\W\d_]{2,}\S*", re.IGNORECASE)


def one_line(text: str) -> str:
    """The text with single blanks between words, and without the characters that nobody sees."""
    return " ".join("".join(" " if breaks(c) else c for c in text if not hides(c)).split())


def breaks(character: str) -> bool:
    """Whether it is a control, line or paragraph character, or none at all (half of a UTF-16 pair, U+FFFE, U+FFFF)."""
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in "\ufffe\uffff"


def hides(character: str) -> bool:
    """Whether it shows nothing and may turn the text around it: overrides of direction, zero-width blanks."""
    return unicodedata.category(character) == "Cf" and character not in PART_OF_WORDS


def cut(text: str, length: int) -> str:
    """One line of at most so many characters, ended at a word; only a longer word is cut itself."""
    line = one_line(text)
    if len(line) <= length:
        return line
    shorter = line[: length - 1]
    if not line[length - 1].isspace():
        shorter = shorter.rpartition(" ")[0] or shorter
    return shorter.rstrip(" ,;:–—-") + "…"


def subject_line(text: str) -> str:
    """The subject of a mail: one line, not empty, not too long, nothing in it that is read as an encoded word."""
    return cut(text, LONGEST_SUBJECT).replace("=?", "= ?") or "…"


def check_title(title: str) -> None:
    """Raises ValidationError for what no title needs, and what could be taken for code in the header of a mail."""
    if any(breaks(character) or hides(character) for character in title):
        raise ValidationError("A title is one line, without invisible characters.")
    if "=?" in title:
        raise ValidationError("A title cannot contain “=?”.")
    check_no_address(title)


def check_no_address(text: str) -> None:
    """Raises ValidationError for what a mail program would make a link of: our mails name workspaces and people."""
    found = ADDRESS.search(text)
    if found:
        raise ValidationError(f"This cannot contain a web or mail address (“{found[0]}” looks like one).")
