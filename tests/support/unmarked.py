"""Finds what a page says in Latin letters: in the pseudo-language en-XA no word of ours has any."""

from __future__ import annotations

import re
from html.parser import HTMLParser

SAID = {"alt", "aria-label", "aria-description", "placeholder", "title"}
#: What scripts say in the place of a word, or on a toast.
SAID |= {f"data-{name}" for name in ("copied", "refused", "failed", "play", "pause", "stop", "doing", "done")}
EMPTY = {
    "meta",
    "link",
    "img",
    "br",
    "input",
    "source",
    "hr",
    "use",
    "path",
    "line",
    "rect",
    "polygon",
    "polyline",
}
LATIN = re.compile("[A-Za-z]{2,}")
#: What nobody reads, and what is not ours: code, names of languages and time zones, what was written or is to be.
APART = {"script", "style", "code", "pre", "select", "textarea", "ins", "del"}
#: Names of ours, formats, addresses, paths and links; placeholders that show how something is written.
NAMES = re.compile(
    r"\bCapsules\b|\bEnglish\b|\bDeutsch\b|^de$|\b[A-Z0-9]{4}-[A-Z0-9]{4}\b|\bUTC\b|\S+@\S+|https?://\S+|[?/][\w/.=?&-]*|\b[\w-]+\.(?:zip|toml|example)\b|\b[A-Z][a-z]+/[A-Z]\w+\b"
)


class Unmarked(HTMLParser):
    """Looks at texts, at attributes that are read or heard, and at the title."""

    def __init__(self, apart: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.apart = apart  # classes of elements that hold what somebody wrote
        self.open: list[tuple[str, bool]] = []
        self.found: list[str] = []

    @property
    def is_apart(self) -> bool:
        return bool(self.open) and self.open[-1][1]

    def look(self, words: str, where: str) -> None:
        if LATIN.search(words) and LATIN.search(NAMES.sub("", words)):
            self.found.append(f"{where}: {' '.join(words.split())}")

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        is_apart = self.is_apart or bool(self.apart & set(given.get("class", "").split()))
        if not is_apart:
            for name in given.keys() & SAID:
                self.look(given[name], name)
        if tag not in EMPTY:
            self.open.append((tag, is_apart or tag in APART))

    def handle_endtag(self, tag: str) -> None:
        if tag not in EMPTY:
            while self.open and self.open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self.is_apart:
            self.look(data, self.open[-1][0] if self.open else "")


def unmarked(html: str, apart: frozenset[str] = frozenset()) -> list[str]:
    looked = Unmarked(apart)
    looked.feed(html)
    looked.close()
    return looked.found
