"""The showcase, profiles and the sitemap as pages; all without cookies, so that any cache may keep them."""

from __future__ import annotations

import gzip
from typing import IO, Any

from django.conf import settings
from django.db import DatabaseError
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from accounts.models import Workspace
from capsules import storage
from config import outage
from config.database import release_connection
from config.errors import Invalid
from config.links import absolute
from feed import lists, sitemap, sitemap_xml
from feed.keyset import Page
from feed.models import Card, FeedRank, SitemapSection
from publishing.pages.views import keepable_list, rendered

SITEMAP_CACHE_CONTROL = "public, max-age=60"
PAGE_SIZE = 24  # fills rows of 2, 3 and 4


@gzip_page  # neither page holds anything secret that the length of the packed bytes could give away
@conditional_page  # beneath it, because packed bytes differ each time
@require_safe
def showcase(request: HttpRequest) -> HttpResponse:
    """Every listed capsule by rank."""
    after = request.GET.get("after")
    further = after is not None
    try:
        page = lists.ranked(limit=PAGE_SIZE if further else PAGE_SIZE + 1, cursor=after)
    except Invalid:
        return redirect("showcase")
    lead = None if further else next((rank for rank in page.rows if may_lead(rank)), None)
    rows = [rank for rank in page.rows if rank is not lead]
    return list_page(
        request,
        "feed/showcase.html",
        page,
        [rank.card for rank in page.rows],
        title=f"{settings.SERVICE_NAME}: short stories, one scene at a time",
        description="Short stories, one scene at a time. Read them here, share them, embed them.",
        feed_url=reverse("showcase-atom"),
        lead=lead,
        pinned=[rank for rank in rows if rank.pin_tier],
        others=[rank for rank in rows if not rank.pin_tier],
    )


@gzip_page
@conditional_page
@require_safe
def profile(request: HttpRequest, workspace: str) -> HttpResponse:
    """The listed capsules of a workspace that has published, the newest first; 404 for any other name."""
    owner = published_workspace(workspace)
    try:
        page = lists.of_workspace(owner, limit=PAGE_SIZE, cursor=request.GET.get("after"))
    except Invalid:
        return redirect("profile", workspace=workspace)
    return list_page(
        request,
        "feed/profile.html",
        page,
        page.rows,
        title=f"{owner.title} · {settings.SERVICE_NAME}",
        description=f"{settings.SERVICE_NAME} by {owner.title}: short stories, one scene at a time.",
        feed_url=reverse("profile-atom", args=[owner.name]),
        workspace=owner,
        count=Card.objects.filter(workspace=owner).count(),
    )


def may_lead(rank: FeedRank) -> bool:
    """Whether it may be on top of the front page: there the service shows itself, so no white-label capsule may."""
    return not rank.card.publication.is_white_label


def published_workspace(name: str) -> Workspace:
    """The workspace that claimed `name` by its first publish. Raises Http404."""
    workspace = Workspace.objects.filter(name=name, name_claimed_at__isnull=False).first()
    if workspace is None:
        raise Http404
    return workspace


def list_page(
    request: HttpRequest, template: str, page: Page[Any], cards: list[Card], **context: Any
) -> HttpResponse:
    """The page of a list; its canonical address is that of the first page, because cursors expire."""
    context |= {
        "next": page.next_cursor,
        "further": "after" in request.GET,
        "canonical": absolute(request.path),
        "cover_url": absolute(cards[0].cover_url) if cards else "",
        "cards": cards,
    }
    return keepable_list(request, rendered(template, context))


@conditional_page
@require_safe
def sitemap_index(request: HttpRequest) -> HttpResponse:
    """The sections. Small ones are brought up to date at once, large ones within a minute by the task."""
    try:
        sitemap.write_changed(only_quick=True)
    except (DatabaseError, OSError) as error:
        if not outage.cannot_write(error):
            raise
        outage.log_unwritten(error)  # the sections as they were
    sections = list(SitemapSection.objects.exclude(name=""))
    if not sections:
        words = "The sitemap is being written. Please come back in a minute."
        return HttpResponse(words, "text/plain; charset=utf-8", 503, headers={"Retry-After": "60"})
    return HttpResponse(
        sitemap_xml.index(sections),
        content_type="application/xml",
        headers={"Cache-Control": SITEMAP_CACHE_CONTROL},
    )


@require_safe
def sitemap_section(request: HttpRequest, first: int) -> HttpResponseBase:
    """A written section: its gzipped bytes, or unpacked for clients that do not take gzip."""
    section = SitemapSection.objects.filter(pk=first).exclude(name="").first()
    if section is None:
        raise Http404
    packed = "gzip" in request.headers.get("Accept-Encoding", "")
    etag = f'"{section.name}{"" if packed else "-plain"}"'
    response = get_conditional_response(request, etag=etag) or section_response(section.name, packed=packed)
    response["ETag"] = etag
    response["Cache-Control"] = SITEMAP_CACHE_CONTROL
    patch_vary_headers(response, ["Accept-Encoding"])
    return response


def section_response(name: str, *, packed: bool) -> FileResponse:
    file: IO[bytes] = storage.blobs().open(name)
    release_connection()  # a slow reader would keep it for as long as the section takes
    body = file if packed else gzip.GzipFile(fileobj=file)
    response = FileResponse(body, content_type="application/xml")
    if packed:
        response["Content-Encoding"] = "gzip"
    return response
