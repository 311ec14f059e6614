"""How the end of a link is made of a title."""

from __future__ import annotations

from itertools import islice

import pytest

from publishing.slugs import MAX_LENGTH, candidates, rule_fault


@pytest.mark.parametrize(
    "title, slug",
    [
        ("It's a start", "its-a-start"),
        ("Don\u2019t look", "dont-look"),
        ("rock 'n' roll", "rock-n-roll"),
        ("Привет, мир", "privet-mir"),
        ("上海之夜", "shang-hai-zhi-ye"),
        ("さくら", "sakura"),
        ("星期最後の日", "capsule"),  # Chinese readings of Japanese words are words of no language
        ("さくらの手紙 2026", "2026"),
        ("شهر رمضان", "capsule"),  # without its vowels nobody can read it
        ("שלום Jerusalem", "jerusalem"),
        ("👋", "capsule"),
        ("Größe & Übermut", "grosse-ubermut"),
        ("It's 7:40", "its-7-40"),
        ("--Already-a-slug--", "already-a-slug"),
        ("a" * 80, "a" * MAX_LENGTH),
        ("a" * 47 + " bb", "a" * 47 + "-bb"),  # its second one is cut at the hyphen
        ("many words " * 9, "many-words-many-words-many-words-many-words-many"),
    ],
)
def test_a_slug_is_made_of_the_words_of_a_title(title, slug):
    first, *others = islice(candidates(title), 10)
    assert first == slug
    assert all(rule_fault(each) is None for each in (first, *others))
    assert [each.rpartition("-")[2] for each in others] == [str(number) for number in range(2, 11)]
    kept = slug[: MAX_LENGTH - len("-10")].rstrip("-")
    assert others[-1] == f"{kept}-10", "no more is cut off than its number needs"
