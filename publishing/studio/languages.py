"""The languages that authors choose from, by the names that their speakers give them."""

from __future__ import annotations

import unicodedata
from functools import cache

from babel import Locale
from django.conf.locale import LANG_INFO
from django.utils.text import capfirst
from django.utils.translation import to_locale


def own_name(code: str, known: dict[str, str]) -> str:
    """Babel's where Django has only the English one: euskara for Basque."""
    is_english = known["name_local"] == known["name"] and "-" not in code
    return str(capfirst(Locale.parse(code).get_display_name() if is_english else known["name_local"]))


@cache
def names() -> dict[str, str]:
    """By language tags (BCP 47) as they are usually written: pt-BR, zh-Hans. To read them all takes a while."""
    return {
        to_locale(code).replace("_", "-"): own_name(code, known)
        for code, known in LANG_INFO.items()
        if "name_local" in known  # without one it is another tag's second name
    }


def named(tag: str) -> str:
    """The tag itself where we know no name."""
    return names().get(tag, tag)


def choices(present: str) -> list[tuple[str, str]]:
    """(tag, name) by name, whose accents count for nothing; with the present one, whatever it is."""
    return sorted({present: present, **names()}.items(), key=lambda each: without_accents(each[1]))


def without_accents(name: str) -> str:
    """For the order of names: Česky stands before Dansk."""
    letters = unicodedata.normalize("NFD", name.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
