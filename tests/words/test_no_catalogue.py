"""A capsule in a language without a catalogue: our words are English, and every one of them says so."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from publishing.models import Bake, Publication
from publishing.pages.files import page_files

pytestmark = pytest.mark.django_db
EMPTY = {"meta", "link", "img", "br", "input", "source", "hr", "use", "path"}
SAID = ("aria-label", "title", "alt", "placeholder", "data-words", "data-pause", "data-play", "data-copied")
THEIRS = "ساحل شمالی"
NAMES = re.compile(r"Capsules|Facebook|WhatsApp|LinkedIn|Bluesky|\S+@\S+")


class Unmarked(HTMLParser):
    """Finds Latin words in texts and attributes outside of lang="en"."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.found: list[str] = []

    @property
    def language(self) -> str:
        return self.open[-1][1] if self.open else ""

    def look(self, words: str, language: str) -> None:
        if language != "en" and re.search("[A-Za-z]{2,}", NAMES.sub("", words)):
            self.found.append(words.strip())

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        language = given.get("lang") or self.language
        for name in SAID:
            self.look(given.get(name) or "", language)
        if tag not in EMPTY:
            self.open.append((tag, language))

    def handle_endtag(self, tag: str) -> None:
        if tag not in EMPTY:
            while self.open and self.open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1][0] not in ("script", "style", "title", "textarea"):
            self.look(data, self.language)


def theirs(content):
    """A content in which every text of people is THEIRS."""
    if isinstance(content, dict):
        told = ("title", "text", "alt", "summary", "author")
        return {
            k: THEIRS if k in told and isinstance(v, str) and v else theirs(v) for k, v in content.items()
        }
    return [theirs(each) for each in content] if isinstance(content, list) else content


@pytest.mark.parametrize("is_white_label", [False, True])
@pytest.mark.parametrize("ending", ["", "/embed"])
def test_every_word_of_ours_is_marked_as_english(live_story, client, ending, is_white_label):
    for bake in Bake.objects.all():
        Bake.objects.filter(pk=bake.pk).update(content={**theirs(bake.content), "language": "fa"})
    type(live_story.workspace).objects.update(title=THEIRS)
    mode = Publication.Mode.WHITE_LABEL if is_white_label else Publication.Mode.STANDARD
    Publication.objects.update(mode=mode)
    page_files().drop_all()
    html = client.get(f"/north-shore/small-voyages{ending}").content.decode()
    assert re.search(r'<html lang="fa" dir="rtl"', html) and 'data-to="/r/' in html
    looked = Unmarked()
    looked.feed(html)
    assert looked.found == []
