"""A premiere as HTML and text, from what readers get: the live bake."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import css_inline
from django.template.loader import render_to_string

from capsules import storage
from capsules.content import BakeContent, BakedScene
from capsules.painter.colour import luminance
from config.json_types import JsonObject
from config.links import absolute
from config.texts import cut
from config.words.languages import page_in
from publishing.mail.letters import TOKEN, Rendered, unsubscribe_url
from publishing.models import Premiere, Publication
from publishing.premieres.colours import colours_of

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
    with page_in(content["language"]):
        return rendered(publication, content, mode)


def rendered(publication: Publication, content: BakeContent, mode: str) -> Rendered:
    context = context_of(publication, content)
    template = "full" if mode == Premiere.Mode.FULL else "teaser"
    scenes = context["scenes"]
    html = letter_html(template, context)
    while len(html.encode()) > LARGEST_HTML and len(context["scenes"]) > 1:
        fitting = int(len(context["scenes"]) * LARGEST_HTML / len(html.encode()))
        context["scenes"] = scenes[: max(1, fitting)]
        context["is_cut"] = True
        html = letter_html(template, context)
    return Rendered(
        subject=content["title"],
        sender_name=publication.story.workspace.title,
        list_id=publication.story.workspace.name,
        language=content["language"],
        html=html,
        text=render_to_string(f"premiere/{template}.txt", context),
    )


def context_of(publication: Publication, content: BakeContent) -> JsonObject:
    workspace = publication.story.workspace
    scenes = [MailScene(scene) for scene in content["scenes"]]
    return {
        "bake": content,
        "look": colours_of(content["look"]),
        "workspace": workspace,
        "face": workspace.picture_url,
        "scenes": scenes,
        "cover": scenes[content["cover"]] if content["cover"] < len(scenes) else scenes[0],
        "opening": cut(content["scenes"][0]["text"], OPENING),
        "link": f"{publication.get_absolute_url()}?from=mail",
        "leave_link": unsubscribe_url(TOKEN),
        "is_cut": False,
    }


def letter_html(template: str, context: dict[str, object]) -> str:
    """Every style inline, but for the media queries: many clients drop a style element."""
    return _inliner.inline(render_to_string(f"premiere/{template}.html", context))
