"""The languages that authors choose from, by the names that their speakers give them."""

from __future__ import annotations

from django.conf.locale import LANG_INFO


def tag_of(code: str) -> str:
    """A language tag (BCP 47) as it is usually written: pt-BR, zh-Hans."""
    language, _, rest = code.partition("-")
    return language if not rest else f"{language}-{rest.upper() if len(rest) == 2 else rest.title()}"


NAMES = {
    tag_of(code): known["name_local"][:1].upper() + known["name_local"][1:]
    for code, known in LANG_INFO.items()
    if "name_local" in known  # without one it is another tag's second name
}


def named(tag: str) -> str:
    """The tag itself where we know no name."""
    return NAMES.get(tag, tag)


def choices(present: str) -> list[tuple[str, str]]:
    """(tag, name) by name; with the present one, whatever it is."""
    return sorted({present: present, **NAMES}.items(), key=lambda each: each[1].casefold())
