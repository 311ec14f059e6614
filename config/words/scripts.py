"""What the scripts of account and studio say: found by its calls, and brought along by pages that are not in English.

`t("A sentence with a {place}.", ...)` and `plural("1 scene", "{n} scenes", ...)`, as static/studio/words.js has them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.utils.translation import gettext, ngettext

from config.words import languages
from config.words.compiling import ROOT

FOLDER = ROOT / "static"
STRING = r'("(?:[^"\\]|\\.)*"(?:\s*\+\s*"(?:[^"\\]|\\.)*")*)'
CALL = re.compile(rf"(?<![\w.$])(?:t\(\s*{STRING}|plural\(\s*{STRING},\s*{STRING})")
#: Every category of numbers in any language has a number among these.
NUMBERS = (*range(201), 1_000_000)


def scripts() -> list[Path]:
    return [FOLDER / "sign-out.js", *sorted(FOLDER.glob("studio/*.js"))]


def words_in(script: str) -> Iterator[tuple[str, str]]:
    """Each sentence, with its form for several or ""."""
    for found in CALL.finditer(script):
        one, many = found[1] or found[2], found[3]
        yield text_of(one), text_of(many) if many else ""


def text_of(strings: str) -> str:
    return "".join(json.loads(each) for each in re.findall(r'"(?:[^"\\]|\\.)*"', strings))


@cache
def known(*names: str) -> dict[str, str]:
    """The words of these scripts, of all where none is named, with their forms for several."""
    paths = [Path(f"{FOLDER}/{name}") for name in names] if names else scripts()
    return dict(each for path in paths for each in words_in(path.read_text()))


def catalogue(*names: str) -> dict[str, str | dict[str, str]]:
    """What scripts say in the language of the page; nothing where that is English."""
    if languages.spoken() == languages.ENGLISH:
        return {}
    category = languages.locale().plural_form
    numbers = {category(number): number for number in NUMBERS}
    return {
        one: {name: ngettext(one, many, number) for name, number in numbers.items()} if many else gettext(one)
        for one, many in known(*names).items()
    }
