"""What the code of account and studio says to people is in a catalogue: no sentence stands in it that is not marked."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from config.words.compiling import ROOT
from tests.support.syntax import parse

#: Files whose every sentence a person may read on a page.
SAYING = (
    "accounts/actions",
    "accounts/names.py",
    "accounts/oauth/client_names.py",
    "accounts/oauth/forms.py",
    "accounts/pages",
    "accounts/people/browsers.py",
    "accounts/people/guessing.py",
    "accounts/people/passwords.py",
    "accounts/people/signup.py",
    "accounts/webhooks/actions.py",
    "accounts/webhooks/mail.py",
    "accounts/webhooks/pages.py",
    "capsules/actions",
    "capsules/readiness.py",
    "capsules/rules.py",
    "capsules/folder.py",
    "config/errors.py",
    "config/outage.py",
    "config/outbound.py",
    "config/texts.py",
    "publishing/actions.py",
    "publishing/dark.py",
    "publishing/restoring.py",
    "publishing/slugs.py",
    "publishing/statistics/pages.py",
    "publishing/studio",
    "publishing/subscribers/addresses.py",
    "publishing/subscribers/csv_files.py",
    "publishing/subscribers/owner_pages.py",
)
APPS = ("accounts", "capsules", "config", "feed", "publishing")
SENTENCE = re.compile(r"[A-Z“][^\n]* [^\n]*[.?!]")


def unmarked(source: str) -> Iterator[str]:
    """Texts of a module that read like sentences, but for its docstrings and what is given to gettext."""
    tree = parse(source)
    passed: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            passed.add(id(getattr(node.body[0] if node.body else node, "value", node)))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "_" or "gettext" in node.func.id:
                passed |= {id(each) for each in ast.walk(node)}
        elif isinstance(node, ast.JoinedStr):
            passed |= {id(each) for each in node.values}
    for node in ast.walk(tree):
        if id(node) not in passed and SENTENCE.fullmatch(text_of(node)):
            yield text_of(node)


def text_of(node: ast.AST) -> str:
    """What a literal says, with a mark for each hole; "" for everything else."""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(each) or "…" for each in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def test_every_sentence_is_marked():
    files = [
        file
        for path in SAYING
        for file in ([ROOT / path], (ROOT / path).rglob("*.py"))[(ROOT / path).is_dir()]
    ]
    found = {str(file.relative_to(ROOT)): list(unmarked(file.read_text())) for file in files}
    assert len(found) > 40
    assert {file: words for file, words in found.items() if words} == {}


def test_a_sentence_that_is_not_marked_is_found():
    said = 'def say(name):\n    """Says this."""\n    tell({})\n'
    for words in ('"You may not."', 'f"You may not, {name}."', '"You may " "not."'):
        assert list(unmarked(said.format(words))) != []
        assert list(unmarked(said.format(f"gettext({words})"))) == []
    assert list(unmarked(said.format('"studio form"'))) == []


def translated_at_once(tree: ast.AST, names: set[str]) -> Iterator[int]:
    """Lines of calls of these names that run when the module is read, whoever reads its words later."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node.lineno
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from translated_at_once(node, names)


def eager(source: str) -> list[int]:
    tree = parse(source)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    named = [name for node in imports if node.module == "django.utils.translation" for name in node.names]
    names = {each.asname or each.name for each in named if each.name.endswith("gettext")}
    return list(translated_at_once(tree, names))


def test_nothing_is_translated_before_it_is_known_for_whom():
    files = [file for app in APPS for file in (ROOT / app).rglob("*.py")]
    found = {str(file.relative_to(ROOT)): eager(file.read_text()) for file in files}
    assert len(found) > 200
    assert {file: lines for file, lines in found.items() if lines} == {}


def test_a_translation_that_comes_too_early_is_found():
    source = "from django.utils.translation import gettext as _\n\n\n"
    assert eager(f'{source}WORDS = {{"a": _("No.")}}') == [4]
    assert eager(f'{source}class A:\n    words = _("No.")') == [5]
    assert eager(f'{source}def say():\n    return _("No.")') == []
    assert eager('from django.utils.translation import gettext_lazy as _\nWORDS = _("No.")') == []
