"""The history of a draft, and the published versions of a capsule: looking at a moment, and going back to it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from itertools import groupby

from csp.decorators import csp_update
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_http_methods, require_safe

from capsules.actions import keeping, revisions
from capsules.models import Revision, Story
from capsules.rules import field_messages
from config.errors import Fault, Invalid
from config.ids import number_of, uuid_of
from publishing import drafts, restoring
from publishing.models import Bake, PublicationEvent
from publishing.studio.base import (
    actor_in,
    keep_typed,
    refused_here,
    shell,
    story_for,
    studio_page,
    typed_in,
    writes_in,
)
from publishing.studio.differences import Difference, between
from publishing.studio.frame import draft_page

FORM = "name of a draft"
PAGE = 100
LOG = 50  # lines about what happened to the publication
MADE_LIVE = (
    PublicationEvent.Action.PUBLISHED,
    PublicationEvent.Action.REPUBLISHED,
)


@dataclass(frozen=True)
class Run:
    """Revisions that are one entry of the list: one that somebody chose to keep, or automatic ones in a row."""

    rows: list[Revision]

    @property
    def is_folded(self) -> bool:
        return len(self.rows) > 1


@studio_page
@refused_here
@require_http_methods(["GET", "POST"])
def history(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    """Every kept draft by day; `?at=` shows one of them, `?against=before` what changed in it."""
    found = story_for(request, story)
    if request.method == "POST":
        return change(request, found)
    rows = found.revisions.select_related("by").defer("content")
    shown = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    by_day = groupby(shown.object_list, key=lambda revision: revision.updated_at.date())
    chosen = chosen_revision(found, request.GET.get("at", ""))
    against = "before" if request.GET.get("against") == "before" else "now"
    return page_of(
        request,
        found,
        "drafts",
        pages=shown,
        days=[(day, runs_of(list(of_day))) for day, of_day in by_day],
        chosen=chosen,
        is_chosen="at" in request.GET,
        against=against,
        typed=typed_in(request, FORM),
        difference=difference_of(found, chosen, against) if chosen else None,
    )


@csp_update({"frame-src": ["'self'"]})
def page_of(request: HttpRequest, story: Story, tab: str, **context: object) -> HttpResponse:
    context |= shell(request, story.workspace, "capsules", story)
    context |= {"story": story, "tab": tab, "writes": writes_in(request, story)}
    return render(request, f"studio/history_{tab}.html", context)


def runs_of(rows: list[Revision]) -> list[Run]:
    """Automatic ones in a row together; every other one by itself."""
    runs: list[Run] = []
    for row in rows:
        automatic = row.kind == Revision.Kind.AUTO
        if automatic and runs and runs[-1].rows[-1].kind == Revision.Kind.AUTO:
            runs[-1].rows.append(row)
        else:
            runs.append(Run([row]))
    return runs


def chosen_revision(story: Story, number: str) -> Revision | None:
    """The one that was asked for, else the latest; None where there is none at all. Raises Http404."""
    rows = story.revisions.select_related("by")
    if not number:
        return rows.first()
    return get_object_or_404(rows, number=number_of(number))


def difference_of(story: Story, revision: Revision, against: str) -> Difference:
    """What changed in this revision, or since."""
    if against == "now":
        return between(keeping.content_in(revision), keeping.content_of(story))
    drafts_before = story.revisions.filter(number__lt=revision.number).exclude(kind=Revision.Kind.CONFLICT)
    before = drafts_before.first()  # the latest
    empty: dict[str, object] = {"story": {}, "scenes": []}
    return between(keeping.content_in(before) if before else empty, keeping.content_in(revision))


def change(request: HttpRequest, story: Story) -> HttpResponse:
    """Names a revision, or the draft as it is now; or goes back to a revision, or to one scene of it."""
    actor = actor_in(request)
    if "label" in request.POST:
        return give_name(request, story)
    kept_then = chosen_revision(story, request.POST.get("at") or "none")
    assert kept_then is not None  # noqa: S101 - a number was asked for; for the type checker
    scene = request.POST.get("scene", "")
    sent = request.POST.get("revision", "")
    expected = number_of(sent)
    if sent and expected is None:
        raise Invalid(gettext("This form is broken. Open the page again."))
    key = uuid_of(scene)
    if scene and key is None:
        raise Invalid(gettext("This revision has no such scene."))
    revisions.restore_revision(
        story,
        kept_then,
        scenes=[key] if key else None,
        expected=None if expected is None else [expected],
        by=actor,
    )
    messages.success(
        request,
        gettext("The scene is as it was then. What was there before is kept in the history, too.")
        if key
        else gettext("The draft is as it was then. What was there before is kept in the history, too."),
    )
    return redirect(request.path)


def give_name(request: HttpRequest, story: Story) -> HttpResponse:
    """Names the revision `at`, or without one the draft as it is now."""
    label = request.POST["label"].strip()
    faults = list(field_messages(Revision, "label", label)) if label else [gettext("Give it a name.")]
    if faults:
        error = Invalid(faults[0], faults=[Fault("label", message) for message in faults])
        keep_typed(request, FORM, {"label": label, "at": request.POST.get("at", "")}, error)
        raise error
    then = chosen_revision(story, request.POST["at"]) if request.POST.get("at") else None
    by = actor_in(request)
    named = (
        revisions.name_kept(story, then, label, by=by)
        if then
        else revisions.name_revision(story, label, by=by)
    )
    messages.success(request, gettext("Kept as “%(label)s”. It stays in the history.") % {"label": label})
    return redirect(f"{request.path}?at={named.number}")


@studio_page
@require_safe
@xframe_options_sameorigin
def revision_frame(request: HttpRequest, story: uuid.UUID, number: int) -> HttpResponse:
    """A kept draft in the reader's template, with those of its pictures that are still there."""
    found = story_for(request, story)
    kept = chosen_revision(found, str(number))
    assert kept is not None  # noqa: S101 - a number was asked for; for the type checker
    return draft_page(drafts.reading_of(found, drafts.content_kept(found, keeping.content_in(kept))))


