"""What the studio's scripts say to a person passes through a call, and a page brings its words along."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from django.template import engines
from django.utils import translation
from django.utils.translation import trans_real

from config.words import scripts
from tests.support import pseudo

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
PATTERN = re.compile(r"/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
TAG = re.compile(r"<[^>]*>")
SAID = re.compile(r'\b(?:aria-label|aria-valuetext|title|alt|placeholder)="([^"]*)"')
FOR_PEOPLE = re.compile(r"^[A-Z][a-z]|[a-z] [a-z]")  # sentences, and labels
#: Keys, headers, names of errors, selectors, and words for those who write programs.
NOT_SAID = re.compile(
    r"(?:Arrow\w+|Home|End|Enter|Escape|AbortError|Cancelled|Bearer @|[A-Z]\w+(?:-\w+)+|\.\w+ \w+"
    r"|A change that is @ cannot be @\.)"
)
#: What the service calls a capsule without a title, which the page compares with.
COMPARED = {("fold.js", "Untitled")}


def literals(script: str) -> Iterator[tuple[str, str]]:
    """The strings of a script and its templates, "html" or "text"; an expression in one is an @."""
    at, inside = 0, list[list[str]]()  # an empty one for each brace, kind and text for each template
    while at < len(script):
        if inside and inside[-1]:
            at = step_in_template(script, at, inside)
            if script[at - 1] == "`" and script[at - 2] != "\\":
                kind, text = inside.pop()
                yield kind, text
        elif found := COMMENT.match(script, at):
            at = found.end()
        elif found := STRING.match(script, at):
            yield "text", found[1]
            at = found.end()
        elif script[:at].rstrip().endswith(tuple("(=,:[!&|?{};")) and (found := PATTERN.match(script, at)):
            at = found.end()
        else:
            if script[at] == "`":
                inside.append(["html" if script.endswith("html", 0, at) else "text", ""])
            elif script[at] == "{":
                inside.append([])
            elif script[at] == "}":
                inside.pop()
            at += 1
    assert not inside


def step_in_template(script: str, at: int, inside: list[list[str]]) -> int:
    """Reads on in a template; returns where."""
    if script.startswith("${", at):
        inside[-1][1] += "@"
        inside.append([])
        return at + 2
    size = 2 if script[at] == "\\" else 1
    if script[at] != "`":
        inside[-1][1] += script[at : at + size]
    return at + size


def unmarked(name: str, script: str) -> list[str]:
    """What a person would read and no call translates."""
    found = []
    for kind, text in literals(scripts.CALL.sub("", script)):
        if kind == "html":
            shown = [TAG.sub(" ", text), *SAID.findall(text)]
            found += [" ".join(each.split()) for each in shown if re.search(r"[A-Za-z]{2}", each)]
        elif FOR_PEOPLE.search(text) and not NOT_SAID.fullmatch(text) and (name, text) not in COMPARED:
            found.append(text)
    return found


def test_whatever_a_script_shows_passes_through_a_call():
    found = {path.name: unmarked(path.name, path.read_text()) for path in scripts.scripts()}
    assert len(found) > 90
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize(
    "script, words",
    [
        ("html`<h2>Scenes</h2>`", "Scenes"),
        ("html`<b>${a ? html`<i>on its way</i>` : nothing}</b>`", "on its way"),
        ('html`<button title="More" @click=${() => go()}>+</button>`', "More"),
        ('html`<button aria-label=${a ? "Undo" : b}></button>`', "Undo"),
        ('toast("Copied");', "Copied"),
        ("say(`Scene ${place + 1} added.`);", "Scene @ added."),
        ('const NAMES = { text: "the words" }; // it is "so"', "the words"),
    ],
)
def test_words_that_pass_through_no_call_are_found(script, words):
    assert unmarked("a.js", script) == [words]


def test_words_that_pass_through_a_call_are_read_from_it():
    script = """html`<p title=${t("More")}>${plural("1 scene", "{n} scenes", made.length)}</p>${t(
      "It is live at {link}; " +
        "it will be \\"gone\\".",
      { link },
    )}`"""
    assert unmarked("a.js", script) == []
    assert list(scripts.words_in(script)) == [
        ("More", ""),
        ("1 scene", "{n} scenes"),
        ('It is live at {link}; it will be "gone".', ""),
    ]


def test_every_call_has_the_words_themselves():
    """Words in a variable would be in no catalogue."""
    for path in scripts.scripts():
        script = COMMENT.sub("", path.read_text())
        calls = re.findall(r"(?<![\w.$])(?:t|plural)\(", script)
        assert path.name == "words.js" or len(calls) == len(list(scripts.words_in(script))), path.name


def page(names: str = "") -> str:
    source = f"{{% load words %}}{{% script_words {names} %}}"
    return engines["django"].from_string(source).render()


def test_an_english_page_brings_no_words_along():
    assert page() == ""


def test_a_page_in_another_language_brings_the_words_of_its_scripts_along(settings, spoken_by_nobody):
    settings.LOCALE_PATHS = [spoken_by_nobody, *settings.LOCALE_PATHS]
    settings.LANGUAGES = [*settings.LANGUAGES, ("en-xa", "en-XA"), ("ar-xb", "ar-XB")]
    try:
        with translation.override("en-xa"):
            brought = json.loads(re.sub(r"</?script[^>]*>", "", page()))
            assert brought.keys() == scripts.known().keys()
            assert brought["All capsules"] == pseudo.accented("All capsules")
            accented = [pseudo.accented(words) for words in ("1 more file.", "{n} more files.")]
            assert brought["1 more file."] == dict(zip(("one", "other"), accented, strict=True))
            few = page('"sign-out.js" "studio/passing-on.js"')
            assert few.startswith('<script data-words type="application/json">')
            assert "Copied" in few and "All capsules" not in few
        with translation.override("ar-xb"):
            forms = {"zero", "one", "two", "few", "many", "other"}
            assert set(scripts.catalogue()["1 more file."]) == forms
    finally:
        for language in ("en-xa", "ar-xb"):
            trans_real._translations.pop(language, None)  # which Django keeps for good
