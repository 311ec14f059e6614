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

PRODUCT = ["accounts", "capsules", "config", "feed", "publishing", "deploy", "manage.py"]
AROUND = ["tests", "benchmarks", "examples"]
OWN = {Path(name).stem for name in [*PRODUCT, *AROUND]}
DISTRIBUTIONS = packages_distributions()


def declared(*lists: str) -> set[str]:
    lines = [line for name in lists for line in (ROOT / name).read_text().splitlines()]
    names = (re.match(r"[A-Za-z0-9._-]+", line) for line in lines)
    return {normal(name[0]) for name in names if name and not name[0].startswith("-")}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def modules_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def foreign(*places: str) -> dict[str, str]:
    """The top modules of others that the files of `places` import, with one of the files each."""
    found = {}
    for place in places:
        for path in [ROOT / place] if place.endswith(".py") else (ROOT / place).rglob("*.py"):
            for module in modules_of(path):
                top = module.partition(".")[0]
                if top not in sys.stdlib_module_names and top not in OWN:
                    found[top] = str(path.relative_to(ROOT))
    return found


@pytest.mark.parametrize(
    "places, lists",
    [(PRODUCT, ["requirements.in"]), (AROUND, ["requirements.in", "requirements-dev.in"])],
    ids=["the product", "tests, benchmarks, examples"],
)
def test_every_package_that_is_imported_is_declared(places, lists):
    names = declared(*lists)
    missing = {
        module: path
        for module, path in foreign(*places).items()
        if not names & {normal(name) for name in DISTRIBUTIONS.get(module, [module])}
    }
    assert missing == {}
