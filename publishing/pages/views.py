"""The public pages of a capsule, from its live bake: the reader and the embed.

They depend on nothing of the caller, neither cookie nor language, so that one copy of the bytes serves everybody; see
`publishing.pages.serving`.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, TypedDict
from urllib.parse import quote, urlencode

from csp.utils import build_policy
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from capsules.content import BakeContent, BakedScene, Picture, Still
from publishing.models import Publication
from publishing.pages import reading
from publishing.pages.link_tags import embed_html, link_tags
from publishing.pages.reading import Reading
from publishing.pages.view_counts import notebook

CACHE_CONTROL = "public, max-age=0, s-maxage=30, stale-while-revalidate=30"
KEPT_AS = "capsules.page"  # where `publishing.pages.serving` learns that an answer may be kept
EMBED_SIZE = (960, 540)
ANY_SITE = {"frame-ancestors": ["*"]}  # may show it in a frame
SIZES = {"portrait": "max(100vw, 44vh)", "landscape": "max(100vw, 178vh)"}  # pictures cover the screen
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
    found = reading.find(workspace, slug, request.GET.get("edition", ""))
    if found is None:
        raise Http404
    context = {
        **shared_context(found),
        **link_tags(found),
        "next": reading.find_next(found.publication),
        "networks": network_links(found),
        "embed_code": str(embed_html(found, *EMBED_SIZE)),
        "shares": found.publication.show_social_share,
    }
    response = rendered("publishing/page.html", context)
    return keepable(request, found, response)


@csrf_exempt
@require_safe
@xframe_options_exempt
def embed(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """The deck at /<workspace>/<slug>/embed, which any site may show in a frame; and what says that it is gone."""
    found = reading.find(workspace, slug, request.GET.get("edition", ""))
    if found is None:
        gone = rendered("404.html", {"framed": True}, **ANY_SITE)
        gone.status_code, gone["Cache-Control"] = 404, "no-cache"
        return gone
    response = rendered("publishing/embed.html", shared_context(found), **ANY_SITE)
    return keepable(request, found, response)


@require_POST
@csrf_exempt
def view(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """Counts a view that the page or the embed reports: 204; 404 where nothing is live."""
    live = Publication.objects.live().filter(story__workspace__name=workspace, slug=slug)
    found = live.values_list("pk", flat=True).first()
    if found is None:
        raise Http404
    notebook.saw(found, request.META)
    return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"Cache-Control": "no-store"})


def shared_context(found: Reading) -> dict[str, Any]:
    scenes = scenes_of(found.content)
    return {
        "reading": found,
        "content": found.content,
        "scenes": scenes,
        "has_films": any(scene["film"] for scene in scenes),
        "workspace": found.publication.story.workspace,
        "view_url": f"{found.publication.path}/view",
    }


class Source(TypedDict):
    """One kind of file that a <picture> offers."""

    portrait: bool
    format: str
    pictures: list[Picture]
    sizes: str


class ShownScene(BakedScene):
    number: int
    is_first: bool
    side: str
    sources: list[Source]


def scenes_of(content: BakeContent) -> list[ShownScene]:
    """The scenes of a bake with what the templates need besides: number, side of the text, where crops look."""
    return [
        {
            **scene,
            "number": number,
            "is_first": number == 1,
            "side": side_of(scene),
            "sources": sources_of(scene["still"]),
        }
        for number, scene in enumerate(content["scenes"], start=1)
    ]


def side_of(scene: BakedScene) -> str:
    """The side of the picture that its focal point leaves free for text."""
    return "end" if scene["focus"][0] < 0.42 else "start"


def sources_of(still: Still) -> list[Source]:
    """What a <picture> offers, best first: the portrait crops for portrait screens, the whole picture else."""
    return [
        {
            "portrait": crop == "portrait",
            "format": format,
            "pictures": still[crop][format],
            "sizes": SIZES[crop],
        }
        for crop in ("portrait", "landscape")
        for format in ("avif", "webp", "jpeg")
        if still.get(crop, {}).get(format)
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
    return [{"name": name, "url": link} for name, link in links.items()]


def rendered(template: str, context: dict[str, Any], **directives: list[str]) -> HttpResponse:
    """The page; `directives` replace those of the service's content security policy."""
    headers = {"Content-Security-Policy": build_policy(replace=directives), "Cache-Control": CACHE_CONTROL}
    return HttpResponse(render_to_string(template, context), headers=headers)


def keepable(request: HttpRequest, found: Reading, response: HttpResponse) -> HttpResponse:
    """Tells what keeps pages which edition this answer is."""
    request.META[KEPT_AS] = found.edition_name
    return response


def keepable_list(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Tells what keeps pages that this answer is the first page of a list."""
    request.META[KEPT_AS] = ""
    return response
