"""A premiere as HTML and text, from what readers get: the live bake."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import css_inline
from django.template.loader import render_to_string

from capsules import storage
from capsules.content import BakeContent, BakedScene
from capsules.media.colour import luminance
from config.links import absolute
from config.texts import cut
from publishing.mail.letters import TOKEN, Rendered, unsubscribe_url
from publishing.models import Premiere, Publication
from publishing.premieres.words import direction, words_in

LARGEST_HTML = 96 * 1024  # bytes; Gmail cuts a message at 102 KB
PICTURE_WIDTH = 640  # pixels
OPENING = 280  # characters of a teaser
_inliner = css_inline.CSSInliner(
    keep_at_rules=True, minify_css=True, load_remote_stylesheets=False, apply_width_attributes=True
)


@dataclass(frozen=True)
class MailScene:
    """One scene as the templates show it."""

    scene: BakedScene

    @cached_property
    def picture(self) -> dict[str, str | int]:
        """{url, width, height} of the JPEG nearest to PICTURE_WIDTH, scaled to it."""
        jpegs = self.scene["still"]["landscape"]["jpeg"]
        best = min(jpegs, key=lambda jpeg: abs(jpeg["width"] - PICTURE_WIDTH))
        width = min(best["width"], PICTURE_WIDTH)
        return {
            "url": absolute(storage.blobs().url(best["name"])),
            "width": width,
            "height": round(best["height"] * width / best["width"]),
        }

    @cached_property
    def ink(self) -> str:
        """A colour that can be read on the picture's own, for clients that block pictures."""
        rgb = tuple(bytes.fromhex(self.scene["colour"].lstrip("#")))
        return "#1b1524" if luminance(rgb) > 0.18 else "#fff9f0"


def render(publication: Publication, mode: str) -> Rendered:
    """The email of a live publication; `mode` FULL or TEASER. A capsule too long for one email ends with a link."""
    content: BakeContent = publication.live_bake.content  # type: ignore[union-attr]
    context = context_of(publication, content)
    template = "full" if mode == Premiere.Mode.FULL else "teaser"
    scenes = context["scenes"]
    html = html_of(template, context)
    while len(html.encode()) > LARGEST_HTML and len(context["scenes"]) > 1:
        fitting = int(len(context["scenes"]) * LARGEST_HTML / len(html.encode()))
        context["scenes"] = scenes[: max(1, fitting)]
        context["is_cut"] = True
        html = html_of(template, context)
    return Rendered(
        subject=content["title"],
        sender_name=publication.story.workspace.title,
        list_id=publication.story.workspace.name,
        language=content["language"],
        html=html,
        text=render_to_string(f"premiere/{template}.txt", context),
    )


def context_of(publication: Publication, content: BakeContent) -> dict[str, Any]:
    workspace = publication.story.workspace
    words = words_in(content["language"])
    scenes = [MailScene(scene) for scene in content["scenes"]]
    return {
        "bake": content,
        "workspace": workspace,
        "face": workspace.picture_url,
        "scenes": scenes,
        "cover": scenes[content["cover"]] if content["cover"] < len(scenes) else scenes[0],
        "opening": cut(content["scenes"][0]["text"], OPENING),
        "link": publication.get_absolute_url(),
        "leave_link": unsubscribe_url(TOKEN),
        "words": words,
        "byline": words.by.format(author=content["author"]) if content["author"] else "",
        "why": words.why.format(workspace=workspace.title),
        "direction": direction(content["language"]),
        "is_cut": False,
    }


def html_of(template: str, context: dict[str, Any]) -> str:
    """Every style inline, but for the media queries: many clients drop a style element."""
    return _inliner.inline(render_to_string(f"premiere/{template}.html", context))
