"""The list of a workspace's capsules, its trash, and the ways to begin one."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.pages.base import actor_in
from capsules.models import Story
from config.ids import uuid_of
from config.texts import LONGEST_SEARCH
from publishing.studio.base import on_to_a_workspace, shell, studio_page, workspace_for
from publishing.studio.cards import DOWN, FILTERS, SORTS, TAKEN_DOWN, cards, filtered_capsules

PAGE = 24


@studio_page
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return on_to_a_workspace(request, "studio_capsules")


@studio_page
@require_safe
def capsules(request: HttpRequest, workspace: uuid.UUID) -> HttpResponseBase:
    found = workspace_for(request, workspace)
    sort = known_or_first(request.GET.get("sort"), SORTS)
    text = request.GET.get("q", "").strip()[:LONGEST_SEARCH]
    own = Story.objects.visible_to(actor_in(request)).filter(workspace=found)
    is_down = filtered_capsules(own, state=DOWN, text="", sort=sort).exists()
    filters = FILTERS | (TAKEN_DOWN if is_down else {})
    state = known_or_first(request.GET.get("show"), filters)
    pages = Paginator(filtered_capsules(own, state=state, text=text, sort=sort), PAGE)
    shown = pages.get_page(request.GET.get("page"))
    trashed = Story.objects.trashed(actor_in(request)).filter(workspace=found)
    thrown_away = uuid_of(request.GET.get("trashed"))
    context = {
        **shell(request, found, "capsules"),
        "cards": cards(shown.object_list),  # type: ignore[arg-type]
        "pages": shown,
        "state": state,
        "sort": sort,
        "text": text,
        "filters": filters,
        "sorts": SORTS,
        "is_empty": not own.exists(),
        "in_trash": trashed.deleted_by_themselves().count(),
        "just_trashed": trashed.filter(pk=thrown_away).first() if thrown_away else None,
    }
    page = render(request, "studio/capsules.html", context)
    # What a link searches for is on the page: packed beside titles of drafts, its length would tell whether it is one.
    return page if text else GZipMiddleware(lambda _: page).process_response(request, page)


def known_or_first(value: str | None, choices: Mapping[str, object]) -> str:
    """The value, or the first choice where it is none of them."""
    return value if value is not None and value in choices else next(iter(choices))
