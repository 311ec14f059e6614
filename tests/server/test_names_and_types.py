"""A name tells what a function is to somebody who has not read its module, and so does the type of what it takes: two
modules seldom share a name, few values may be anything, and nothing of ours leans on what libraries keep to themselves,
but for what an ADR says and a check at start watches.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from allauth.mfa.totp.internal.auth import TOTP
from oauth2_provider.oauth2_validators import OAuth2Validator

from accounts.checks import spent_codes_are_kept, what_is_overridden_is_still_there
from tests.support.running import ROOT
from tests.support.syntax import parse

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


@cache
def modules() -> list[tuple[Path, ast.Module]]:
    files = [file for app in APPS for file in sorted((ROOT / app).rglob("*.py"))]
    return [
        (file.relative_to(ROOT), parse(file.read_text())) for file in files if "migrations" not in file.parts
    ]


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


# --- What libraries keep to themselves -------------------------------------------------------------------------

#: With an underscore, and documented all the same.
DOCUMENTED = {
    "_meta",
    "_state",
    "_db",
    "_base_manager",
    "_default_manager",
    "_save",
    "_put",
    "_asdict",
    "_replace",
    "_exit",
}
#: What is left, each with a check in accounts/checks.py and a place in the table of this document.
ADR = ROOT / "docs/adr/0018-names-of-libraries.md"
MOST = 4  # rows of that table
KNOWN = {
    ("accounts/oauth/documents.py", "_ip_is_public"),
    ("accounts/checks.py", "_ip_is_public"),
    ("accounts/checks.py", "_resolve_and_validate"),
    ("accounts/oauth/validator.py", "_load_application"),
    ("accounts/oauth/validator.py", "_create_authorization_code"),
    ("accounts/oauth/validator.py", "_create_access_token"),
    ("accounts/oauth/validator.py", "_create_refresh_token"),
    ("accounts/people/adapters.py", "_get_login_attempts_cache_key"),
    ("accounts/people/receivers.py", "_get_used_cache_key"),
    ("accounts/checks.py", "_mark_code_used"),
}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in DOCUMENTED


def names_in(tree: ast.Module) -> Iterator[str]:
    """Private names that this module takes from elsewhere: of modules, of attributes, of methods that it overrides."""
    nodes = list(ast.walk(tree))
    functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    stored = {
        node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and not node.module.startswith(APPS):
            if "internal" in node.module.split(".") or any(map(is_private, node.module.split("."))):
                yield node.module
            yield from (alias.name for alias in node.names if is_private(alias.name))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if ".internal" in alias.name or "._" in alias.name)
        elif isinstance(node, ast.Attribute) and is_private(node.attr):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if not (is_own and node.attr in functions | stored):
                yield node.attr
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("getattr", "setattr")
        ):
            if isinstance(node.args[1], ast.Constant) and is_private(str(node.args[1].value)):
                yield str(node.args[1].value)
        elif isinstance(node, ast.ClassDef):
            methods = (each.name for each in node.body if isinstance(each, ast.FunctionDef))
            yield from (name for name in methods if is_private(name) and name not in used)


def test_private_names_of_libraries_are_those_of_the_adr():
    found = {(str(file), name) for file, tree in modules() for name in names_in(tree)}
    assert found == KNOWN
    rows = re.findall(r"^\| `.*", ADR.read_text(), re.MULTILINE)
    assert len(rows) <= MOST
    told = [{name.rpartition(".")[2] for name in re.findall(r"`([\w.]+)`", row)} for row in rows]
    for name in {name for _, name in found}:
        assert sum(name in names for names in told) == 1, f"{name} is not in one row of the ADR"


def test_the_service_does_not_start_where_a_method_that_we_replace_has_gone(monkeypatch):
    assert what_is_overridden_is_still_there() == []
    monkeypatch.delattr(OAuth2Validator, "_create_refresh_token")
    [error] = what_is_overridden_is_still_there()
    assert "Validator._create_refresh_token replaces nothing" in error.msg


def test_the_service_does_not_start_where_spent_codes_are_remembered_elsewhere(monkeypatch):
    assert spent_codes_are_kept() == []
    monkeypatch.setattr(TOTP, "_mark_code_used", lambda totp, code: True)
    assert [error.id for error in spent_codes_are_kept()] == ["accounts.E003"]
