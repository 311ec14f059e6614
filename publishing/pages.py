"""The public page of a capsule, from its live bake."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from publishing.actions import editions_for
from publishing.models import Publication

CACHE_CONTROL = "public, max-age=0, s-maxage=30, stale-while-revalidate=30"


@require_safe
def page(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """The page at /<workspace>/<slug>, in the edition that `?edition=` names; 404 where nothing is live."""
    publication = (
        Publication.objects.live()
        .select_related("story__workspace", "live_bake")
        .filter(story__workspace__name=workspace, slug=slug)
        .first()
    )
    if publication is None:
        raise Http404
    response = render(
        request, "publishing/page.html", page_context(publication, request.GET.get("edition", ""))
    )
    response["Cache-Control"] = CACHE_CONTROL
    return response


def page_context(publication: Publication, edition_name: str) -> dict[str, Any]:
    editions = editions_for(publication)
    edition = next((e for e in editions if e.story.edition_name == edition_name), None)
    shown = edition or publication
    canonical = publication.get_absolute_url()
    return {
        "publication": publication,
        "workspace": publication.story.workspace,
        "bake": shown.live_bake.content if shown.live_bake else {},
        "edition": edition,
        "editions": editions,
        "canonical": f"{canonical}?edition={edition.story.edition_name}" if edition else canonical,
        "noindex": publication.story.visibility == publication.story.Visibility.UNLISTED,
        "service": "" if publication.is_white_label else "Capsules",
        "app_url": settings.APP_URL,
    }
