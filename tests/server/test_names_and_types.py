"""A name tells what a function is to somebody who has not read its module, and so does the type of what it takes: two
modules seldom share a name, and few values may be anything.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("accounts", "capsules", "config", "feed", "publishing")
FACES = {
    "pages",
    "mcp",
    "api",
    "studio",
    "management",
    "tasks.py",
    "views.py",
    "pages.py",
    "receivers.py",
    "mcp.py",
}
MOST_NAMES = 51
MOST_ANY = 184


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for app in APPS:
        for file in sorted((ROOT / app).rglob("*.py")):
            if "migrations" not in file.parts:
                yield file.relative_to(ROOT), ast.parse(file.read_text())


def shared_names() -> dict[str, list[str]]:
    """Names of functions that stand in two modules. A page, a tool or a task may be called as the action it calls, and
    `main` is what a script begins with.
    """
    homes: dict[str, list[Path]] = defaultdict(list)
    for file, tree in modules():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name != "main":
                homes[node.name].append(file)
    found = {}
    for name, files in homes.items():
        own = [file for file in files if not FACES & set(file.parts)]
        counted = own if len(own) == 1 else files
        if len(counted) > 1:
            found[name] = [str(file) for file in counted]
    return found


def test_few_functions_have_the_name_of_another_one():
    found = shared_names()
    lines = "\n".join(f"{name}: {', '.join(files)}" for name, files in sorted(found.items()))
    assert len(found) <= MOST_NAMES, f"{len(found)} names stand in two modules:\n{lines}"


def test_few_values_may_be_anything():
    found: Counter[str] = Counter()
    for file, tree in modules():
        found[str(file)] += sum(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(tree))
    assert found.total() <= MOST_ANY, found.most_common(10)
