"""The languages that authors choose from, by the names that their speakers give them."""

from __future__ import annotations

from django.conf.locale import LANG_INFO
from django.utils.text import capfirst
from django.utils.translation import to_locale

#: By language tags (BCP 47) as they are usually written: pt-BR, zh-Hans.
NAMES = {
    to_locale(code).replace("_", "-"): capfirst(known["name_local"])
    for code, known in LANG_INFO.items()
    if "name_local" in known  # without one it is another tag's second name
}


def named(tag: str) -> str:
    """The tag itself where we know no name."""
    return NAMES.get(tag, tag)


def choices(present: str) -> list[tuple[str, str]]:
    """(tag, name) by name; with the present one, whatever it is."""
    return sorted({present: present, **NAMES}.items(), key=lambda each: each[1].casefold())
