"""The showcase, profiles and feeds as pages; all without cookies, so that any cache may keep them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from accounts.models import Workspace
from config.errors import Invalid
from config.links import absolute
from config.words.languages import page_in
from feed import entries, lists
from feed.atom import atom
from feed.json_feed import json_feed
from feed.keyset import Page
from feed.models import Card, FeedRank
from publishing import dark
from publishing.pages.views import keepable, page_response, taken_down_notice

PAGE_SIZE = 24  # fills rows of 2, 3 and 4

View = Callable[..., HttpResponse]
FEEDS: dict[str, Callable[[entries.Newest], HttpResponse]] = {
    "atom": atom,
    "json": json_feed,
}  # entries.FORMS


def in_language_of_address(view: View) -> View:
    """English, or as `?language=` says: what somebody's browser prefers would give each reader a page of their own."""

    @wraps(view)
    def wrapped(request: HttpRequest, **named: str) -> HttpResponse:
        with page_in(request.GET.get("language", ""), own=True):
            return view(request, **named)

    return wrapped


@gzip_page  # neither page holds anything secret that the length of the packed bytes could give away
@conditional_page  # beneath it, because packed bytes differ each time
@require_safe
@in_language_of_address
def showcase(request: HttpRequest) -> HttpResponse:
    """Every listed capsule by rank."""
    after = request.GET.get("after")
    further = after is not None
    try:
        page = lists.ranked(limit=PAGE_SIZE if further else PAGE_SIZE + 1, cursor=after)
    except Invalid:
        return redirect("showcase")
    said = gettext("Short stories, one scene at a time")
    lead = None if further else next((rank for rank in page.rows if may_lead(rank)), None)
    rows = [rank for rank in page.rows if rank is not lead]
    return list_page(
        request,
        "feed/showcase.html",
        page,
        [rank.card for rank in page.rows],
        title=f"{settings.SERVICE_NAME}: {said}",
        description=gettext("Short stories, one scene at a time. Read them here, share them, embed them."),
        feed_url=reverse("showcase-atom"),
        json_feed_url=reverse("showcase-json"),
        lead=lead,
        pinned=[rank for rank in rows if rank.pin_tier],
        others=[rank for rank in rows if not rank.pin_tier],
    )


@gzip_page
@conditional_page
@require_safe
@in_language_of_address
def profile(request: HttpRequest, workspace: str) -> HttpResponse:
    """The listed capsules of a workspace that has published, the newest first; 404 for any other name."""
    owner = Workspace.objects.public().filter(name=workspace).first()
    if owner is None:
        return suspended_profile(workspace)
    try:
        page = lists.listed_in_workspace(owner, limit=PAGE_SIZE, cursor=request.GET.get("after"))
    except Invalid:
        return redirect("profile", workspace=workspace)
    said = gettext("Short stories, one scene at a time")
    return list_page(
        request,
        "feed/profile.html",
        page,
        page.rows,
        title=f"{owner.title} · {settings.SERVICE_NAME}",
        description=f"{settings.SERVICE_NAME}, {owner.title}: {said}",
        feed_url=reverse("profile-atom", args=[owner.name]),
        json_feed_url=reverse("profile-json", args=[owner.name]),
        workspace=owner,
        count=Card.objects.filter(workspace=owner).count(),
    )


def suspended_profile(name: str) -> HttpResponse:
    """What stands where the profile of a suspended workspace was. Raises Http404 where there was none."""
    workspace = get_object_or_404(Workspace, name=name, name_claimed_at__isnull=False)
    why = dark.of_workspace(workspace)
    if why is None:
        raise Http404
    return taken_down_notice(why)


def may_lead(rank: FeedRank) -> bool:
    """Whether it may be on top of the front page: there the service shows itself, so no white-label capsule may."""
    return not rank.card.publication.is_white_label


@conditional_page
@require_safe
def newest(request: HttpRequest, form: str, workspace: str | None = None) -> HttpResponse:
    """The newest capsules of all, or of a workspace, as a feed in one of the FORMS."""
    if workspace is None:
        return FEEDS[form](entries.of_all())
    return FEEDS[form](entries.of_workspace(get_object_or_404(Workspace.objects.public(), name=workspace)))


def list_page(
    request: HttpRequest, template: str, page: Page[Any], cards: list[Card], **context: object
) -> HttpResponse:
    """The page of a list; its canonical address is that of the first page, because cursors expire."""
    context |= {
        "next": page.next_cursor,
        "further": "after" in request.GET,
        "path": request.path,
        "canonical": absolute(request.path),
        "languages": settings.LANGUAGES,
        "cover_url": absolute(cards[0].cover_url) if cards else "",
        "cards": cards,
    }
    return keepable(request, page_response(template, context))
