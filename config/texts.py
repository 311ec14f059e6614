"""Text that people wrote, where it has to fit: on one line, into so many characters, into a header of a mail."""

from __future__ import annotations

import re
import unicodedata

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils.translation import gettext, gettext_noop

#: Joiners and marks of direction: nobody sees them, but Persian, Hebrew, Hindi and many emoji are written with them.
PART_OF_WORDS = "\u200c\u200d\u200e\u200f"
LONGEST_SUBJECT = 150  # characters
LONGEST_SEARCH = 200  # characters that are looked for
LONGEST_NAME = 200  # characters of a title or name, or fewer

#: NUL, which PostgreSQL cannot store, and halves of surrogate pairs, which no UTF-8 has.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
NOT_STORABLE = gettext_noop(
    "This text has a character that cannot be stored (NUL or half of a surrogate pair)."
)
#: Controls other than tab, line feed and carriage return, and what Unicode says is not a character, in every plane.
NO_CHARACTERS = "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
UNSEEN = re.compile(f"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef{NO_CHARACTERS}]")
LINE_BREAK = re.compile("[\n\r\u2028\u2029]")
#: Marks that turn the direction of what follows until their counterpart: embeddings, overrides, isolates.
CLOSED_BY = dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c") | dict.fromkeys(
    "\u2066\u2067\u2068", "\u2069"
)
MARKS = re.compile(f"[{''.join({*CLOSED_BY, *CLOSED_BY.values()})}]")

#: A scheme, www., a mail address, or two words joined by a full stop; not initials, as in U.S.News. Other full stops
#: count as dots of a host name (UTS 46), but only between ASCII: Chinese and Japanese sentences end with one.
ADDRESS = re.compile(
    r"\w+://\S*|www\.\S*|\S+@\S+\.\S+|\w[\w-]+\.[^\W\d_]{2,}\S*|[a-z0-9-]+[。．｡][a-z0-9-]{2,}\S*",
    re.IGNORECASE,
)


def contains(field: str, words: str) -> Q:
    """Whether the text of a row has these words, in capitals or not, each accent a part of its letter or a character of
    its own, as in file names of macOS. SQLite's LIKE knows the capitals of ASCII only.
    """
    spelled = "".join(map(spelled_alike, unicodedata.normalize("NFC", words)))
    return Q((f"{field}__iregex", spelled if words.isascii() else f"{re.escape(words)}|{spelled}"))


def spelled_alike(character: str) -> str:
    """A regular expression for a composed character, whole or taken apart."""
    apart = unicodedata.normalize("NFD", character)
    return re.escape(character) if apart == character else f"(?:{character}|{apart})"


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


def unlinked(text: str) -> str:
    """One line in which no mail program finds an address to make a link of: for mails that quote people and apps."""
    return ADDRESS.sub(lambda found: re.sub(r"([.@:/。．｡])(?=\S)", r"\1 ", found[0]), one_line(text))


def unix_breaks(text: str) -> str:
    """The text with every line ended as forms and Windows do not: by one character."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_characters(text: str) -> None:
    """Raises ValidationError for what no text needs: characters that cannot be stored, controls other than line breaks
    and tabs, code points that are not characters, and marks that would turn the direction of what comes after the text.
    """
    if UNSTORABLE.search(text):
        raise ValidationError(gettext(NOT_STORABLE))
    if found := UNSEEN.search(text):
        raise ValidationError(
            gettext("This text has a control character (%(code)s). Please remove it.")
            % {"code": code_of(found[0])}
        )
    for line in LINE_BREAK.split(text):
        if mark := unbalanced(line):
            raise ValidationError(
                gettext(
                    "This text has a mark of direction without its counterpart on the same line (%(code)s). "
                    "Please remove it."
                )
                % {"code": code_of(mark)}
            )


def readable(text: str) -> str:
    """The text without what `check_characters` refuses: for what was written before it did."""
    seen = UNSEEN.sub("", text)
    return "".join(
        MARKS.sub("", line) if unbalanced(line) else line for line in seen.splitlines(keepends=True)
    )


def check_one_line(text: str) -> None:
    """Raises ValidationError for a text of more than one line."""
    if LINE_BREAK.search(text):
        raise ValidationError(gettext("This is one line: it cannot have line breaks."))


def unbalanced(line: str) -> str | None:
    """The first mark of direction that closes nothing, else one that nothing closes; None where all have their pair."""
    open_marks: list[str] = []
    for character in line:
        if character in CLOSED_BY:
            open_marks.append(character)
        elif character in CLOSED_BY.values() and (not open_marks or CLOSED_BY[open_marks.pop()] != character):
            return character
    return open_marks[-1] if open_marks else None


def code_of(character: str) -> str:
    return f"U+{ord(character):04X}"


def check_title(title: str) -> None:
    """Raises ValidationError for what no title needs, and what could be taken for code in the header of a mail."""
    if any(breaks(character) or hides(character) for character in title):
        raise ValidationError(gettext("A title is one line, without invisible characters."))
    if "=?" in title:
        raise ValidationError(gettext("A title cannot contain “=?”."))
    check_no_address(title)


def check_no_address(text: str) -> None:
    """Raises ValidationError for what a mail program would make a link of: our mails name workspaces and people."""
    # The search is cubic, so it is bounded: whatever is longer is refused for its length.
    found = ADDRESS.search(text[:LONGEST_NAME])
    if found:
        raise ValidationError(
            gettext("This cannot contain a web or mail address (“%(found)s” looks like one).")
            % {"found": found[0]}
        )
