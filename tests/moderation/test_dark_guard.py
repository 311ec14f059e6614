"""Whoever shows something to readers asks `live()`: the code of their rooms is read for who could forget it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.support.syntax import parse

#: Where readers' answers are made, what apps are told of them, and what is counted of them.
FOR_READERS = (
    *("publishing/pages", "publishing/subscribers/pages.py", "publishing/premieres", "feed"),
    *("publishing/mcp", "publishing/statistics", "publishing/templatetags"),
)
#: The state of a row. Whether something is published or dark, only the publication's own queries ask.
ASKS_A_ROW = re.compile(r"frozen_at|frozen_case|suspended_at|is_suspended|\.is_dark")
ASKS_IN_A_QUERY = re.compile(r"(.*__)?(published_at|live_bake)(__isnull)?")
#: What a question about publications may begin with, when it is for readers.
BEGINS = ("live", "dark", "shown_editions_of")
#: Other questions about publications, which show readers nothing: file, how it begins, why.
OTHERS = {
    ("feed/actions.py", "select_for_update"): "the lock of a row that is asked for by live() next",
    ("publishing/premieres/outlook.py", "filter"): "what an author would send, shown to the author",
    ("publishing/statistics/counting.py", "filter"): "which rows are still there, to count for",
    ("publishing/statistics/figures.py", "filter"): "an author's own numbers",
    ("publishing/statistics/keeping.py", "select_for_update"): "the lock of a row that is being deleted",
}


def rooms() -> list[Path]:
    places = [settings.BASE_DIR / place for place in FOR_READERS]
    assert all(place.exists() for place in places)
    return [
        file for place in places for file in ([place] if place.is_file() else sorted(place.rglob("*.py")))
    ]


def faults(name: str, code: str) -> Iterator[str]:
    yield from (found[0] for found in ASKS_A_ROW.finditer(code))
    for node in ast.walk(parse(code)):
        if isinstance(node, ast.Call):
            yield from (key.arg for key in node.keywords if is_question(node, key.arg))
        begins = isinstance(node, ast.Attribute) and ast.unparse(node.value) == "Publication.objects"
        if begins and node.attr not in BEGINS and (name, node.attr) not in OTHERS:
            yield f"Publication.objects.{node.attr}"


def is_question(call: ast.Call, name: str | None) -> bool:
    asked = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return (
        asked in ("filter", "exclude", "get", "Q", "When")
        and ASKS_IN_A_QUERY.fullmatch(name or "") is not None
    )


def test_nothing_that_readers_get_asks_anything_but_live():
    found = {str(file.relative_to(settings.BASE_DIR)): file.read_text() for file in rooms()}
    assert len(found) > 40
    assert {name: told for name, code in found.items() if (told := list(faults(name, code)))} == {}
    begun = {(name, how) for name, how in OTHERS if f"Publication.objects.{how}" in found[name]}
    assert begun == set(OTHERS), "an exception that nothing needs any more"


@pytest.mark.parametrize(
    "forgets",
    [
        "rows = Publication.objects.filter(story=story)",
        "row = Publication.objects.get(slug=slug)",
        "rows = Publication.objects.published()",
        "rows = found.filter(published_at__isnull=False)",
        "rows = Story.objects.exclude(publication__published_at=None)",
        "rows = Story.objects.filter(Q(publication__live_bake__isnull=False))",
        "if publication.is_dark: pass",
        "rows = found.filter(story__workspace__suspended_at=None)",
    ],
)
def test_the_guard_sees_who_forgets(forgets):
    assert list(faults("feed/pages.py", forgets))


def test_and_lets_pass_who_asks():
    asks = "Publication.objects.live().listed().filter(slug=slug, published_at__lt=then).order_by('published_at')"
    assert list(faults("feed/pages.py", asks)) == []
