"""Templates of account and studio have no word that is not in a catalogue, in whichever state of a page it is said."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from django.template.base import Lexer, TokenType

from config.words.compiling import ROOT

PLACES = (
    *("account", "accounts", "allauth", "mfa", "studio", "usersessions"),
    *("[345]*.html", "base.html", "mail.html", "mail_button.html", "notice.html", "service.html"),
    "subscriptions/audience.html",
)
CODE = ("code", "script")
SAID = ("alt", "aria-label", "placeholder", "title")
NAMES = re.compile(
    r"""Capsules|Claude|ChatGPT|account entrance|capsule\.toml|https://example\.com|@name@mastodon\.example|Deutsch|^de$|class="studio"|interactive-widget=resizes-content|&\w+;"""
)
#: Between these tags nothing is shown, or everything is marked.
APART = {"comment": "endcomment", "blocktranslate": "endblocktranslate"}
SAID_IN_TAG = re.compile(r"""(?:\|default:|\b(?:label|legend|words)=)"([^"]*[A-Za-z][^"]*)\"""")


class Unmarked(HTMLParser):
    """Finds words in texts and attributes, but for what is code."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.in_code = False

    def look(self, words: str | None) -> None:
        if re.search("[A-Za-z]{2,}", NAMES.sub("", words or "")):
            self.found.append(" ".join((words or "").split()))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.in_code = self.in_code or tag in CODE
        for name, value in attributes:
            if name in SAID:
                self.look(value)

    def handle_endtag(self, tag: str) -> None:
        self.in_code = self.in_code and tag not in CODE

    def handle_data(self, data: str) -> None:
        if not self.in_code:
            self.look(data)


def unmarked(source: str) -> list[str]:
    """What a template says outside of `translate`, `blocktranslate` and `_("…")`."""
    html, found, until = "", [], ""
    for token in Lexer(source).tokenize():
        name = token.contents.split(maxsplit=1)[0] if token.contents.split() else ""
        if until:
            until = "" if token.token_type == TokenType.BLOCK and name == until else until
        elif token.token_type == TokenType.BLOCK and name in APART:
            until = APART[name]
        elif token.token_type == TokenType.TEXT:
            html += token.contents
        elif token.token_type in (TokenType.BLOCK, TokenType.VAR):
            found += SAID_IN_TAG.findall(token.contents)
    looked = Unmarked()
    looked.feed(html)
    looked.close()
    return found + looked.found


@pytest.mark.parametrize("place", PLACES)
def test_every_word_of_a_template_is_marked(place):
    paths = [path for top in (ROOT / "templates").glob(place) for path in (top, *top.rglob("*.*"))]
    found = {
        str(path.relative_to(ROOT)): unmarked(path.read_text()) for path in sorted(paths) if path.is_file()
    }
    assert found
    assert {path: words for path, words in found.items() if words} == {}


@pytest.mark.parametrize(
    "source, words",
    [
        ("<p>Taken down</p>", "Taken down"),
        ("{% if a %}Show{% else %}{% translate 'Hide' %}{% endif %}", "Show"),
        ("""<img alt="{% translate 'A picture' %}" title="A picture">""", "A picture"),
        ('{{ title|default:"Untitled" }}', "Untitled"),
        ('{% include "studio/radios.html" with field=form.brand legend="Brand" only %}', "Brand"),
        ('{% with label="Text" %}{% endwith %}', "Text"),
        ("{% blocktranslate %}Marked{% endblocktranslate %} not", "not"),
        ('{{ title|default:_("Untitled") }}{# Nothing #}{% comment %}None{% endcomment %} · {{ a }} %', None),
    ],
)
def test_a_word_that_is_not_marked_is_found(source, words):
    assert unmarked(source) == ([words] if words else [])
