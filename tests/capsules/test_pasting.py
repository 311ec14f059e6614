"""Scenes of a pasted text: a paragraph each, none too long, no word cut, whatever its author does with them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capsules import pasting
from capsules.pasting import LONGEST, Piece

STORY = """The Night Ferry

It leaves at dusk. Nobody is late.

Halfway over, the engine drops to a murmur.

By morning the hills are back."""


def words(*texts: str) -> str:
    return "".join("".join(texts).split())


def words_of(pieces) -> str:
    return words(*(text for piece in pieces for text in (piece.title, piece.text)))


def test_each_paragraph_is_a_scene_and_a_short_first_line_the_title():
    title, pieces = pasting.proposed(STORY)
    assert title == "The Night Ferry"
    assert [piece.text for piece in pieces] == STORY.split("\n\n")[1:]


@pytest.mark.parametrize(
    "text, title, scenes",
    [
        ("It leaves at dusk.\n\nNobody is late.", "", 2),  # a sentence is not a heading
        ("Only a heading", "", 1),  # then there would be no scene
        (
            "A title\r\nFirst.\r\nSecond.",
            "A title",
            2,
        ),  # as programs copy it that part paragraphs by line ends
        ("# Ferry\n\n## Dusk\n\nIt leaves.", "Ferry", 1),
        ("Two lines\nof an address\n\nA text.", "", 2),
        ("  \n\n ", "", 0),
    ],
)
def test_what_is_a_title_and_what_a_scene(text, title, scenes):
    found, pieces = pasting.proposed(text)
    assert (found, len(pieces)) == (title, scenes)


class Reading:
    """A pattern that counts the characters which it is given to read."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern, self.characters = pattern, 0

    def search(self, text: str, *span: int) -> re.Match[str] | None:
        self.characters += len(text[slice(*span)])
        return self.pattern.search(text, *span)


def test_a_text_of_nothing_but_initials_is_read_once(monkeypatch):
    monkeypatch.setattr(pasting, "ABBREVIATION", reading := Reading(pasting.ABBREVIATION))
    text = "a. " * 200
    assert pasting.sentences(text) == [text]
    assert reading.characters <= 4 * 200


def test_a_marked_line_is_the_heading_of_its_scene():
    _, pieces = pasting.proposed("First.\n\n## Dusk\nIt leaves.\n\n## Dawn\n\n## Noon\n\nHome.")
    assert [(piece.title, piece.text) for piece in pieces] == [
        ("", "First."),
        ("Dusk", "It leaves."),
        ("", "Dawn"),
        ("Noon", "Home."),
    ]


def test_a_long_paragraph_is_parted_between_sentences():
    sentence = "Dr. Lind counted the stars, one by one, until it was day. "
    long = (sentence * 80).strip()
    _, pieces = pasting.proposed(long)
    assert len(pieces) == 3 and all(len(piece.text) <= LONGEST for piece in pieces)
    assert all(piece.text.startswith("Dr. Lind") and piece.text.endswith("day.") for piece in pieces)
    assert max(len(piece.text) for piece in pieces) < 2 * min(len(piece.text) for piece in pieces)


def test_what_has_no_sentences_is_parted_between_words_and_a_word_like_that_anywhere():
    for text in ("word " * 1000, "a" * 4500, "字" * 2001):
        _, pieces = pasting.proposed(text)
        assert words_of(pieces) == words(text)
        assert all(0 < len(piece.text) <= LONGEST for piece in pieces)


TEXTS = st.lists(
    st.sampled_from(["Word", "word. ", "Why? ", "\n", "\n\n", "## ", "字。", "a" * 900, " "]), max_size=60
)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.lists(st.tuples(st.sampled_from("mspf"), st.integers(0, 9), st.integers(1, 4)), max_size=8))
def test_no_word_is_lost_whatever_is_merged_split_removed_and_put_back(parts, actions):
    text = "".join(parts)
    title, pieces = pasting.proposed(text)
    for action, at, after in actions:
        if action == "m":
            pieces = pasting.merge(pieces, at)
        elif action == "s":
            pieces = pasting.split(pieces, at, after)
        elif action == "p":
            pieces = pasting.remove(pasting.remove(pieces, at), at, removed=False)
        else:
            pieces = pasting.fit(pieces, 3)
    assert all(len(piece.text) <= LONGEST and len(piece.title) <= 80 for piece in pieces)
    assert words(title, words_of(pieces)).replace("#", "") == words(text).replace("#", "")


def test_sentences_together_are_the_text():
    text = "Mr. Vale waits. “Late again!” he says.\nThen: home. それは夜。朝。"
    assert "".join(pasting.sentences(text)) == text
    assert [each.strip() for each in pasting.sentences(text)] == [
        "Mr. Vale waits.",
        "“Late again!”",
        "he says.",
        "Then: home.",
        "それは夜。",
        "朝。",
    ]


def test_merging_keeps_a_heading_and_stops_at_what_no_scene_can_hold():
    two = [Piece("One."), Piece("Two.", "Later")]
    assert pasting.merge(two, 1) == [Piece("One.\n\nLater\nTwo.")]
    full = [Piece("a" * 1999), Piece("b")]
    assert pasting.merge(full, 1) == full and not pasting.can_merge(full, 1)
    assert not pasting.can_merge([Piece("One.", removed=True), Piece("Two.")], 1)


def test_too_many_short_scenes_are_packed_until_there_is_room():
    many = [Piece(f"Sentence number {number}.") for number in range(130)]
    packed = pasting.fit(many, 100)
    assert len(packed) <= 100
    assert words_of(packed) == words_of(many)
    assert pasting.fit(many[:100], 100) == many[:100]
    long = [Piece("a" * 1990) for _ in range(130)]
    assert len(pasting.fit(long, 100)) == 130