# --- Published versions ----------------------------------------------------------------------------------------


@studio_page
@refused_here
@require_http_methods(["GET", "POST"])
def versions(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    """The live version and those before it that can go live again, with everything that happened to them."""
    found = story_for(request, story)
    if request.method == "POST":
        known = number_of(request.POST.get("number", "")) or 0
        restoring.restore_version(found, known, by=actor_in(request))
        messages.success(
            request,
            gettext("Version %(number)s is live again, at the same address. No email was sent.")
            % {"number": known},
        )
        return redirect(request.path)
    live = restoring.live_bake_of(found)
    bakes = list(restoring.kept_of(found))
    events = list(PublicationEvent.objects.of_story(found)[:LOG])
    made = PublicationEvent.objects.filter(bake__in=bakes, action__in=MADE_LIVE).select_related("by")
    makers = {event.bake_id: event for event in made.order_by("-pk")}
    rows = [
        {
            "bake": bake,
            "is_live": bake.pk == live,
            "made": makers.get(bake.pk),
            "changes": changes_since(bakes[place + 1] if place + 1 < len(bakes) else None, bake),
        }
        for place, bake in enumerate(bakes)
    ]
    return page_of(request, found, "versions", rows=rows, events=events, is_live=live is not None)


def changes_since(before: Bake | None, bake: Bake) -> str:
    """What a version changed against the one before it, in a few words."""
    if before is None:
        return ""
    was, now = ([scene["text"] for scene in row.content["scenes"]] for row in (before, bake))
    told = []
    if bake.content["title"] != before.content["title"]:
        told.append(gettext("another title"))
    if len(now) != len(was):
        told.append(gettext("%(before)s → %(now)s scenes") % {"before": len(was), "now": len(now)})
    elif edited := sum(old != new for old, new in zip(was, now, strict=True)):
        told.append(
            ngettext("text of %(number)s scene", "text of %(number)s scenes", edited) % {"number": edited}
        )
    return ", ".join(told) or gettext("pictures or settings")


@studio_page
@require_safe
@xframe_options_sameorigin
def version_frame(request: HttpRequest, story: uuid.UUID, number: int) -> HttpResponse:
    """A published version as readers got it."""
    found = story_for(request, story)
    bake = get_object_or_404(restoring.kept_of(found), number=number)
    return draft_page(drafts.reading_of(found, bake.content))
