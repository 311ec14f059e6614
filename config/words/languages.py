"""In which language our own words are said: that of the capsule beside them where we have it, else English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from babel import Locale
from django.conf import settings
from django.utils import translation

ENGLISH = "en"
TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")  # the common shape of BCP 47
LONGEST_TAG = 35
RIGHT_TO_LEFT = frozenset(
    ["ar", "arc", "ckb", "dv", "fa", "he", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"]
)
SCRIPTS_TO_LEFT = frozenset(["adlm", "arab", "hebr", "mand", "nkoo", "rohg", "samr", "syrc", "thaa"])
#: Dates as the rest of our English has them: the day before the month.
FORMATS = {"en": "en_GB"}


def words_language(tag: str) -> str:
    """The catalogue for texts in a language: itself, or by its first part (pt-BR: pt); English where we have none."""
    offered = {code for code, _ in settings.LANGUAGES}
    return next((each for each in (tag.lower(), primary(tag)) if each in offered), ENGLISH)


def direction(tag: str) -> str:
    """rtl or ltr: by the script where the tag names one (az-Arab), else by the language."""
    parts = tag.lower().split("-")
    script = next((part for part in parts[1:] if len(part) == 4 and part.isalpha()), "")
    to_left = script in SCRIPTS_TO_LEFT if script else parts[0] in RIGHT_TO_LEFT
    return "rtl" if to_left else "ltr"


def primary(tag: str) -> str:
    return tag.split("-")[0].lower()


def known(tag: str) -> str:
    """A tag that somebody sent, as far as it is one; "" for anything else."""
    return tag if len(tag) <= LONGEST_TAG and TAG.fullmatch(tag) else ""


class Page(NamedTuple):
    tag: str  # the language of the capsule that it is about
    root: str  # the language of the page itself


_page: ContextVar[Page | None] = ContextVar("the page that is being rendered", default=None)


@contextmanager
def page_in(tag: str, *, own: bool = False) -> Iterator[None]:
    """What is rendered inside is a page (or a mail) of texts in this language, and our words follow it.

    `own`: it has no texts but ours, so where we lack the language the whole page is in English.
    """
    tag = known(tag) or ENGLISH
    words = words_language(tag)
    is_lacking = primary(words) != primary(tag)
    token = _page.set(Page(tag, words if own and is_lacking else tag))
    try:
        with translation.override(words):
            yield
    finally:
        _page.reset(token)


def page_language() -> str:
    page = _page.get()
    return page.root if page else spoken()


def asked_language() -> str:
    """What forms and links pass on, also where we do not have it."""
    page = _page.get()
    return page.tag if page else spoken()


def spoken() -> str:
    """The language of our words."""
    return translation.get_language() or ENGLISH


def is_foreign() -> bool:
    """Whether our words are in another language than the page."""
    return primary(spoken()) != primary(page_language())


def locale() -> Locale:
    """How dates and numbers are written beside our words."""
    language = primary(spoken())
    return Locale.parse(FORMATS.get(language, language))
