"""The public pages of a capsule, from its live bake: the reader and the embed.

They depend on nothing of the caller, neither cookie nor language, so that one copy of the bytes serves everybody; see
`publishing.pages.serving`.
"""

from __future__ import annotations

from urllib.parse import quote, urlencode

from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import conditional_page, require_safe

from accounts.models import Workspace
from capsules.content import BakeContent, BakedScene
from config.words.languages import page_in
from publishing import dark, looks
from publishing.dark import TakenDown
from publishing.models import Publication
from publishing.pages import placing, reading
from publishing.pages.framing import Framing, framing_of
from publishing.pages.link_tags import embed_html, link_tags
from publishing.pages.plain_text import MARKDOWN, markdown_of
from publishing.pages.reading import Reading

CACHE_CONTROL = "public, max-age=0, s-maxage=30, stale-while-revalidate=30"
KEPT_AS = "capsules.page"  # where `publishing.pages.serving` learns that an answer may be kept
EMBED_SIZE = (960, 540)
ANY_SITE = {"frame-ancestors": ["*"]}  # may show it in a frame
NETWORKS = {
    "Facebook": "https://www.facebook.com/sharer/sharer.php?{u}",
    "X": "https://x.com/intent/post?{url}&{text}",
    "WhatsApp": "https://api.whatsapp.com/send?{both}",
    "LinkedIn": "https://www.linkedin.com/sharing/share-offsite/?{url}",
    "Bluesky": "https://bsky.app/intent/compose?{both}",
    "Email": "mailto:?{subject}&{body}",
}


