"""Nothing of ours leans on what libraries keep to themselves, but for what an ADR says and a check at start watches."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from allauth.mfa.totp.internal.auth import TOTP
from oauth2_provider.oauth2_validators import OAuth2Validator

from accounts.checks import spent_codes_are_kept, what_is_overridden_is_still_there
from tests.support.running import ROOT

OURS = ("config", "accounts", "capsules", "publishing", "feed")
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
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    stored = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.module.startswith(OURS):
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
    files = subprocess.run(
        ["git", "ls-files", *OURS], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    found = {
        (path, name)
        for path in files.split()
        if path.endswith(".py")
        for name in names_in(ast.parse(Path(ROOT, path).read_text()))
    }
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
