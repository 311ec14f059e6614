"""Python files and functions stay short enough to be read in one go."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.server.test_dependencies import AROUND, PRODUCT
from tests.support.running import ROOT
from tests.support.syntax import parse

LINES = 400
LINES_OF_A_TEST = 600  # tests are lists of cases
LINES_OF_A_FUNCTION = 50
HEAD = re.compile(r"^( *)(?:(?:async )?def |class |@)", re.MULTILINE)
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


def may_be_too_long(text: str) -> bool:
    """Whether more lines than a function may have lie between a head and the next that is no part of it: a look at the
    heads alone costs a tenth of reading the file as Python.
    """
    heads = [(text.count("\n", 0, head.start()), len(head[1])) for head in HEAD.finditer(text)]
    heads.append((text.count("\n") + 1, 0))
    for place, (line, depth) in enumerate(heads):
        end = next((after for after, other in heads[place + 1 :] if other <= depth), line)
        if end - line > LINES_OF_A_FUNCTION:
            return True
    return False


def test_no_function_is_too_long():
    found = {}
    for name, path in own_files():
        if not may_be_too_long(text := path.read_text()):
            continue
        for node in ast.walk(parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                if length > LINES_OF_A_FUNCTION:
                    found[f"{name}::{node.name}"] = length
    assert found == {}
