"""Words for addresses: lowercase ASCII of what a person wrote, for slugs and workspace names."""

from __future__ import annotations

import re

from slugify import slugify

#: Characters that join a word from inside: "It's" is one word.
APOSTROPHES = re.compile(r"(?<=\w)['\u2018\u2019\u02bc\uff07](?=\w)")
HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
KANA = re.compile(r"[\u3040-\u30ff]")
#: Scripts that write no vowels or no single sounds, so that letter for letter gives what nobody can read: Hebrew,
#: Arabic, Syriac, Thaana, Thai, Lao, Tibetan, Khmer.
UNSOUNDED = re.compile(r"[\u0590-\u07bf\u08a0-\u08ff\u0e00-\u0fff\u1780-\u17ff\ufb1d-\ufdff\ufe70-\ufefc]+")


def ascii_words(text: str, max_length: int) -> str:
    """`text` as hyphenated ASCII words, cut at a word; "" where none are left.

    A script is written out where letters have sounds. Han characters are read as Chinese; beside kana, which show that
    they are Japanese, they are left out with the kana: their Chinese readings would be words of no language.
    """
    text = APOSTROPHES.sub("", text)
    if HAN.search(text) and KANA.search(text):
        text = HAN.sub(" ", KANA.sub(" ", text))
    text = UNSOUNDED.sub(" ", text)
    return slugify(text, max_length=max_length, word_boundary=True, save_order=True) or slugify(
        text, max_length=max_length
    )
