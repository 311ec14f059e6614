"""Python files and functions stay short enough to be read in one go."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.server.test_dependencies import AROUND, PRODUCT
from tests.support.running import ROOT

LINES = 400
LINES_OF_A_TEST = 600  # tests are lists of cases
LINES_OF_A_FUNCTION = 50
SETTINGS = "config/settings.py"  # one file on purpose: it is read from top to bottom


def own_files() -> Iterator[tuple[str, Path]]:
    """All but the migrations, which are written once."""
    for place in [*PRODUCT, *AROUND]:
        for path in [ROOT / place] if place.endswith(".py") else sorted((ROOT / place).rglob("*.py")):
            if "migrations" not in path.parts:
                yield str(path.relative_to(ROOT)), path


def most_lines(name: str) -> int:
    return LINES_OF_A_TEST if name.startswith("tests/") or name == SETTINGS else LINES


def test_no_file_is_too_long():
    lengths = {name: len(path.read_text().splitlines()) for name, path in own_files()}
    assert len(lengths) > 400
    assert {name: length for name, length in lengths.items() if length > most_lines(name)} == {}


def test_no_function_is_too_long():
    found = {}
    for name, path in own_files():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                if length > LINES_OF_A_FUNCTION:
                    found[f"{name}::{node.name}"] = length
    assert found == {}
