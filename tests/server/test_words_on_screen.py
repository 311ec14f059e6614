"""One word for each thing on screen: what `docs/words.md` forbids stands in no page, script, message or admin list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib import admin

from tests.support.syntax import parse

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (?P<ours>[^|]+) \|[^|]*\| (?P<not>.*`.*) \|$", re.MULTILINE)
NOT_OURS = {"Story", "Stories"}  # forbidden as its name alone: the API and its documents call a capsule so
WORDS = (ROOT / "docs" / "words.md").read_text()
FORBIDDEN = {
    word: found["ours"] for found in ROW.finditer(WORDS) for word in re.findall(r"`([^`]+)`", found["not"])
}
EVERYWHERE = [word for word in FORBIDDEN if word not in NOT_OURS]
MARKUP = re.compile(
    r"{#.*?#}|{%.*?%}|{{.*?}}|<!--.*?-->|<(?:script|style)\b.*?</(?:script|style)>", re.DOTALL
)
TAGS = re.compile(r"<[^>]*>")
SAID = re.compile(r'<[^>]*?\b(?:aria-label|title|alt|placeholder|content)="([^"]*)"')
COMMENTS = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
STRINGS = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')


def words_in(text: str) -> list[str]:
    return [word for word in EVERYWHERE if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)]


def pages() -> Iterator[tuple[str, str]]:
    for file in sorted((ROOT / "templates").rglob("*.*")):
        text = MARKUP.sub(" ", file.read_text())
        yield str(file.relative_to(ROOT)), " ".join([TAGS.sub(" ", text), *SAID.findall(text)])


def scripts() -> Iterator[tuple[str, str]]:
    for file in [*(ROOT / "static").glob("*.js"), *(ROOT / "static" / "studio").glob("*.js")]:
        said = STRINGS.findall(COMMENTS.sub(" ", file.read_text()))
        yield str(file.relative_to(ROOT)), "\n".join(one or other for one, other in said)


def messages() -> Iterator[tuple[str, str]]:
    """The strings of the code that are sentences or labels: they begin with a capital letter."""
    for app in ("accounts", "capsules", "config", "feed", "publishing"):
        for file in sorted((ROOT / app).rglob("*.py")):
            if not {"migrations", "demo"} & set(file.parts):
                yield str(file.relative_to(ROOT)), "\n".join(strings(parse(file.read_text())))


def strings(tree: ast.Module) -> Iterator[str]:
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in told:
            continue
        if node.value[:1].isupper() and "-" not in node.value.split(" ")[0]:
            yield node.value


@pytest.mark.parametrize("texts", [pages, scripts, messages])
def test_nothing_on_screen_uses_a_word_that_the_list_forbids(texts):
    assert len(EVERYWHERE) > 10
    found = {name: words for name, text in texts() if (words := words_in(text))}
    assert found == {}


def test_every_row_of_the_list_is_read():
    rows = [line for line in WORDS.splitlines() if line.startswith("|") and "`" in line]
    assert [found[0] for found in ROW.finditer(WORDS)] == rows
    assert {"Log in", "Register", "E-mail"} <= set(EVERYWHERE)


def test_the_admin_calls_things_as_the_list_does():
    labels = {
        str(name).lower()
        for model in admin.site._registry
        for name in (model._meta.verbose_name, model._meta.verbose_name_plural)
    }
    assert "capsules and editions" in labels
    assert not labels & {word.lower() for word in FORBIDDEN}
