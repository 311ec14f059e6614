"""Two languages that nobody speaks: en-XA, longer by two fifths and accented; ar-XB, written to the left.

They hold the words of public pages, of the studio, and of the libraries whose words its pages show.
"""

from __future__ import annotations

import fcntl
import re
from collections.abc import Iterator
from pathlib import Path

import allauth
import django
from babel.messages import Catalog, Message, mofile, pofile

from config.words.compiling import PUBLIC, STUDIO
from config.words.gathering import template

#: English catalogues of Django (forms, dates; passwords; how long ago) and of django-allauth.
LIBRARIES = [
    Path(django.__file__).parent / "conf",
    Path(django.__file__).parent / "contrib" / "auth",
    Path(django.__file__).parent / "contrib" / "humanize",
    Path(allauth.__file__).parent,
]
HOLES = re.compile(r"(%\(\w+\)[sd]|%[sd]|\{\w*\}|<[^>]*>|%%)")
PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
ACCENTED = str.maketrans(PLAIN, "áƀćďéƒǧĥíĵķľɱńőƥǫŕšťúṽŵẋýžÁƁĆĎÉƑǦĤÍĴĶĽṀŃŐƤǪŔŠŤÚṼŴẊÝŽ")
MIRRORED = str.maketrans(PLAIN, "ابتثجحخدذرزسشصضطظعغفقكلمنه" * 2)


def accented(words: str) -> str:
    """Every letter with an accent, and two fifths more at the end; placeholders and markup as they are."""
    more = "".join("ó" if at % 8 else " " for at in range(1, int(len(HOLES.sub("", words)) * 0.4) + 1))
    return outside_holes(words, ACCENTED) + (f" {more.strip()}" if more.strip() else "")


def mirrored(words: str) -> str:
    return outside_holes(words, MIRRORED)


def outside_holes(words: str, table: dict[int, int]) -> str:
    return "".join(part if HOLES.fullmatch(part) else part.translate(table) for part in HOLES.split(words))


def everything() -> Iterator[Message]:
    yield from (message for message in template(PUBLIC, STUDIO) if message.id)
    for library in LIBRARIES:
        with (library / "locale" / "en" / "LC_MESSAGES" / "django.po").open("rb") as file:
            yield from (message for message in pofile.read_po(file) if message.id)


def written(shared: Path) -> Path:
    """A folder with compiled catalogues of both, for LOCALE_PATHS; of all processes of a run the first writes it."""
    folder = shared / "pseudo"
    with (shared / "pseudo.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            write(shared / "pseudo.part")
            (shared / "pseudo.part").rename(folder)
    return folder


def write(folder: Path) -> None:
    messages = list(everything())
    for name, like, changed in (("en_XA", "en", accented), ("ar_XB", "ar", mirrored)):
        catalogue = Catalog(locale=like, charset="utf-8", fuzzy=False)
        for message in messages:
            if isinstance(message.id, tuple):
                one, more = (changed(words) for words in message.id)
                forms = [one, *([more] * (catalogue.num_plurals - 1))]
                catalogue.add(message.id, forms, context=message.context)
            else:
                catalogue.add(message.id, changed(message.id), context=message.context)
        path = folder / name / "LC_MESSAGES" / "django.mo"
        path.parent.mkdir(parents=True)
        with path.open("wb") as file:
            mofile.write_mo(file, catalogue)