@csrf_exempt
@require_safe
def page(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """The page at /<workspace>/<slug>, in the edition that `?edition=` names; 404 where nothing is live."""
    found = reading.find_reading(workspace, slug, request.GET.get("edition", ""))
    if found is None:
        return taken_down_page(workspace, slug) or not_there(workspace)
    with page_in(found.content["language"]):
        context = {
            **shared_context(found),
            **link_tags(found),
            "next": reading.find_next(found.publication),
            "networks": network_links(found),
            "embed_code": str(embed_html(found, *EMBED_SIZE)),
            "shares": found.publication.show_social_share,
        }
        response = page_response("publishing/page.html", context)
    return keepable(request, response, edition=found.edition_name)


@csrf_exempt
@require_safe
@xframe_options_exempt
def embed(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """The deck at /<workspace>/<slug>/embed, which any site may show in a frame; and what says that it is gone."""
    found = reading.find_reading(workspace, slug, request.GET.get("edition", ""))
    if found is None:
        return taken_down_page(workspace, slug, framed=True) or not_in_a_frame()
    with page_in(found.content["language"]):
        response = page_response("publishing/embed.html", shared_context(found, placing.EMBED), **ANY_SITE)
    return keepable(request, response, edition=found.edition_name)


@csrf_exempt
@conditional_page
@require_safe
def markdown(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """The same capsule as Markdown, at /<workspace>/<slug>.md; gone with its page."""
    found = reading.find_reading(workspace, slug, request.GET.get("edition", ""))
    if found is None:
        return taken_down_page(workspace, slug) or not_there(workspace)
    headers = {"Cache-Control": CACHE_CONTROL, "Link": f'<{found.url}>; rel="canonical"'}
    if found.is_unlisted:
        headers["X-Robots-Tag"] = "noindex"
    return HttpResponse(markdown_of(found), MARKDOWN, headers=headers)


def shared_context(found: Reading, shape: placing.Shape = placing.PAGE) -> dict[str, object]:
    scenes = shown_scenes(found.content, shape)
    look = found.content["look"]
    return {
        "reading": found,
        "content": found.content,
        "look": looks.classes(look),
        "font": looks.FONTS[look["face"]],
        "color_scheme": "dark" if look["theme"] in looks.DARK_THEMES else "light",
        "theme_colour": looks.LIGHT_GROUNDS.get(look["theme"], scenes[0]["colour"] if scenes else "#15101f"),
        "scenes": scenes,
        "workspace": found.publication.story.workspace,
        "told": told_of(found),
    }


def told_of(found: Reading) -> dict[str, object] | None:
    """What the page's script says of itself when it tells that it was read; None for a draft."""
    bake = found.current.live_bake
    if bake is None:
        return None
    return {"publication": found.publication.pk, "bake": bake.number, "edition": found.edition_name}


class ShownScene(BakedScene, placing.Placed):
    number: int
    is_first: bool
    shown_size: str
    framing: Framing
    seconds: int  # that Play shows it


def shown_scenes(content: BakeContent, shape: placing.Shape) -> list[ShownScene]:
    """The scenes of a bake with what the templates need besides: number, place of the words, where crops look."""
    return [
        {
            **scene,
            "number": number,
            "is_first": number == 1,
            **placing.placed(content, number - 1, shape),
            "shown_size": looks.size_of(scene),
            "framing": framing_of(scene),
            "seconds": reading.seconds_of(content, scene, is_first=number == 1),
        }
        for number, scene in enumerate(content["scenes"], start=1)
    ]


def network_links(found: Reading) -> list[dict[str, str]]:
    """Where a reader can share the link without any script."""
    title, url = found.content["title"], found.url
    words = {
        "u": ("u", url),
        "url": ("url", url),
        "text": ("text", title),
        "both": ("text", f"{title} {url}"),
        "subject": ("subject", title),
        "body": ("body", url),
    }
    encoded = {name: urlencode([pair], quote_via=quote) for name, pair in words.items()}
    links = {name: template.format(**encoded) for name, template in NETWORKS.items()}
    return [
        {"name": gettext("Email") if name == "Email" else name, "url": link} for name, link in links.items()
    ]


def not_there(workspace: str) -> HttpResponse:
    """404, which leads to the publisher's other capsules. Raises Http404 where nothing of the workspace is public.

    It is the same at every address of a workspace: nothing tells whether a capsule that is not public has this one.
    """
    publisher = get_object_or_404(Workspace.objects.public(), name=workspace)
    answer = page_response("404.html", {"publisher": publisher})
    answer.status_code, answer["Cache-Control"] = 404, "no-cache"
    return answer


def not_in_a_frame() -> HttpResponse:
    gone = page_response("404.html", {"framed": True}, **ANY_SITE)
    gone.status_code, gone["Cache-Control"] = 404, "no-cache"
    return gone


def taken_down_page(workspace: str, slug: str, *, framed: bool = False) -> HttpResponse | None:
    """What stands where a capsule was taken down; None where none was."""
    there = Publication.objects.dark().published().with_bake()
    publication = there.filter(story__workspace__name=workspace, slug=slug).first()
    why = dark.of_story(publication.story) if publication is not None else None
    if publication is None or why is None:
        return None
    bake = publication.live_bake
    language = bake.content["language"] if bake is not None else publication.story.language
    return taken_down_notice(why, language=language, unbranded=publication.is_white_label, framed=framed)


def taken_down_notice(
    why: TakenDown, *, language: str = "", unbranded: bool = False, framed: bool = False
) -> HttpResponse:
    """404; or 451 (RFC 7725) where the reason is the law. Soon asked for again: a case may end."""
    is_by_law = why.case is not None and why.case.is_by_law
    context = {"why": why, "is_by_law": is_by_law, "unbranded": unbranded, "framed": framed}
    with page_in(language, own=True):
        answer = page_response("publishing/taken_down.html", context, **(ANY_SITE if framed else {}))
    answer.status_code, answer["Cache-Control"] = 451 if is_by_law else 404, "public, max-age=30"
    if is_by_law:
        answer["Link"] = f'<{settings.APP_URL}>; rel="blocked-by"'
    return answer


def page_response(template: str, context: dict[str, object], **directives: list[str]) -> HttpResponse:
    """The page; `directives` replace those of the service's content security policy."""
    headers = {"Content-Security-Policy": build_policy(replace=directives), "Cache-Control": CACHE_CONTROL}
    return HttpResponse(render_to_string(template, context), headers=headers)


def keepable(request: HttpRequest, response: HttpResponse, *, edition: str = "") -> HttpResponse:
    """Tells what keeps pages that this answer may be kept, and which edition it is; a list has none."""
    request.META[KEPT_AS] = edition
    return response
