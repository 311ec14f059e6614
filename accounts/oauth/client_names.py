"""What a client may call itself, and when two names look the same to a person."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from django.conf import settings
from django.utils.translation import gettext

#: Letters and symbols that show nothing, although Unicode does not count them as blank.
INVISIBLE = frozenset("\u115f\u1160\u2800\u3164\uffa0")
#: Small letters and digits that a person takes for one another once capitals are written small.
TAKEN_FOR = {"i": "l", "1": "l", "0": "o", "5": "s", "m": "rn"}
#: Letters that a capital one looks like, but not the small one that normalization makes of it.
CAPITALS = {0x03F9: "c"}
#: A Latin letter with a hook, a tail or a stroke, which is not an accent that could be taken off.
DRESSED = re.compile(r"LATIN (?:SMALL|CAPITAL) LETTER ([A-Z]) WITH .+")


def name_fault(name: str) -> str:
    """Why a client may not have this name, in words for a developer; "" if it may. The empty name means no name."""
    if any(unicodedata.category(c)[0] == "C" or unicodedata.category(c) in ("Zl", "Zp") for c in name):
        return gettext("Must not contain control, formatting or unassigned characters.")
    if name and all(c.isspace() or c in INVISIBLE or unicodedata.combining(c) for c in name):
        return gettext("Must have visible characters.")
    if skeleton(settings.SERVICE_NAME) in skeleton(name):
        told = gettext("Must not contain the name of this service, %(service)s, or what looks like it.")
        return told % {"service": settings.SERVICE_NAME}
    return ""


def look_alike(one: str, other: str) -> bool:
    """Whether a person may take one name for the other."""
    return bool(one and other) and (skeleton(one) or one.casefold()) == (skeleton(other) or other.casefold())


def skeleton(name: str) -> str:
    """The letters and digits of a name as a person sees them at a glance (after UTS 39).

    Without accents, blanks and punctuation, in lower case, each letter as the Latin one that it looks like.
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name.translate(CAPITALS)).casefold())
    return "".join(seen_as(c) for c in plain if not unicodedata.combining(c))


@lru_cache(maxsize=4096)
def seen_as(c: str) -> str:
    """The ASCII letters that one character looks like, else itself; "" for what is neither letter nor digit."""
    if c in TAKEN_FOR:
        return TAKEN_FOR[c]
    if c.isascii():
        return c if c.isalnum() else ""
    from confusable_homoglyphs.confusables import confusables_data  # 18 MB, which few processes ever need

    twins = [
        twin["c"].casefold() for twin in confusables_data.get(c, []) + confusables_data.get(c.upper(), [])
    ]
    latin = min((twin for twin in twins if twin.isascii() and twin.isalnum()), key=len, default="")
    if latin:
        return "".join(TAKEN_FOR.get(letter, letter) for letter in latin)
    if dressed := DRESSED.fullmatch(unicodedata.name(c, "")):
        return seen_as(dressed[1].lower())
    return c if c.isalnum() else ""
