"""What our code imports is declared, so that no package vanishes because another one stopped needing it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.support.running import ROOT
from tests.support.syntax import parse

PRODUCT = ["accounts", "capsules", "config", "feed", "publishing", "deploy", "manage.py"]
AROUND = ["tests", "benchmarks", "examples"]
OWN = {Path(name).stem for name in [*PRODUCT, *AROUND]}
#: The top module of each line that may be an import.
IMPORT = re.compile(r"^\s*(?:from|import) +(\w+)", re.MULTILINE)


def declared(*lists: str) -> set[str]:
    lines = [line for name in lists for line in (ROOT / name).read_text().splitlines()]
    names = (re.match(r"[A-Za-z0-9._-]+", line) for line in lines)
    return {normal(name[0]) for name in names if name and not name[0].startswith("-")}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def modules_of(path: Path) -> Iterator[str]:
    for node in ast.walk(parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def foreign(place: str, known: set[str]) -> dict[str, str]:
    """The top modules of others that the files of a place import, `known` aside, with one of the files each."""
    found = {}
    for path in [ROOT / place] if place.endswith(".py") else (ROOT / place).rglob("*.py"):
        if not set(IMPORT.findall(path.read_text())) <= known:  # or it is a line of a text
            tops = {module.partition(".")[0] for module in modules_of(path)} - known
            found |= dict.fromkeys(tops, str(path.relative_to(ROOT)))
    return found


@pytest.mark.parametrize(
    "places, lists",
    [(PRODUCT, ["requirements.in"]), (AROUND, ["requirements.in", "requirements-dev.in"])],
    ids=["the product", "tests, benchmarks, examples"],
)
def test_every_package_that_is_imported_is_declared(places, lists):
    names = declared(*lists)
    ours = {module for module, theirs in packages_distributions().items() if names & {*map(normal, theirs)}}
    missing = [foreign(place, ours | OWN | sys.stdlib_module_names) for place in places]
    assert not any(missing), missing
