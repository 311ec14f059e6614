"""Answers as a browser reads them."""

from __future__ import annotations

from typing import Any

import html5lib
from django.http import HttpResponse


def parsed(answer: HttpResponse) -> Any:
    """The tree of a page, as xml.etree has it."""
    return html5lib.parse(answer.content.decode(), namespaceHTMLElements=False)


def words_of(element: Any) -> str:
    """What an element says, in one line."""
    return " ".join("".join(element.itertext()).split())


def metas(answer: HttpResponse) -> dict[str, str]:
    """The content of every meta element by its name or property."""
    return {m.get("property") or m.get("name"): m.get("content") for m in parsed(answer).iter("meta")}
