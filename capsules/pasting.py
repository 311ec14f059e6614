"""Scenes of a pasted text: a paragraph each, until its author merges, splits or removes some. No word is ever cut."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from capsules.models import Scene
from config.texts import unix_breaks

LONGEST = int(Scene._meta.get_field("text").max_length or 0)  # characters of a scene
LONGEST_TITLE = int(Scene._meta.get_field("title").max_length or 0)
LENGTHS = (350, 700, 1400, LONGEST)  # of the scenes that short ones become where there are too many
SHORT_LINE = 80  # characters: what is longer is a sentence rather than a heading
ENDS_SENTENCE = (*".!?…,;:。！？、؟۔।", "-", "–", "—")
HEADING = re.compile(r"#{1,6}[ \t]+(.+)")  # as Markdown marks it
BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
#: Where a sentence may end: its mark, what closes quotes and brackets, and the space behind it, if its script has one.
SENTENCE_END = re.compile(r"[.!?…؟۔।][\"'”’»)\]]*\s+|[。！？][”’」』）]*\s*|\n+")
ABBREVIATION = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nr|vs|etc|bzw|ca)|\b[^\W\d_])$")
LONGEST_ABBREVIATION = 4  # characters


@dataclass(frozen=True)
class Piece:
    """A scene that is proposed; what its author removed stays in the list, so that it can be put back."""

    text: str
    title: str = ""
    removed: bool = False

    @property
    def sentences(self) -> list[str]:
        return sentences(self.text)


Pieces = list[Piece]


def proposed(text: str) -> tuple[str, Pieces]:
    """The title of a text, "" where it has none, and its scenes."""
    paragraphs = paragraphs_of(text)
    title = ""
    if len(paragraphs) > 1 and is_heading(paragraphs[0]):
        title = without_mark(paragraphs.pop(0))
    return title, [piece for each in with_headings(paragraphs) for piece in short_enough(each)]


def paragraphs_of(text: str) -> list[str]:
    """Parted by empty lines; by every line end in a text that has none, as some programs copy it."""
    whole = unix_breaks(text).strip()
    parts = BLANK_LINE.split(whole) if BLANK_LINE.search(whole) else whole.split("\n")
    return [part.strip() for part in parts if part.strip()]


def is_heading(paragraph: str) -> bool:
    """Whether it is one short line without the mark that ends a sentence."""
    if "\n" in paragraph or len(without_mark(paragraph)) > SHORT_LINE:
        return False
    return bool(HEADING.fullmatch(paragraph)) or not paragraph.endswith(ENDS_SENTENCE)


def without_mark(heading: str) -> str:
    marked = HEADING.fullmatch(heading)
    return marked[1].strip() if marked else heading


def with_headings(paragraphs: Sequence[str]) -> Iterator[Piece]:
    """A piece for each paragraph; a line that Markdown marks is the heading of what follows it."""
    heading = ""
    for paragraph in paragraphs:
        first, _, rest = paragraph.partition("\n")
        if HEADING.fullmatch(first) and len(without_mark(first)) <= LONGEST_TITLE:
            if heading:  # two in a row: the first has no text but itself
                yield Piece(heading)
            heading, paragraph = without_mark(first), rest.strip()
        if paragraph:
            yield Piece(paragraph, heading)
            heading = ""
    if heading:
        yield Piece(heading)


def short_enough(piece: Piece) -> Pieces:
    """The piece itself, or about equal parts of it that end with a sentence."""
    parts = math.ceil(len(piece.text) / LONGEST)
    if parts < 2:
        return [piece]
    aim = min(LONGEST, math.ceil(1.15 * len(piece.text) / parts))
    made = [""]
    for part in (part for sentence in piece.sentences for part in cut_text(sentence)):
        if made[-1] and len(made[-1] + part.rstrip()) > aim:
            made.append("")
        made[-1] += part
    texts = [text.strip() for text in made if text.strip()]
    return [Piece(text, "" if index else piece.title) for index, text in enumerate(texts)]


def cut_text(sentence: str) -> Iterator[str]:
    """Its words, where no scene can hold it whole; a word that none can hold, in parts."""
    if len(sentence.rstrip()) <= LONGEST:
        yield sentence
        return
    for word in re.findall(r"\S+\s*|\s+", sentence):
        yield from (word[at : at + LONGEST] for at in range(0, len(word), LONGEST))


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with the space behind it: together they are the text."""
    made, start = [], 0
    for end in SENTENCE_END.finditer(text):
        # Only what stands right before it: a text of nothing but initials would be read again for each of them.
        last = max(start, end.start() - LONGEST_ABBREVIATION)
        if end[0].startswith(".") and ABBREVIATION.search(text, last, end.start()):
            continue
        made.append(text[start : end.end()])
        start = end.end()
    return [*made, text[start:]] if text[start:] else made


# --- What their author does with them --------------------------------------------------------------------------------


def joined(one: Piece, other: Piece) -> Piece:
    """Both as one; the heading of the second becomes a line of the text."""
    texts = [one.text, f"{other.title}\n{other.text}" if other.title else other.text]
    return replace(one, text="\n\n".join(texts))


def can_merge(pieces: Pieces, at: int) -> bool:
    """Whether the piece and the one before it fit into one scene, and neither was removed."""
    if not 0 < at < len(pieces) or pieces[at].removed or pieces[at - 1].removed:
        return False
    return len(joined(pieces[at - 1], pieces[at]).text) <= LONGEST


def merge(pieces: Pieces, at: int) -> Pieces:
    """With a piece and the one before it as one, where they can be."""
    if not can_merge(pieces, at):
        return pieces
    return [*pieces[: at - 1], joined(pieces[at - 1], pieces[at]), *pieces[at + 1 :]]


def split(pieces: Pieces, at: int, after: int) -> Pieces:
    """With a piece in two, the second behind that many sentences."""
    if not 0 <= at < len(pieces) or not 0 < after < len(pieces[at].sentences):
        return pieces
    parts = pieces[at].sentences
    first, second = "".join(parts[:after]).strip(), "".join(parts[after:]).strip()
    return [*pieces[:at], replace(pieces[at], text=first), Piece(second), *pieces[at + 1 :]]


def remove(pieces: Pieces, at: int, *, removed: bool = True) -> Pieces:
    """Without a piece, or with it again."""
    return [replace(each, removed=removed) if place == at else each for place, each in enumerate(pieces)]


def kept(pieces: Pieces) -> Pieces:
    return [piece for piece in pieces if not piece.removed]


def fit(pieces: Pieces, room: int) -> Pieces:
    """Those that are kept, as short as they can be with room for all; too many still, where even long ones are."""
    made = kept(pieces)
    for most in LENGTHS:
        if len(made) > room:
            made = packed(made, most)
    return made


def packed(pieces: Pieces, most: int) -> Pieces:
    """Neighbours as one, as long as that has at most so many characters."""
    made: Pieces = []
    for piece in pieces:
        together = joined(made[-1], piece) if made else None
        if together and len(together.text) <= most:
            made[-1] = together
        else:
            made.append(piece)
    return made
