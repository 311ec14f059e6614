"""The studio's pages of numbers: of a workspace, and of a story; each as a page and as CSV."""

from __future__ import annotations

import uuid
from datetime import date, timedelta
from functools import lru_cache
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_date
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.actions import workspaces
from accounts.models import Workspace
from accounts.models.people import time_zones
from capsules.models import Story
from config.errors import Invalid, NotFound
from publishing.models import Publication, ReadDay
from publishing.statistics import drawing, figures
from publishing.statistics.api import csv_response
from publishing.statistics.figures import MOST_DAYS, Span
from publishing.statistics.wire import YEARS
from publishing.studio.base import (
    actor_in,
    refused_here,
    shell,
    story_for,
    studio_page,
    workspace_for,
)

SPANS = {7: _("7 days"), 30: _("30 days"), 90: _("90 days"), MOST_DAYS - 1: _("A year")}
TABLES = {
    "story": {"days": _("Days"), "scenes": _("Scenes"), "sources": _("Sources")},
    "workspace": {"days": _("Days"), "stories": _("Capsules")},
}
MOST_ZONES = 50  # whose choice is remembered
SHOWN = 100  # capsules of a page; the file has all


@studio_page
@refused_here
@require_http_methods(["GET", "POST"])
def workspace(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    found = workspace_for(request, workspace)
    if request.method == "POST":
        zone = request.POST.get("time_zone", "")
        workspaces.change_time_zone(found, zone, by=actor_in(request).user)
        messages.success(request, gettext("Saved. Days that were counted stay as they are."))
        return redirect(request.path)
    numbers = figures.of_workspace(found, asked_span(request, found))
    return render(
        request,
        "studio/numbers_workspace.html",
        {
            **shell(request, found, "numbers"),
            **told(numbers, "workspace"),
            "shown": numbers.stories[:SHOWN],
            "left_out": len(numbers.stories[SHOWN:]),
            "was_read": bool(numbers.stories)
            or ReadDay.objects.filter(publication__story__workspace=found).exists(),
            "zones": zones(found.time_zone),
        },
    )


@lru_cache(MOST_ZONES)
def zones(chosen: str) -> SafeString:
    """An option for every time zone. They are looked for in files, and are a third of what the page has to draw."""
    names = sorted(time_zones())
    return format_html_join("", "<option{}>{}</option>", ((" selected" * (n == chosen), n) for n in names))


@studio_page
@require_safe
def workspace_csv(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    found = workspace_for(request, workspace)
    numbers = figures.of_workspace(found, strict_span(request, found))
    return csv_response(numbers, table_in(request, "workspace"), of=found)


@studio_page
@require_safe
def story(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    found = story_for(request, story)
    edition = request.GET.get("edition")
    numbers = figures.of_story(found, asked_span(request, found.workspace), edition)
    steps = drawing.steps_of(numbers.scenes)
    return render(
        request,
        "studio/numbers_story.html",
        {
            **shell(request, found.workspace, "capsules", found),
            **told(numbers, "story"),
            "story": found,
            "edition": edition,
            "of_edition": "" if edition is None else f"&{urlencode({'edition': edition})}",
            "editions": editions_of(found),
            "steps": steps,
            "steepest": drawing.steepest(steps),
            "surfaces": [(label, numbers.surfaces[name]) for name, label in SURFACES.items()],
            "is_live": Publication.objects.live().filter(story=found).exists(),
            "was_read": ReadDay.objects.filter(publication__story=found).exists()
            or ReadDay.objects.filter(edition__story=found).exists(),
        },
    )


SURFACES = {"page": _("On its page"), "embed": _("Inside other sites"), "mail": _("From the email")}


@studio_page
@require_safe
def story_csv(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    found = story_for(request, story)
    numbers = figures.of_story(found, strict_span(request, found.workspace), request.GET.get("edition"))
    return csv_response(numbers, table_in(request, "story"), of=found)


def told(numbers: figures.StoryNumbers | figures.WorkspaceNumbers, kind: str) -> dict[str, object]:
    span, today = numbers.span, numbers.span.last
    return {
        "numbers": numbers,
        "span": span,
        "chart": drawing.chart_of(numbers),
        "spans": [
            {"label": label, "first": today - timedelta(days=days - 1), "is_shown": len(span.days()) == days}
            for days, label in SPANS.items()
        ],
        "tables": TABLES[kind],
    }


def editions_of(story: Story) -> list[tuple[str, str]]:
    """Name and label of each edition, the default one first; none where it has no other."""
    others = [(each.edition_name, each.edition_label or each.edition_name) for each in story.editions.all()]
    return [("", gettext("Original")), *others] if others else []


def strict_span(request: HttpRequest, workspace: Workspace) -> Span:
    """Raises NotFound for days that are none."""
    try:
        return figures.span_of(workspace, day_in(request, "from"), day_in(request, "to"))
    except Invalid as error:
        raise NotFound(str(error)) from error


def asked_span(request: HttpRequest, workspace: Workspace) -> Span:
    """The days that are asked for; the usual ones, with a word of why, where these are none."""
    try:
        return figures.span_of(workspace, day_in(request, "from"), day_in(request, "to"))
    except Invalid as error:
        messages.error(request, error.faults[0].message if error.faults else str(error))
        return figures.span_of(workspace)


def day_in(request: HttpRequest, name: str) -> date | None:
    text = request.GET.get(name, "")
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if text and (day is None or day.year not in YEARS):
        raise Invalid(gettext("Write a day like 2026-11-23."))
    return day


def table_in(request: HttpRequest, kind: str) -> str:
    name = request.GET.get("table", "days")
    if name not in TABLES[kind]:
        raise NotFound(gettext("There is no such table."))
    return name
