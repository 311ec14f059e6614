"""A capsule as Markdown, for programs that read: the same words as its page, and no more of them than the page shows.

It has none of our own words, so it needs no language but the capsule's.
"""

from __future__ import annotations

import html
import re

from capsules.content import BakedScene
from capsules.templatetags.blobs import blob_url
from config.links import absolute
from config.texts import one_line
from publishing.pages.reading import Reading

MARKDOWN = "text/markdown; charset=utf-8"
#: What Markdown could take for markup, wherever it stands, and what it takes for that where a line begins.
ANYWHERE = re.compile(r"[\\`*_\[\]~]")
AT_A_LINE = re.compile(r"^(\s*)([#+=-]|\d{1,9}(?=[.)]))", re.MULTILINE)


def markdown_of(reading: Reading) -> str:
    """Title, summary, author, day and link; then each scene with its picture's alt text, picture and words."""
    content, publication = reading.content, reading.publication
    facts = [content["author"], f"{publication.published_at:%Y-%m-%d}", content["language"]]
    parts = [heading("#", content["title"]), paragraphs(content["summary"])]
    parts.append(" · ".join([*(escaped(one_line(fact)) for fact in facts if fact), f"<{reading.url}>"]))
    parts += [scene_markdown(number, scene) for number, scene in enumerate(content["scenes"], start=1)]
    parts += [f"- {each.content['language']}: <{markdown_url(each)}>" for each in reading.other_editions()]
    return "\n\n".join(part for part in parts if part) + "\n"


def scene_markdown(number: int, scene: BakedScene) -> str:
    parts = [heading(f"## {number}.", scene["title"]) if scene["title"] else f"## {number}"]
    if pictures := scene["still"].get("landscape", {}).get("jpeg"):
        parts.append(f"![{escaped(one_line(scene['alt']))}]({absolute(blob_url(pictures[-1]['name']))})")
    parts.append(paragraphs(scene["text"]))
    return "\n\n".join(part for part in parts if part)


def heading(start: str, title: str) -> str:
    """Behind `start`; Markdown would take signs of a heading at its end for the end of it."""
    return re.sub("#$", r"\\#", f"{start} {escaped(one_line(title))}")


def paragraphs(text: str) -> str:
    """The text as it was written: its single line breaks stay breaks, and an indented line becomes no code."""
    return "\n\n".join(
        "\\\n".join(escaped(line.lstrip(" \t")) for line in block.splitlines())
        for block in re.split(r"\n\s*\n", text.strip())
    )


def escaped(text: str) -> str:
    """Text that Markdown shows as it is: what people wrote is neither markup nor HTML."""
    quoted = html.escape(ANYWHERE.sub(lambda found: f"\\{found[0]}", text), quote=False)
    return AT_A_LINE.sub(lambda found: found[1] + marked(found[2]), quoted)


def marked(start: str) -> str:
    """`start`, which would begin a heading or a list, as text: after a number it is its point that says so."""
    return f"{start}\\" if start.isdigit() else f"\\{start}"


def markdown_url(reading: Reading) -> str:
    return f"{reading.publication.get_absolute_url()}.md{reading.query}"
