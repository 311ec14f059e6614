"""Each typeface of a look has the letters of every language that we speak in its alphabet: no word mixes two."""

from __future__ import annotations

import re

import pytest
from django.conf import settings

STATIC = settings.BASE_DIR / "static"
FACE = re.compile(
    r'@font-face \{\s+font-family: "?([\w ]+)"?;\s+src: url\("(.+?)"\).+?unicode-range: (.+?);', re.DOTALL
)
LETTERS = {
    "pl": "ąćęłńóśźżĄĆĘŁŃÓŚŹŻ",
    "tr": "çğıöşüÇĞİÖŞÜ",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюяҐЄІЇ",
    "fr": "àâçéèêëîïôûùüÿœæŒ",
    "de": "äöüßẞ",
}
MOST = 50_000  # bytes of one file


def faces() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for sheet in ("base.css", "themes.css"):
        for family, file, ranges in FACE.findall((STATIC / sheet).read_text()):
            found.setdefault(family, []).append((file, ranges))
    return found


def has(ranges: str, letter: str) -> bool:
    spans = [part.strip().removeprefix("U+").split("-") for part in ranges.split(",")]
    return any(int(span[0], 16) <= ord(letter) <= int(span[-1], 16) for span in spans)


@pytest.mark.parametrize("family", ["Inter", "Roboto Slab", "Fraunces"])
@pytest.mark.parametrize("language", LETTERS)
def test_a_typeface_has_all_letters_of_a_language_or_none(family, language):
    missing = [
        each for each in LETTERS[language] if not any(has(ranges, each) for _, ranges in faces()[family])
    ]
    if (family, language) == ("Fraunces", "uk"):  # it has none: a serif of the machine writes all of them
        assert len(missing) == len(LETTERS["uk"])
    else:
        assert missing == []


def test_every_file_is_there_and_small():
    files = [file for each in faces().values() for file, _ in each]
    assert len(files) == 8
    assert all(0 < (STATIC / file).stat().st_size <= MOST for file in files)
