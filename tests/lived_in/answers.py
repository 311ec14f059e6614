"""What every answer of the service has to hold, whoever asked for whatever."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from xml.etree import ElementTree

#: Words that only a template or a program says.
LEFTOVERS = re.compile(r"\{\{ *\w|\{%|%\}|Traceback \(most recent call last\)|<built-in|object at 0x")
#: A value that was not there, where a word should be.
NOTHING = re.compile(r"(?:^|[:(·,–]\s*)(?:None|undefined|NaN)(?:$|[)·,.–])")
JSON_PATHS = ("/api/", "/account/api/")
FRAMES = ("/embed", "/frame")  # inside somebody else's page, which has the ways on
SILENT = {"script", "style", "template", "code", "pre", "textarea", "option"}


@dataclass(frozen=True)
class Answer:
    """One answer. `path` is what was asked for, the query included."""

    method: str
    path: str
    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes

    @property
    def kind(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip()

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")


class Page(HTMLParser):
    """What a person finds on a page: a title, a main part or a heading, words, and ways on."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.ways: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        named = dict(attrs)
        if tag == "a" and (named.get("href") or "#")[0] != "#":
            self.ways.append(named["href"] or "")
        elif tag in ("button", "form", "details"):
            self.ways.append(tag)
        if tag in SILENT or tag == "title":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open == ["title"] and data.strip():
            self.found.add("words in title")
        if not self.open and data.strip():
            self.words.append(" ".join(data.split()))


def faults(answer: Answer) -> Iterator[str]:
    """What is wrong with an answer, in words."""
    if not answer.status:
        yield f"no answer: {answer.text}"
        return
    if answer.status >= 500:
        yield f"status {answer.status}"
        return
    if answer.status == 405 and not answer.headers.get("allow"):
        yield "a 405 that does not say what is allowed"
    if answer.method != "GET" or answer.status in (204, 304) or 300 <= answer.status < 400:
        return
    if (
        answer.path.startswith(JSON_PATHS)
        and answer.kind == "text/html"
        and not answer.path.startswith("/api/v2/docs")
    ):
        yield f"{answer.status} as a page where programs ask"
    if not answer.body.strip():
        yield f"{answer.status} with nothing in it"
    elif answer.kind == "text/html":
        yield from faults_of_page(answer)
    elif answer.kind.endswith(("json",)):
        yield from faults_of_json(answer)
    elif answer.kind.endswith("xml"):
        try:
            ElementTree.fromstring(answer.body)
        except ElementTree.ParseError as error:
            yield f"XML that does not parse: {error}"


def faults_of_page(answer: Answer) -> Iterator[str]:
    page = Page(answer.text)
    if "words in title" not in page.found:
        yield f"{answer.status}, a page without a title"
    if not page.found & {"main", "h1"}:
        yield f"{answer.status}, a page without a main part or a heading"
    if not page.ways and not answer.path.partition("?")[0].endswith(FRAMES):
        yield f"{answer.status}, a page without a way on"
    for words in page.words:
        if LEFTOVERS.search(words) or NOTHING.search(words):
            yield f"says {words[:80]!r}"


def faults_of_json(answer: Answer) -> Iterator[str]:
    try:
        body = json.loads(answer.body)
    except ValueError:
        yield "JSON that does not parse"
        return
    if answer.status < 400 or not answer.path.startswith("/api/"):
        return
    if (
        not isinstance(body, dict)
        or not set(body) <= {"error", "details"}
        or not isinstance(body.get("error"), str)
    ):
        yield f"{answer.status} whose body is not the contract's: {answer.text[:80]}"
