"""Capsules as Markdown, for programs that read: /<workspace>/<slug>.md."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from capsules.actions import previews
from publishing.models import Publication
from publishing.pages.plain_text import heading, paragraphs
from tests.publishing.test_pages import links

pytestmark = pytest.mark.django_db
PATH = "/north-shore/small-voyages"


def test_it_has_every_word_of_the_page_and_its_pictures(live_story, client):
    answer = client.get(f"{PATH}.md")
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
    text = answer.content.decode()
    content = Publication.objects.get(story=live_story).live_bake.content
    assert text.startswith(f"# {content['title']}\n")
    assert [text.count(f"\n{paragraphs(scene['text'])}\n") for scene in content["scenes"]] == [1, 1, 1, 1]
    assert text.count("](http://127.0.0.1:8000/media/") == len(content["scenes"])
    page = client.get(PATH)
    assert f"http://127.0.0.1:8000{PATH}.md" in [
        link["href"] for link in links(page, "alternate") if link.get("type") == "text/markdown"
    ]
    again = client.get(f"{PATH}.md", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


HOSTILE = [
    "<script>alert(1)</script>",
    "[a link](https://evil.example) ![p](https://evil.example/p.png)",
    "# a heading\n- a list\n+ one\n1. two\n2) three\n> quoted\n=====\n---",
    "**bold** _thin_ `code` ~~gone~~ &amp; \\*",
    "a | b\n--- | ---\nc | d",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_somebody_typed_is_text_and_never_markup(text):
    shown = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(paragraphs(text))
    kinds = {token.type for token in shown} | {
        child.type for token in shown for child in token.children or []
    }
    assert kinds <= {"paragraph_open", "paragraph_close", "inline", "text", "text_special", "hardbreak"}
    words = "\n".join(
        "".join(child.content or "\n" for child in token.children) for token in shown if token.children
    )
    assert words == text


@pytest.mark.parametrize("indent", ["    ", "\t", "  \t", "     "])
def test_an_indented_line_is_no_code(indent):
    text = paragraphs(f"A first verse.\n\n{indent}It is *set* in\n{indent}& <goes> on.")
    shown = MarkdownIt("commonmark").render(text)
    assert shown == "<p>A first verse.</p>\n<p>It is *set* in<br />\n&amp; &lt;goes&gt; on.</p>\n"


@pytest.mark.parametrize("title", ["What now...", "The end.", "Number #", "A ## B ##", "# #", "\\", "C#"])
def test_a_heading_has_its_whole_title(title):
    shown = MarkdownIt("commonmark").render(heading("##", title))
    assert shown == f"<h2>{title}</h2>\n"


def test_the_headings_of_scenes_keep_their_full_stops(live_story, api, client):
    first, second, *_ = live_story.scenes.all()
    live_story.scenes.filter(pk=first.pk).update(title="To be continued...")
    live_story.scenes.filter(pk=second.pk).update(title="")
    previews.build_preview(live_story)
    api.publish(live_story)
    headings = [line for line in client.get(f"{PATH}.md").content.decode().splitlines() if line[:3] == "## "]
    assert headings[:2] == ["## 1. To be continued...", "## 2"]
