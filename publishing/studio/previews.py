"""A built preview in a window of its own: as readers, embedders, chat apps and subscribers would get it."""

from __future__ import annotations

import uuid

from csp.decorators import csp_update
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from capsules import readiness
from capsules.models import Preview, Story
from publishing import baking, drafts
from publishing.models import Premiere
from publishing.premieres import outlook
from publishing.premieres.preview import POLICY
from publishing.studio.base import story_for, studio_page
from publishing.studio.frame import draft_page
from publishing.studio.shared import LinkCard, card_of, told
from publishing.studio.what_changes import what_changes

VIEWS = {
    "desktop": _("Desktop"),
    "phone": _("Phone"),
    "embed": _("Embed"),
    "card": _("Link card"),
    "email": _("Email"),
}


@studio_page
@require_safe
def latest(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    """On to the latest preview; back to the editor where none was built."""
    found = story_for(request, story)
    preview = found.latest_preview
    if preview is None:
        return redirect("studio_editor", story=found.pk)
    return redirect("studio_preview", story=found.pk, number=preview.number)


@studio_page
@require_safe
@csp_update({"frame-src": ["'self'"]})
def preview(request: HttpRequest, story: uuid.UUID, number: int) -> HttpResponse:
    built = preview_for(request, story, number)
    chosen = request.GET.get("as", "")
    chosen = chosen if chosen in VIEWS else "desktop"
    context: dict[str, object] = {
        "story": built.story,
        "preview": built,
        "views": VIEWS,
        "chosen": chosen,
        "is_current": built.revision == built.story.revision,
        "missing": missing_in(built),
    }
    if chosen == "card":
        context["card"] = card_in(built)
    return render(request, "studio/preview.html", context)


@studio_page
@require_safe
@xframe_options_sameorigin
def preview_frame(request: HttpRequest, story: uuid.UUID, number: int) -> HttpResponse:
    """The preview in the reader's template, exactly what a publish bakes; `?as=embed` shows the embed."""
    built = preview_for(request, story, number)
    if built.state != "ready":
        raise Http404
    if missing := missing_in(built):
        return unfinished(request, built.story, missing)
    reading = drafts.reading_of(built.story, baking.bake(built).content)
    return draft_page(reading, embed=request.GET.get("as") == "embed")


@studio_page
@require_safe
def preview_card(request: HttpRequest, story: uuid.UUID, number: int) -> HttpResponse:
    """JSON: the card that a publish of this preview gives the link, and what it changes; 404 until it is ready."""
    built = preview_for(request, story, number)
    card = card_in(built)
    if card is None:
        raise Http404
    return told({**card, "changes": what_changes(built)})


@studio_page
@require_safe
@xframe_options_sameorigin
def letter(request: HttpRequest, story: uuid.UUID, number: int, mode: str) -> HttpResponse:
    """The premiere email that a publish of this preview would send; `mode` FULL or TEASER. It runs nothing."""
    built = preview_for(request, story, number)
    if built.state != "ready" or mode not in (Premiere.Mode.FULL, Premiere.Mode.TEASER):
        raise Http404
    if missing := missing_in(built):
        return unfinished(request, built.story, missing)
    written = outlook.letter_of(built, mode)
    response = HttpResponse(written.html)
    response["Content-Security-Policy"] = f"{POLICY}; frame-ancestors 'self'"
    return response


def preview_for(request: HttpRequest, story: uuid.UUID, number: int) -> Preview:
    return get_object_or_404(story_for(request, story).previews.prefetch_related("encodes"), number=number)


def card_in(preview: Preview) -> LinkCard | None:
    """The link's card with this preview; None while pictures of it are missing or being prepared."""
    if preview.state != "ready" or missing_in(preview):
        return None
    return card_of(baking.bake(preview).content)


def missing_in(preview: Preview) -> list[str]:
    """A sentence for every scene without a picture."""
    faults = readiness.missing_pictures(preview)
    told = gettext("Scene %(number)s: %(fault)s")
    return [told % {"number": int(each.path.split(".")[1]) + 1, "fault": each.message} for each in faults]


def unfinished(request: HttpRequest, story: Story, missing: list[str]) -> HttpResponse:
    """What a frame, or a tab of its own, shows in place of a preview that lacks pictures."""
    context = {"story": story, "missing": missing}
    return render(request, "studio/preview_unfinished.html", context, status=409)
